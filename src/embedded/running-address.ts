import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replacePrivateFile } from './private-files.ts';
import { isRunning, readProcessIdentity } from './processes.ts';

export const addressFile = (dataDir: string): string => join(dataDir, 'address');

/** Publishes the addresses of the service in its data folder, for commands on the same machine. Returns the function that removes them. */
export async function publishAddress(dataDir: string, baseUrl: string, temporalAddress: string): Promise<() => Promise<void>> {
  const file = addressFile(dataDir);
  const mine = `${baseUrl}\n${await readProcessIdentity(process.pid)}\n${temporalAddress}\n`;
  await replacePrivateFile(file, mine);
  return async () => {
    // Two services with external servers may share a folder: the other one's address stays.
    if ((await readFile(file, 'utf8').catch(() => '')) === mine) await rm(file, { force: true });
  };
}

/** The address of the service that runs on a data folder. Addresses of killed services are ignored. */
export async function findRunningAddress(dataDir: string): Promise<string | undefined> {
  return (await readAddresses(dataDir))?.baseUrl;
}

/** The Temporal address of the service that runs on a data folder. */
export async function findRunningTemporal(dataDir: string): Promise<string | undefined> {
  return (await readAddresses(dataDir))?.temporalAddress || undefined;
}

async function readAddresses(dataDir: string): Promise<{ baseUrl: string; temporalAddress: string } | undefined> {
  const text = await readFile(addressFile(dataDir), 'utf8').catch(() => '');
  const [baseUrl = '', identity = '', temporalAddress = ''] = text.split('\n');
  const isAddress = URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol);
  return isAddress && (await isRunning(identity)) ? { baseUrl, temporalAddress } : undefined;
}

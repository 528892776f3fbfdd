import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from './private-files.ts';
import { isRunning, readProcessIdentity } from './processes.ts';

export const addressFile = (dataDir: string): string => join(dataDir, 'address');

/** Says in a data folder where the service on it is reached, for commands that are typed beside it. Gives what takes it back. */
export async function leaveAddress(dataDir: string, baseUrl: string, temporalAddress: string): Promise<() => Promise<void>> {
  const file = addressFile(dataDir);
  const mine = `${baseUrl}\n${await readProcessIdentity(process.pid)}\n${temporalAddress}\n`;
  await replaceFile(file, mine);
  return async () => {
    // With servers of their own, two services may share a folder: what the other one says stays.
    if ((await readFile(file, 'utf8').catch(() => '')) === mine) await rm(file, { force: true });
  };
}

/** Of the service that runs on a data folder; what a killed one left behind counts for nothing. */
export async function findRunningAddress(dataDir: string): Promise<string | undefined> {
  return (await readAddresses(dataDir))?.baseUrl;
}

/** Of the Temporal that the service on a data folder uses. */
export async function findRunningTemporal(dataDir: string): Promise<string | undefined> {
  return (await readAddresses(dataDir))?.temporalAddress || undefined;
}

async function readAddresses(dataDir: string): Promise<{ baseUrl: string; temporalAddress: string } | undefined> {
  const text = await readFile(addressFile(dataDir), 'utf8').catch(() => '');
  const [baseUrl = '', identity = '', temporalAddress = ''] = text.split('\n');
  const isAddress = URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol);
  return isAddress && (await isRunning(identity)) ? { baseUrl, temporalAddress } : undefined;
}

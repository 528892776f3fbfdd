import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replacePrivateFile } from './private-files.ts';
import { isRunning, readProcessIdentity } from './processes.ts';
import { existsSync } from 'node:fs';
import { findPostmaster } from './postgres-cluster.ts';
import { StartupError } from '../errors.ts';
import { startPostgres } from './postgres.ts';

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

/** Finds the embedded Postgres that currently runs on a data folder. */
export async function findRunningPostgres(dataDir: string): Promise<{ pid: number; url: string } | undefined> {
  const folder = join(dataDir, 'postgres');
  const postmaster = await findPostmaster(folder).catch(() => undefined);
  const password = await readText(join(dataDir, 'postgres-password'));
  // The fourth line of the lock file is the port.
  const port = (await readText(join(folder, 'postmaster.pid')))?.split('\n')[3];
  if (!postmaster?.isReady || password === undefined || port === undefined) return undefined;
  return { pid: postmaster.pid, url: `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres` };
}

const readText = (file: string) =>
  readFile(file, 'utf8').then(
    (text) => text.trim() || undefined,
    () => undefined,
  );

/** Works on the database of a data folder. If no service runs on it, Postgres is started for the duration of the work. */
export async function withPostgres<T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> {
  const running = await findRunningPostgres(dataDir);
  if (running) return work(running.url);
  const folder = join(dataDir, 'postgres');
  if (!existsSync(join(folder, 'PG_VERSION')))
    throw new StartupError(`No database in ${dataDir}: set ROLLCALL_DATA_DIR to the data folder of the service.`);
  const passwordFile = join(dataDir, 'postgres-password');
  const password = (await readFile(passwordFile, 'utf8').catch(() => '')).trim();
  if (password === '') throw new StartupError(`${passwordFile} is missing or empty: restore it from the backup of the data folder.`);
  const postgres = await startPostgres({ dataDir: folder, password });
  try {
    return await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}

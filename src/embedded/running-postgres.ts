import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { findPostmaster } from './postgres-cluster.ts';
import { StartupError } from '../errors.ts';
import { startPostgres } from './postgres.ts';

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

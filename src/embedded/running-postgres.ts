import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPostmaster } from './postgres-cluster.ts';

/** The embedded Postgres that runs on a data folder now. */
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

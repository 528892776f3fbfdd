import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StartupError } from '../errors.ts';
import { readLastLine } from './child.ts';
import { toUnusableFolderError } from './data-folder.ts';
import { transferOwnership, transferFileOwnership, type PostgresUser } from './postgres-user.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { runCommand } from './processes.ts';

interface Cluster {
  binaries: PostgresBinaries;
  dataDir: string;
  user: PostgresUser;
}

export async function openPostgresCluster({ binaries, dataDir, user, password }: Cluster & { password: string }): Promise<void> {
  if (existsSync(join(dataDir, 'PG_VERSION'))) await assertSameMajor(dataDir, binaries.major);
  else await createCluster({ binaries, dataDir, user, password });
  await transferOwnership(dataDir, user);
}

async function assertSameMajor(dataDir: string, major: string) {
  const found = (await readFile(join(dataDir, 'PG_VERSION'), 'utf8')).trim();
  if (found !== major)
    throw new StartupError(
      `${dataDir} was created by Postgres ${found}, but this Rollcall includes Postgres ${major}: dump it with the old version and restore it, or set ROLLCALL_DATA_DIR to another folder.`,
    );
}

/** Creates the cluster beside its final place and renames it, so that a killed first start leaves nothing incomplete. */
async function createCluster({ binaries, dataDir, user, password }: Cluster & { password: string }) {
  try {
    await removeDrafts(dataDir);
    const draft = await mkdtemp(draftOf(dataDir));
    await transferOwnership(draft, user);
    const passwordFile = join(draft, 'password');
    await writeFile(passwordFile, password, { mode: 0o600 });
    await transferFileOwnership(passwordFile, user);
    await initialize({ binaries, dataDir: join(draft, 'data'), user, passwordFile });
    await rename(join(draft, 'data'), dataDir);
  } catch (error) {
    throw error instanceof StartupError ? error : toUnusableFolderError(dirname(dataDir), error);
  } finally {
    await removeDrafts(dataDir);
  }
}

const draftOf = (dataDir: string) => `${dataDir}.new-`;

/** Removes drafts of this start and of killed starts. Their initdb may still be writing; it fails in its own folder. */
async function removeDrafts(dataDir: string) {
  const drafts = (await readdir(dirname(dataDir))).filter((name) => name.startsWith(basename(draftOf(dataDir))));
  await Promise.allSettled(drafts.map((name) => rm(join(dirname(dataDir), name), { recursive: true, force: true })));
}

async function initialize({ binaries, dataDir, user, passwordFile }: Cluster & { passwordFile: string }) {
  const { code, output } = await runCommand(
    [
      ...user.prefix,
      binaries.initdb,
      `--pgdata=${dataDir}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ],
    user.spawnAs,
  );
  if (code !== 0)
    throw new StartupError(
      `Postgres could not initialize its data folder (${readLastLine(output)}): fix the problem, set ROLLCALL_DATA_DIR to another folder, or set DATABASE_URL.`,
    );
}

/**
 * Finds the postmaster that runs on a data folder. Its lock file survives a crash, and its process ID may belong to another process by
 * then.
 */
export async function findPostmaster(dataDir: string): Promise<{ pid: number; isReady: boolean } | undefined> {
  const lines = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0) || !(await worksIn(pid, dataDir))) return undefined;
  return { pid, isReady: lines[7]?.trim() === 'ready' };
}

/**
 * Removes the lock file of a dead postmaster: Postgres would take any live process with the recorded ID for its own. Must not be called
 * while a postmaster runs.
 */
export async function clearStaleLock(dataDir: string): Promise<void> {
  await rm(join(dataDir, 'postmaster.pid'), { force: true });
}

async function worksIn(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform !== 'linux') return (await runCommand(['ps', '-o', 'comm=', '-p', String(pid)])).output.includes('postgres');
  const [name, folder] = await Promise.all([
    readFile(`/proc/${pid}/comm`, 'utf8').catch(() => ''),
    readlink(`/proc/${pid}/cwd`).catch(() => ''),
  ]);
  return name.trim() === 'postgres' && (folder === '' || folder === (await realpath(dataDir)));
}

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../errors.ts';
import { ChildExitedError, startChild, type Child } from './child.ts';
import { defaultPredecessorWaitMs, toInUseMessage, lockDataFolder } from './lock-data-folder.ts';
import { findFreePort, assertFreePort } from './free-port.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { clearStaleLock, findPostmaster, openPostgresCluster } from './postgres-cluster.ts';
import { selectPostgresUser } from './postgres-user.ts';
import { supervise, type ServerLog, type Supervised } from './supervise.ts';

export interface EmbeddedPostgres extends Supervised {
  url: string;
  port: number;
}

export interface EmbeddedPostgresOptions {
  dataDir: string;
  port?: number;
  password: string;
  /** Further arguments for `postgres`, for tests. */
  flags?: string[];
  predecessorWaitMs?: number;
  log?: ServerLog;
}

export async function startPostgres({
  dataDir,
  port,
  password,
  flags = [],
  predecessorWaitMs = defaultPredecessorWaitMs,
  log = () => undefined,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = await findPostgresBinaries();
  const user = await selectPostgresUser(binaries.initdb);
  const lock = await lockDataFolder({ file: `${dataDir}.lock`, data: dataDir, predecessorWaitMs, log });
  try {
    await openPostgresCluster({ binaries, dataDir, user, password });
    if (port !== undefined) await assertFreePort(port, 'Postgres');
    const chosen = port ?? (await findFreePort());
    const settings = [`port=${chosen}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'lc_messages=C', 'max_connections=100'];
    const command = [...user.prefix, binaries.postgres, '-D', dataDir, ...settings.flatMap((setting) => ['-c', setting]), ...flags];
    const start = (signal: AbortSignal) =>
      startAfterPredecessor({
        dataDir,
        predecessorWaitMs,
        signal,
        start: () =>
          startChild({
            name: 'Postgres',
            command,
            // Fast shutdown; TERM would wait for every client to disconnect.
            stopSignal: 'INT',
            spawnAs: user.spawnAs,
            isReady: async (pid) => {
              const postmaster = await findPostmaster(dataDir);
              return postmaster?.pid === pid && postmaster.isReady;
            },
            // Replaying the log after a crash can take long.
            readyTimeoutMs: 600_000,
            signal,
          }),
      });
    const supervised = await supervise({ name: 'Postgres', start, log });
    log(`Postgres is ready on port ${chosen}: process ${supervised.pid()}.`);
    const url = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${chosen}/postgres`;
    await assertPassword(url, dataDir).catch(async (error: unknown) => {
      await supervised.stop();
      throw error;
    });
    const unlocking = (end: () => Promise<void>) => () => end().finally(() => lock.release());
    return {
      url,
      port: chosen,
      pid: supervised.pid,
      stop: unlocking(supervised.stop),
      kill: unlocking(supervised.kill),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** The password was set when the database was created. */
async function assertPassword(url: string, dataDir: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'rollcall start', connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    if ((error as { code?: string }).code !== '28P01') return;
    throw new StartupError(
      `The database in ${dataDir} does not accept the password in the file postgres-password beside it. Restore that file from the backup of the data folder: the database does not accept another password.`,
      { cause: error },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

interface AfterPredecessor {
  dataDir: string;
  predecessorWaitMs: number;
  start: () => Promise<Child>;
  signal: AbortSignal;
}

/** A postmaster that was interrupted or killed needs a moment to release its folder and its shared memory. */
async function startAfterPredecessor({ dataDir, predecessorWaitMs, start, signal }: AfterPredecessor): Promise<Child> {
  const deadline = Date.now() + predecessorWaitMs;
  for (;;) {
    const predecessor = await findPostmaster(dataDir);
    if (predecessor === undefined) {
      await clearStaleLock(dataDir);
      try {
        return await start();
      } catch (error) {
        const isClosing = error instanceof ChildExitedError && /postmaster\.pid" already exists|shared memory block/.test(error.output);
        if (!isClosing || Date.now() > deadline) throw error;
      }
    } else if (Date.now() > deadline) throw new StartupError(toInUseMessage(dataDir, predecessor.pid));
    await delay(50, undefined, { signal });
  }
}

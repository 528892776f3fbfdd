import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type EmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { findTemporal, startTemporal } from '../../src/embedded/temporal.ts';
import { packageRoot } from '../../src/paths.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { searchAttributes } from '../../src/temporal/names.ts';

/** Makes workflows continue as new early, without thousands of events. */
const shortHistories = ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=100'];

/** Each service has its own task queues, with few tasks. */
const fewPartitions = ['matching.numTaskqueueReadPartitions=1', 'matching.numTaskqueueWritePartitions=1'].flatMap((setting) => [
  '--dynamic-config-value',
  setting,
]);

const throwAwayData = ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off', '-c', 'max_connections=200'];

/** Each test file has a database of its own: in memory, a fifth of the processor time of creating it is left. */
const memory = '/dev/shm';
const minFreeBytes = 8 * 2 ** 30;

async function findFastFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= minFreeBytes ? memory : tmpdir();
}

/** Starts what all tests share. Returns a function that stops it. */
export async function startServers(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(await findFastFolder(), 'rollcall-test-'));
  const [postgres, temporal] = await Promise.all([
    startTemplate(join(folder, 'postgres')),
    findTemporal({
      binary: process.env['TEMPORAL_BINARY'],
      path: process.env['PATH'],
      root: packageRoot,
    }).then((command) =>
      startTemporal({ command, databaseFile: join(folder, 'temporal.db'), searchAttributes, flags: [...shortHistories, ...fewPartitions] }),
    ),
  ]);
  process.env['TEST_POSTGRES_URL'] = postgres.url;
  process.env['TEST_TEMPORAL_ADDRESS'] = temporal.address;
  // Runs workflows in the process of the test. A thread for each of three workers would take most of the time that a service needs to start.
  // The processes that tests start do not inherit it.
  process.env['TEMPORAL_DEBUG'] = '1';
  return async () => {
    await Promise.all([postgres.stop(), temporal.kill()]);
    await rm(folder, { recursive: true, force: true });
  };
}

async function startTemplate(dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await startPostgres({ dataDir, password: 'test', flags: throwAwayData });
  const admin = openDatabase(postgres.url);
  await admin.raw('create database rollcall_template');
  await admin.destroy();
  await migrate(postgres.url.replace(/\/postgres$/, '/rollcall_template'));
  return postgres;
}

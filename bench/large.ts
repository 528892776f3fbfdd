import { churn } from './large/churn.ts';
import { fillTables } from './large/fill.ts';
import { createLayout } from './large/layout.ts';
import { createLookups, type Lookups } from './large/lookups.ts';
import { measureMaintenance, measureTask } from './large/maintenance.ts';
import { pushModel } from './large/model.ts';
import { findSequentialScans, logPlans, type SequentialScan } from './large/sequential-scans.ts';
import { printTables, readTables } from './large/table-sizes.ts';
import type { Cleanup } from './support/cleanup.ts';
import { withDatabase } from './support/fill.ts';
import { introduce } from './support/machine.ts';
import { maxDirectories, type Options } from './support/options.ts';
import { startReceiver } from './support/receiver.ts';
import { startServers } from './support/servers.ts';
import { prepareRollcall, startRollcall } from './support/sides.ts';
import { formatNumber, printTarget, startTable } from './support/table.ts';
import { timeAlternately, type Times } from './support/time-alternately.ts';

const introduction = `
A large installation: directories, users, and the events of eight days with their deliveries. The rows are copied by COPY from those of one
pushed user. Then every list and look-up, whose plans must not read a large table as a whole; the sweep and retention; and the dead rows
that the changes of a day leave.
`;

const targetP95Ms = 50;
/** The changes of one of the eight days. */
const churnShare = 1 / 8;
const maxChanges = 500_000;

export async function measureLarge(options: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const sizes = { directories: maxDirectories(options, 32), users: options.users, events: options.events };
  const servers = await startServers(cleanup, { postgresFlags: logPlans });
  const environment = await prepareRollcall(servers);
  const databaseUrl = environment.DATABASE_URL;
  const first = await timeStart(() => startRollcall(servers, environment, cleanup));
  const receiver = await startReceiver(cleanup);
  const pushed = await pushModel(first.started, { environment, webhookUrl: receiver.url }, cleanup);
  await first.started.stop();

  const layout = createLayout(sizes);
  const filled = await fillTables(
    layout,
    { databaseUrl, encryptionKey: environment['ENCRYPTION_KEYS']!, webhookUrl: receiver.url },
    pushed,
  );
  return withDatabase(databaseUrl, async (db) => {
    const vacuum = await measureTask(db, () => db.raw('vacuum (analyze)'));
    const size = await readDatabaseSize(db);
    console.log(`\nfirst vacuum: ${formatNumber(vacuum.seconds)} s; database: ${formatNumber(size / 2 ** 30)} GiB`);

    const later = await timeStart(() => startRollcall(servers, environment, cleanup));
    console.log(
      `start and migration of an empty database: ${formatNumber(first.seconds)} s; start on the filled one: ${formatNumber(later.seconds)} s\n`,
    );
    const lookups = await createLookups(later.started, layout, cleanup);
    const times = await timeAlternately(lookups, options.requests);
    printLookups(times);
    const scans = await findSequentialScans(db, servers.postgresFolder, lookups);
    await later.started.stop();

    console.log('\nMaintenance:\n');
    const tasks = await measureMaintenance(db, cleanup.signal);

    const changes = Math.min(maxChanges, Math.round(sizes.events * churnShare));
    const before = await readTables(db);
    const churned = await measureTask(db, () => churn(db, layout, changes, cleanup.signal));
    const after = await readTables(db);
    const vacuumed = await measureTask(db, () => db.raw('vacuum'));
    const last = await readTables(db);
    console.log(
      `\n${churned.result as number} changes, each delivered: ${formatNumber(churned.seconds)} s, ${formatNumber(churned.walBytes / 2 ** 20)} MiB of WAL; vacuum: ${formatNumber(vacuumed.seconds)} s\n`,
    );
    printTables(before, after, last);
    const failures = printTargets({ times, later: later.seconds, scans });
    if (failures > 0) process.exitCode = 1;
    return {
      machine,
      sizes,
      filled,
      size,
      firstStart: first.seconds,
      laterStart: later.seconds,
      vacuum,
      times,
      scans,
      tasks,
      churned,
      before,
      after,
      last,
    };
  });
}

async function timeStart<Started>(start: () => Promise<Started>): Promise<{ started: Started; seconds: number }> {
  const startedMs = performance.now();
  const started = await start();
  return { started, seconds: (performance.now() - startedMs) / 1000 };
}

async function readDatabaseSize(db: Parameters<typeof readTables>[0]): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ bytes: string }] }>('select pg_database_size(current_database()) as bytes');
  return Number(rows[0].bytes);
}

function printLookups(times: Record<string, Times>) {
  const print = startTable([
    { title: 'list or look-up', width: 42 },
    { title: 'p50 ms', width: 6 },
    { title: 'p95 ms', width: 6 },
  ]);
  for (const [name, { p50Ms, p95Ms }] of Object.entries(times)) print([name, formatNumber(p50Ms), formatNumber(p95Ms)]);
}

/** Returns the number of plans that read a large table as a whole. */
function printTargets({ times, later, scans }: { times: Record<keyof Lookups, Times>; later: number; scans: SequentialScan[] }): number {
  console.log('');
  for (const { lookup, table, statement } of scans) console.log(`${lookup} reads all of ${table}: ${statement}`);
  printTarget({ title: 'plans that read a large table as a whole', value: scans.length, relation: '≤', bound: 0, unit: '' });
  const slowestP95Ms = Math.max(...Object.values(times).map(({ p95Ms }) => p95Ms));
  printTarget({ title: 'slowest list or look-up, p95', value: slowestP95Ms, relation: '≤', bound: targetP95Ms, unit: ' ms' });
  printTarget({ title: 'start on the filled database', value: later, relation: '<', bound: 5, unit: ' s' });
  return scans.length;
}

import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { createKeyring } from '../src/keyring.ts';
import { createWorkflowClient } from '../src/temporal/client.ts';
import { createCodec } from '../src/temporal/codec.ts';
import { deliveryWorkflowId } from '../src/temporal/names.ts';
import { createSyncSchedules } from '../src/temporal/sync-schedules.ts';
import { fillTables } from './large/fill.ts';
import { createLayout } from './large/layout.ts';
import { pushModel } from './large/model.ts';
import type { Cleanup } from './support/cleanup.ts';
import { createDirectories } from './support/directories.ts';
import { createLoad, createUserSource } from './support/load.ts';
import { introduce } from './support/machine.ts';
import { maxDirectories, type Options } from './support/options.ts';
import { assertProc, readCpuMs, readMemory } from './support/processes.ts';
import { startReceiver } from './support/receiver.ts';
import { startServers, type Servers } from './support/servers.ts';
import { prepareRollcall, startRollcall, startRollcallWorker } from './support/sides.ts';
import { formatNumber, printTarget, startTable } from './support/table.ts';

const introduction = `
Schedules of pulled directories and delivery workflows, one of each for every directory, in Temporal's development server; and one delivery
workflow whose history is filled by signals while its directory is written to, until it continues as new.
`;

const everySeconds = 86_400;
const concurrentWakes = 64;
/** Temporal suggests to continue as new after 4,096 events of history. */
const signals = 6_000;
const concurrentSignals = 16;
const loadSeconds = 20;

interface Step {
  title: string;
  seconds: number;
  temporalCpuMs: number;
  temporalMiB: number;
  fileMiB: number;
}

export async function measureTemporal(options: Options, cleanup: Cleanup): Promise<object> {
  assertProc();
  const machine = introduce(introduction);
  const count = maxDirectories(options, 32);
  const servers = await startServers(cleanup);
  const environment = await prepareRollcall(servers);
  const rollcall = await startRollcall(servers, environment, cleanup);
  const receiver = await startReceiver(cleanup);
  const pushed = await pushModel(rollcall, { environment, webhookUrl: receiver.url }, cleanup);
  const layout = createLayout({ directories: count, users: 0, events: 0 });
  const key = environment['ENCRYPTION_KEYS']!;
  await fillTables(layout, { databaseUrl: rollcall.databaseUrl, encryptionKey: key, webhookUrl: receiver.url }, pushed);
  const client = await connect(servers, key, cleanup);
  const calls = createWorkflowClient(client);

  const schedules = createSyncSchedules({
    client,
    everySeconds,
    listPulled: (after, limit) =>
      Promise.resolve(
        layout.ids
          .filter((id) => id > after)
          .slice(0, limit)
          .map((id) => ({ id, deactivated: false })),
      ),
  });
  const measure = createMeasure(servers);
  await measure(`${count} schedules created`, () => schedules.reconcile());
  await measure(`${count} schedules compared`, () => schedules.reconcile());
  const worker = await startRollcallWorker(environment, cleanup);
  await measure(`${count} deliveries woken and idle`, async () => {
    await forEach(layout.ids, concurrentWakes, (id) => calls.wakeDelivery(id));
    await untilTaken(rollcall.databaseUrl, cleanup.signal);
  });
  const idle = await client.workflow.getHandle(deliveryWorkflowId(layout.ids[0]!)).describe();
  console.log(`\nhistory of an idle delivery: ${idle.historyLength} events, ${idle.historySize ?? 0} bytes\n`);
  const [directory] = await createDirectories({ ...rollcall, count: 1, webhookUrl: receiver.url });
  const continued = await measure(`${signals} signals to one delivery, under load`, async () => {
    const before = receiver.received();
    const load = createLoad({ baseUrl: rollcall.baseUrl, writers: 8, signal: cleanup.signal });
    const [slice] = await Promise.all([
      load.run(createUserSource([directory!]), { seconds: loadSeconds }),
      forEach(Array.from({ length: signals }), concurrentSignals, () => calls.wakeDelivery(directory!.id)),
    ]);
    await load.close();
    while (receiver.received() - before < slice.done && !cleanup.signal.aborted) await sleep(50);
    return { created: slice.done, failed: slice.failures, received: receiver.received() - before };
  });
  // A delivery continues as new when its drain ends, and a hot one lasts for minutes. The end of its worker ends it earlier.
  await worker.stop();
  const next = await startRollcallWorker(environment, cleanup);
  const runs = await untilContinued(client, deliveryWorkflowId(directory!.id), cleanup.signal);
  await next.stop();
  console.log('');
  printTarget({ title: 'runs of that delivery', value: runs, relation: '≥', bound: 2, unit: '' });
  printTarget({
    title: 'webhooks of its events',
    value: continued.result.received / continued.result.created,
    relation: '≥',
    bound: 1,
    unit: 'x',
  });
  return { machine, count, steps: measure.steps, idle: { events: idle.historyLength, bytes: idle.historySize }, runs, continued };
}

async function connect(servers: Servers, key: string, cleanup: Cleanup): Promise<Client> {
  const connection = await Connection.connect({ address: servers.temporalAddress });
  cleanup.add(() => connection.close());
  const codec = createCodec(createKeyring([Buffer.from(key, 'base64')]));
  return new Client({ connection, dataConverter: { payloadCodecs: [codec] } });
}

function createMeasure({ temporalPid, temporalFile }: Servers) {
  const print = startTable([
    { title: 'step', width: 42 },
    { title: 'seconds', width: 8 },
    { title: 'Temporal CPU s', width: 14 },
    { title: 'memory MiB', width: 10 },
    { title: 'file MiB', width: 8 },
  ]);
  const steps: Step[] = [];
  const add = (step: Step) => {
    steps.push(step);
    const { title, seconds, temporalCpuMs, temporalMiB, fileMiB } = step;
    print([title, formatNumber(seconds), formatNumber(temporalCpuMs / 1000), formatNumber(temporalMiB), formatNumber(fileMiB)]);
  };
  async function measure<Result>(title: string, run: () => Promise<Result>): Promise<{ result: Result; seconds: number }> {
    const [startedMs, cpuMs] = [performance.now(), readCpuMs(temporalPid)];
    const result = await run();
    const seconds = (performance.now() - startedMs) / 1000;
    const fileMiB = (await stat(temporalFile)).size / 2 ** 20;
    add({ title, seconds, temporalCpuMs: readCpuMs(temporalPid) - cpuMs, temporalMiB: readMemory(temporalPid).rssKiB / 1024, fileMiB });
    return { result, seconds };
  }
  return Object.assign(measure, { steps });
}

async function forEach<Item>(items: Item[], concurrency: number, work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

/** Waits until every delivery lane was taken. */
async function untilTaken(databaseUrl: string, signal: AbortSignal): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query(
        `select from webhook_endpoints where epoch = 0 and status = 'active' and url is not null limit 1`,
      );
      if (rows.length === 0 || signal.aborted) return;
      await sleep(100);
    }
  } finally {
    await client.end();
  }
}

/** Returns the number of runs once there are two, or after some time. */
async function untilContinued(client: Client, workflowId: string, signal: AbortSignal): Promise<number> {
  const until = performance.now() + 30_000;
  for (;;) {
    const runs = await countRuns(client, workflowId);
    if (runs > 1 || performance.now() > until || signal.aborted) return runs;
    await sleep(500);
  }
}

async function countRuns(client: Client, workflowId: string): Promise<number> {
  let runs = 0;
  for await (const run of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs += Number(run.workflowId === workflowId);
  return runs;
}

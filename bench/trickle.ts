import { setTimeout as sleep } from 'node:timers/promises';
import { startDelivering } from './delivery/rollcall.ts';
import { createTimes, pushOne, untilAllArrived, type Times } from './delivery/times-to-arrive.ts';
import { createClient, type Client } from './support/client.ts';
import type { Cleanup } from './support/cleanup.ts';
import { createDirectories, type BenchDirectory } from './support/directories.ts';
import { introduce } from './support/machine.ts';
import { maxDirectories, type Options } from './support/options.ts';
import { assertProc, readCpuMs } from './support/processes.ts';
import { startReceiver } from './support/receiver.ts';
import { startServers } from './support/servers.ts';
import { median } from './support/statistics.ts';
import { formatNumber, printTarget, startTable } from './support/table.ts';

/** Time between the changes of one directory. */
const everyMs = 60_000;
const sliceSeconds = 40;

const introduction = `
Many directories with a slow, steady stream of changes: one every ${everyMs / 1000} s each. What their deliveries cost beside the changes themselves, in cores
of CPU time. Rollcall is one process.
`;

const parts = ['Rollcall', 'Postgres', 'Temporal'] as const;
type Cores = Record<(typeof parts)[number], number>;

interface Row {
  title: string;
  cores: Cores;
  p50Ms?: number;
  p95Ms?: number;
}

interface SliceOptions {
  /** Returns the directory that changes next. Undefined: nothing changes. */
  next: (() => BenchDirectory) | undefined;
  seconds: number;
  webhooks: boolean;
}

export async function measureTrickle(options: Options, cleanup: Cleanup): Promise<object> {
  assertProc();
  const machine = introduce(introduction);
  const [count, { rounds }] = [maxDirectories(options, 1_000), options];
  const servers = await startServers(cleanup);
  const rollcall = await startDelivering(servers, cleanup, { name: 'trickle' });
  let times = createTimes();
  const receiver = await startReceiver(cleanup, { onEvent: (id, atMs) => times.arrived(id, atMs) });
  const client = createClient({ baseUrl: rollcall.baseUrl, connections: 64, signal: cleanup.signal });
  const print = startTable([
    { title: '', width: 24 },
    ...[...parts, 'all'].map((title) => ({ title, width: 8 })),
    ...['p50 ms', 'p95 ms'].map((title) => ({ title, width: 6 })),
  ]);
  const pids = { Rollcall: rollcall.pid, Postgres: servers.postgresPid, Temporal: servers.temporalPid };
  const readAll = () => parts.map((part) => readCpuMs(pids[part]));
  const measure = async (title: string, { next, seconds: forSeconds, webhooks }: SliceOptions): Promise<Row> => {
    times = createTimes();
    const before = readAll();
    const startedMs = performance.now();
    if (next) await trickle(client, next, { pauseMs: everyMs / count, seconds: forSeconds, times, signal: cleanup.signal });
    else await sleep(forSeconds * 1000, undefined, { signal: cleanup.signal });
    // On a busy machine, the first wakes of many directories take a while.
    if (webhooks) await untilAllArrived(times, cleanup.signal, 180_000);
    const lastedMs = performance.now() - startedMs;
    const cores = Object.fromEntries(readAll().map((ms, index) => [parts[index]!, (ms - before[index]!) / lastedMs])) as Cores;
    const row = { title, cores, ...(webhooks && times.summarise()) };
    print([
      title,
      ...[...Object.values(cores), sum(cores)].map(formatNumber),
      ...(webhooks ? [row.p50Ms!, row.p95Ms!].map(formatNumber) : []),
    ]);
    return row;
  };

  const nextWithWebhook = rotate(await createDirectories({ ...rollcall, count, webhookUrl: receiver.url }));
  const nextWithoutWebhook = rotate(await createDirectories({ ...rollcall, count }));
  const warmUp = everyMs / 1000;
  await measure('first change of each', { next: nextWithoutWebhook, seconds: warmUp, webhooks: false });
  const idle = await measure('no change, none waits', { next: undefined, seconds: sliceSeconds / 2, webhooks: false });
  const first = await measure('and with webhooks', { next: nextWithWebhook, seconds: warmUp, webhooks: true });
  const [withThem, without]: [Row[], Row[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    withThem.push(await measure('with webhooks', { next: nextWithWebhook, seconds: sliceSeconds, webhooks: true }));
    without.push(await measure('without', { next: nextWithoutWebhook, seconds: sliceSeconds / 2, webhooks: false }));
  }
  // Waiting deliveries have a cost too, which must not be subtracted with that of the changes without webhooks.
  const waiting = await measure('no change, all wait', { next: undefined, seconds: sliceSeconds / 2, webhooks: false });
  await client.close();
  await rollcall.stop();
  console.log('');
  const coresOf = (rows: Row[]) => median(rows.map(({ cores }) => sum(cores)));
  const deliveries = coresOf(withThem) - coresOf(without) + (sum(waiting.cores) - sum(idle.cores));
  const p95Ms = median(withThem.map((row) => row.p95Ms!));
  printTarget({ title: `deliveries of ${count} directories, % of a core`, value: deliveries * 100, relation: '<', bound: 15, unit: '' });
  printTarget({ title: `arrival from ${count} directories, p95`, value: p95Ms, relation: '≤', bound: 100, unit: ' ms' });
  return { machine, count, idle, first, withThem, waiting, without, deliveries, p95Ms };
}

const sum = (cores: Cores) => Object.values(cores).reduce((total, part) => total + part, 0);

/** Rotates through the directories, so that changes are spread evenly. */
function rotate(directories: BenchDirectory[]): () => BenchDirectory {
  let turn = 0;
  return () => directories[(turn += 1) % directories.length]!;
}

interface TrickleOptions {
  /** Time between two changes. */
  pauseMs: number;
  seconds: number;
  times: Times;
  signal: AbortSignal;
}

async function trickle(client: Client, next: () => BenchDirectory, { pauseMs, seconds, times, signal }: TrickleOptions): Promise<void> {
  const startedMs = performance.now();
  const pushed: Promise<void>[] = [];
  for (let change = 0; change < (seconds * 1000) / pauseMs; change += 1) {
    await sleep(Math.max(0, startedMs + change * pauseMs - performance.now()), undefined, { signal });
    const pushing = pushOne(client, next(), times);
    // A failure is reported at the end.
    pushing.catch(() => undefined);
    pushed.push(pushing);
  }
  await Promise.all(pushed);
}

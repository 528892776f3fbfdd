import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client } from '../support/client.ts';
import type { Closing } from '../support/closing.ts';
import { createDirectories, type BenchDirectory } from '../support/directories.ts';
import { readCpuMs } from '../support/processes.ts';
import { startReceiver } from '../support/receiver.ts';
import type { Servers } from '../support/servers.ts';
import { formatNumber, printTarget, startTable } from '../support/table.ts';
import { startDelivering } from './rollcall.ts';
import { createTimes, pushOne, untilAllArrived, type Times } from './times-to-arrive.ts';

/** `everyMs` is the time between the changes of a directory. */
const size = { directories: 1_000, everyMs: 60_000, baseSeconds: 30, seconds: 120 };
const warmUpSeconds = 10;
const parts = ['Rollcall', 'Postgres', 'Temporal'] as const;
type Cores = Record<(typeof parts)[number], number>;

interface Row {
  title: string;
  cores: Cores;
  p50Ms?: number;
  p95Ms?: number;
}

/** Many directories with a slow, steady stream of changes: what their deliveries cost beside the changes themselves. */
export async function measureTrickle(
  servers: Servers,
  closing: Closing,
  { directories: count, everyMs, baseSeconds, seconds } = size,
): Promise<object> {
  console.log(`\n${count} directories with a change every ${everyMs / 1000} s. CPU time in cores:\n`);
  const rollcall = await startDelivering(servers, closing, { name: 'trickle' });
  let times = createTimes();
  const receiver = await startReceiver(closing, { onEvent: (id, atMs) => times.arrived(id, atMs) });
  const client = createClient({ baseUrl: rollcall.baseUrl, connections: 64, signal: closing.signal });
  const print = startTable([
    { title: '', width: 24 },
    ...[...parts, 'all'].map((title) => ({ title, width: 8 })),
    ...['p50 ms', 'p95 ms'].map((title) => ({ title, width: 6 })),
  ]);
  const pids = { Rollcall: rollcall.pid, Postgres: servers.postgresPid, Temporal: servers.temporalPid };
  const readAll = () => parts.map((part) => readCpuMs(pids[part]));
  const measure = async (title: string, directories: BenchDirectory[], forSeconds: number, webhooks: boolean): Promise<Row> => {
    times = createTimes();
    const before = readAll();
    const startedMs = performance.now();
    await trickle(client, directories, { everyMs, seconds: forSeconds, times, signal: closing.signal });
    if (webhooks) await untilAllArrived(times, closing.signal);
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

  const silent = await createDirectories({ ...rollcall, count, webhookUrl: undefined });
  await measure('warm-up', silent, warmUpSeconds, false);
  const without = await measure('without webhooks', silent, baseSeconds, false);
  const heard = await createDirectories({ ...rollcall, count, webhookUrl: receiver.url });
  const first = await measure('first change of each', heard, everyMs / 1000, true);
  const withThem = await measure('with webhooks', heard, seconds, true);
  await client.close();
  await rollcall.stop();
  console.log('');
  const deliveries = sum(withThem.cores) - sum(without.cores);
  printTarget({ title: `deliveries of ${count} directories, % of a core`, value: deliveries * 100, relation: '<', bound: 15, unit: '' });
  printTarget({ title: 'arrival at a steady trickle, p95', value: withThem.p95Ms!, relation: '≤', bound: 100, unit: ' ms' });
  return { without, first, withThem, deliveries };
}

const sum = (cores: Cores) => Object.values(cores).reduce((total, part) => total + part, 0);

interface TrickleOptions {
  everyMs: number;
  seconds: number;
  times: Times;
  signal: AbortSignal;
}

/** The directories take turns, so that changes are spread evenly. */
async function trickle(client: Client, directories: BenchDirectory[], { everyMs, seconds, times, signal }: TrickleOptions): Promise<void> {
  const pauseMs = everyMs / directories.length;
  const changes = Math.round((seconds * 1000) / pauseMs);
  const startedMs = performance.now();
  const pushed: Promise<void>[] = [];
  for (let change = 0; change < changes; change += 1) {
    await sleep(Math.max(0, startedMs + change * pauseMs - performance.now()), undefined, { signal });
    pushed.push(pushOne(client, directories[change % directories.length]!, times));
  }
  await Promise.all(pushed);
}

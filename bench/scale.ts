import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from './support/cleanup.ts';
import { createDirectories } from './support/directories.ts';
import { createLoad, createUserSource, type Source } from './support/load.ts';
import { introduce } from './support/machine.ts';
import { maxDirectories, type Options } from './support/options.ts';
import { assertProc, readCpuMs } from './support/processes.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { startServers, type Servers } from './support/servers.ts';
import { prepareRollcall, startRollcall, startRollcallWorker, type RunningSide } from './support/sides.ts';
import { median } from './support/statistics.ts';
import { formatNumber, printTarget, startTable } from './support/table.ts';

const counts = [1, 2, 4];
const writersPerProcess = 64;
const targetRatio = 1.25;
const warmUpSeconds = 5;
const drainMs = 60_000;
const parts = ['api', 'worker', 'Postgres', 'Temporal', 'load'] as const;
type Part = (typeof parts)[number];
type PerPart = Record<Part, number>;

const introduction = `
Users created in directories with webhooks, through 1, 2 and 4 API processes, with as many workers, on one Postgres and one Temporal
(the development server, or \`--temporal-server\`). The writers and the webhook receiver are a process of their own, \`load\`. Once all processes share ${writersPerProcess} writers, and
once each API process has ${writersPerProcess}. CPU time per change is measured until the last webhook has arrived. Everything shares the cores of this machine.
`;

interface Installation {
  servers: Servers;
  apis: RunningSide[];
  workers: { pid: number }[];
  receiver: Receiver;
}

interface ScaleSlice {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Cores in use while the writers write. */
  cores: PerPart;
  /** CPU time per change and its delivery. */
  cpuMs: PerPart;
}

interface Row extends ScaleSlice {
  processes: number;
  writers: number;
}

export async function measureScale(options: Options, cleanup: Cleanup): Promise<object> {
  assertProc();
  const directories = maxDirectories(options, 32);
  const machine = introduce(introduction);
  console.log(`Directories: ${directories}\n`);
  const servers = await startServers(cleanup, options);
  const environment = await prepareRollcall(servers);
  const installation: Installation = { servers, apis: [], workers: [], receiver: await startReceiver(cleanup) };
  let source: Source | undefined;
  const print = startTable([
    { title: 'processes', width: 9 },
    { title: 'writers', width: 7 },
    ...['changes/s', 'p50 ms', 'p99 ms'].map((title) => ({ title, width: 9 })),
    ...parts.map((part) => ({ title: `${part}: ms, cores`, width: 19 })),
  ]);
  const rows: Row[] = [];
  for (const processes of counts) {
    while (installation.apis.length < processes) {
      installation.apis.push(await startRollcall(servers, environment, cleanup));
      installation.workers.push(await startRollcallWorker(environment, cleanup));
    }
    const [api] = installation.apis;
    source ??= createUserSource(await createDirectories({ ...api!, count: directories, webhookUrl: installation.receiver.url }));
    for (const writers of new Set([writersPerProcess, writersPerProcess * processes])) {
      const row = { processes, writers, ...(await measureRounds(installation, { ...options, writers, source }, cleanup)) };
      rows.push(row);
      const { perSecond, p50Ms, p99Ms, cpuMs, cores } = row;
      print([
        String(processes),
        String(writers),
        ...[perSecond, p50Ms, p99Ms].map(formatNumber),
        ...parts.map((part) => `${formatNumber(cpuMs[part])}, ${formatNumber(cores[part])}`),
      ]);
    }
  }
  printScaleTarget(rows, options);
  return { machine, options, rows };
}

interface SliceOptions {
  seconds: number;
  writers: number;
  source: Source;
}

async function measureRounds(
  installation: Installation,
  { rounds, ...options }: SliceOptions & { rounds: number },
  cleanup: Cleanup,
): Promise<ScaleSlice> {
  await measureSlice(installation, { ...options, seconds: warmUpSeconds }, cleanup);
  const slices: ScaleSlice[] = [];
  for (let round = 0; round < rounds; round += 1) slices.push(await measureSlice(installation, options, cleanup));
  const medianOf = (read: (slice: ScaleSlice) => number) => median(slices.map(read));
  return {
    perSecond: medianOf(({ perSecond }) => perSecond),
    p50Ms: medianOf(({ p50Ms }) => p50Ms),
    p99Ms: medianOf(({ p99Ms }) => p99Ms),
    cores: perPart((part) => medianOf(({ cores }) => cores[part])),
    cpuMs: perPart((part) => medianOf(({ cpuMs }) => cpuMs[part])),
  };
}

async function measureSlice(
  installation: Installation,
  { seconds, writers, source }: SliceOptions,
  { signal }: Cleanup,
): Promise<ScaleSlice> {
  const { apis, receiver } = installation;
  const loads = apis.map(({ baseUrl }) => createLoad({ baseUrl, writers: writers / apis.length, signal }));
  const [received, before, startedMs] = [receiver.received(), readCpus(installation), performance.now()];
  const slices = await Promise.all(loads.map((load) => load.run(source, { seconds })));
  const [after, elapsedMs] = [readCpus(installation), performance.now() - startedMs];
  const failed = slices.find(({ failures }) => failures > 0);
  if (failed) throw new Error(`A change failed: ${failed.firstFailure}`);
  const done = slices.reduce((sum, slice) => sum + slice.done, 0);
  await untilReceived(receiver, received + done, signal);
  const drained = readCpus(installation);
  await Promise.all(loads.map((load) => load.close()));
  return {
    perSecond: (done / elapsedMs) * 1000,
    p50Ms: median(slices.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...slices.map(({ p99Ms }) => p99Ms)),
    cores: perPart((part) => (after[part] - before[part]) / elapsedMs),
    cpuMs: perPart((part) => (drained[part] - before[part]) / done),
  };
}

async function untilReceived(receiver: Receiver, count: number, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + drainMs;
  while (receiver.received() < count) {
    if (performance.now() > deadline) throw new Error(`${count - receiver.received()} webhooks did not arrive within ${drainMs} ms.`);
    await sleep(20, undefined, { signal });
  }
}

function readCpus({ servers, apis, workers }: Installation): PerPart {
  const { user, system } = process.cpuUsage();
  return {
    api: sumCpuMs(apis.map(({ pids }) => pids['node']!)),
    worker: sumCpuMs(workers.map(({ pid }) => pid)),
    Postgres: readCpuMs(servers.postgresPid),
    // Includes the Postgres that it stores workflows in, if it has one.
    Temporal: sumCpuMs([servers.temporalPid, servers.temporalPostgresPid ?? []].flat()),
    load: (user + system) / 1000,
  };
}

const sumCpuMs = (pids: number[]) => pids.reduce((total, pid) => total + readCpuMs(pid), 0);
const perPart = (read: (part: Part) => number) => Object.fromEntries(parts.map((part) => [part, read(part)])) as PerPart;

function printScaleTarget(rows: Row[], { temporalServer }: Options) {
  const sumOf = ({ cpuMs }: Row) => cpuMs.api + cpuMs.worker + cpuMs.Postgres + cpuMs.Temporal;
  const [first, last] = [rows[0]!, rows.at(-1)!];
  console.log('');
  printTarget({
    title: `CPU time per change, ${last.processes} API processes with ${writersPerProcess} writers each vs one${temporalServer ? ", on Temporal's own server" : ''}`,
    value: sumOf(last) / sumOf(first),
    relation: '≤',
    bound: targetRatio,
    unit: 'x',
  });
}

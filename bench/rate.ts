import { startDelivering } from './delivery/rollcall.ts';
import { createEntraRequests } from './rate/entra-requests.ts';
import { sendAtRate, type KindOfRequest, type SentRequest } from './rate/send-at-rate.ts';
import type { Cleanup } from './support/cleanup.ts';
import { createDirectories } from './support/directories.ts';
import { createUserSource, type Source } from './support/load.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { readCpuMs } from './support/processes.ts';
import { startReceiver } from './support/receiver.ts';
import { startServers } from './support/servers.ts';
import { percentile } from './support/statistics.ts';
import { formatNumber, printTarget, startTable } from './support/table.ts';

const perSecond = 25;
const [otherDirectories, othersPerSecond] = [200, 20];
const [warmUpSeconds, seconds] = [3, 20];
const targetP99Ms = 250;

const introduction = `
One directory with a webhook gets ${perSecond} requests a second, as many as Entra asks of the applications in its gallery, in the mix that Entra sends.
${otherDirectories} other directories get ${othersPerSecond} new users a second together. Rollcall is one process with its default settings. Requests are sent at fixed
times, whether earlier ones are finished or not, for ${seconds} s; a time is measured from when the request was due.
`;

export async function measureRate(_options: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const servers = await startServers(cleanup);
  const rollcall = await startDelivering(servers, cleanup, { name: 'rate' });
  const receiver = await startReceiver(cleanup);
  const [measured] = await createDirectories({ ...rollcall, count: 1, webhookUrl: receiver.url });
  const others = await createDirectories({ ...rollcall, count: otherDirectories });
  const { signal } = cleanup;
  const { baseUrl } = rollcall;
  const next = await createEntraRequests(measured!, { baseUrl, signal });
  const nextOfOthers = withKind(createUserSource(others));
  const send = (duration: number) =>
    Promise.all([
      sendAtRate(next, { baseUrl, perSecond, seconds: duration, signal }),
      sendAtRate(nextOfOthers, { baseUrl, perSecond: othersPerSecond, seconds: duration, signal }),
    ]);

  await send(warmUpSeconds);
  const pids = { Rollcall: rollcall.pid, Postgres: servers.postgresPid, Temporal: servers.temporalPid };
  const readCpus = () => Object.entries(pids).map(([part, pid]) => ({ part, cpuMs: readCpuMs(pid) }));
  const [before, startedMs] = [readCpus(), performance.now()];
  const [results, ofOthers] = await send(seconds);
  const elapsedMs = performance.now() - startedMs;
  const cores = readCpus().map(({ part, cpuMs }, index) => ({ part, cores: (cpuMs - before[index]!.cpuMs) / elapsedMs }));

  const figures = printKinds([...results, ...ofOthers]);
  console.log(`\ncores in use: ${cores.map(({ part, cores: share }) => `${part} ${formatNumber(share)}`).join(', ')}`);
  console.log(`webhooks received: ${receiver.received()}\n`);
  printTargets(results, ofOthers);
  return { machine, figures, cores, webhooks: receiver.received() };
}

const withKind = (source: Source) => (): KindOfRequest => ({ kind: 'others: create', request: source(0) });

function printKinds(results: SentRequest[]) {
  const print = startTable([
    { title: '', width: 18 },
    { title: 'requests', width: 8 },
    ...['p50', 'p95', 'p99', 'max'].map((title) => ({ title: `${title} ms`, width: 7 })),
  ]);
  const kinds = [...new Set(results.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const times = sortTimes(results.filter((result) => result.kind === kind));
    const [p50Ms, p95Ms, p99Ms, maxMs] = [0.5, 0.95, 0.99, 1].map((share) => percentile(times, share));
    print([kind, String(times.length), ...[p50Ms!, p95Ms!, p99Ms!, maxMs!].map(formatNumber)]);
    return { kind, requests: times.length, p50Ms, p95Ms, p99Ms, maxMs };
  });
}

function printTargets(results: SentRequest[], ofOthers: SentRequest[]) {
  const failures = [...results, ...ofOthers].flatMap(({ kind, failure }) => (failure === undefined ? [] : [`${kind}: ${failure}`]));
  if (failures.length > 0) console.log(`The first failure: ${failures[0]}`);
  const title = `${perSecond} requests/s to one directory beside ${otherDirectories}`;
  printTarget({ title: `${title}: 429, 5xx and other failures`, value: failures.length, relation: '≤', bound: 0, unit: '' });
  printTarget({ title: `${title}, p99`, value: percentile(sortTimes(results), 0.99), relation: '<', bound: targetP99Ms, unit: ' ms' });
}

const sortTimes = (results: SentRequest[]) => results.map(({ ms }) => ms).toSorted((a, b) => a - b);

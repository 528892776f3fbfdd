import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../src/paths.ts';
import { measureKeyMemory } from './limits/key-memory.ts';
import { printTarget, formatNumber, startTable } from './support/table.ts';
import { alternate, compare, type Summary } from './support/alternate.ts';
import { createClient, type Client, type ScimRequest } from './support/client.ts';
import type { Cleanup } from './support/cleanup.ts';
import { createDirectories } from './support/directories.ts';
import { installPackages } from './support/install.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { timeAlternately, type Times } from './support/time-alternately.ts';
import { makeFolder, startServers } from './support/servers.ts';
import { startService } from './support/service.ts';
import { prepareRollcall, startRollcall } from './support/sides.ts';
import { createUser, makeUser, nextTag } from './support/users.ts';

const introduction = `
The cost of rate limits. One reader gets one user by SCIM, alternately from a service without limits and one that counts in memory.
Then eight gateways ask /api/v1/limits/decision about requests of 100 projects, compared with koa-ratelimit 6.0.0, which is asked over
HTTP in the same way. koa-ratelimit counts one window of a minute per project; Rollcall reads the path, finds the bucket of the
project's plan, and slides a window of a second and one of a minute. Last, the memory that 1,000,000 addresses use.
`;

const targets = { costRatio: 1.05, decisionsRatio: 0.5, keysMiB: 200 };
const projectCount = 100;
const gateways = 8;
/** The difference is small and requires many reads. */
const readsPerRequest = 20;
const keys = 1_000_000;
const unreachableLimit = { rps: 1_000_000, rpm: 60_000_000 };

export async function measureLimits(options: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const servers = await startServers(cleanup);
  const environment = await prepareRollcall(servers);
  const limited = {
    ...environment,
    LIMITS_PLAN: 'enterprise',
    TRUSTED_PROXIES: '127.0.0.0/8',
    LIMITS_PROJECTS_FILE: await writeProjects(cleanup),
  };
  const without = await startRollcall(servers, environment, cleanup);
  const withLimits = await startRollcall(servers, limited, cleanup);

  const reading = await readUser(without.baseUrl, without.apiKey, cleanup);
  const read = (client: Client) => async () => {
    const { ms, failure } = await client.send(reading);
    if (failure !== undefined) throw new Error(failure);
    return ms;
  };
  const [off, on] = [without, withLimits].map(({ baseUrl }) => createClient({ baseUrl, signal: cleanup.signal }));
  for (const client of [off!, on!]) cleanup.add(() => client.close());
  // In alternation, so that noise affects both sides.
  const cost = await timeAlternately({ without: read(off!), 'with limits': read(on!) }, options.requests * readsPerRequest);
  printReads(cost);

  const inPostgres = await startRollcall(servers, { ...limited, LIMITS_STORE: 'postgres' }, cleanup);
  const peer = await startPeer(cleanup);
  let requests = 0;
  const requestDecision = (): ScimRequest => ({
    method: 'GET',
    path: '/api/v1/limits/decision/sessions/whoami',
    secret: `key-of-p${(requests += 1) % projectCount}`,
    headers: { 'x-rollcall-project': `p${requests % projectCount}` },
    statuses: [200],
  });
  const decisions = await alternate(
    [
      { name: 'Rollcall', baseUrl: withLimits.baseUrl, pids: {}, source: requestDecision },
      { name: 'koa-ratelimit', baseUrl: peer.baseUrl, pids: {}, source: requestDecision },
      { name: 'Rollcall, in Postgres', baseUrl: inPostgres.baseUrl, pids: {}, source: requestDecision },
    ],
    { ...options, writers: gateways },
    cleanup,
  );
  print('\ndecisions', decisions.summaries);

  const memory = await measureKeyMemory(keys);
  console.log('');
  for (const { title, heapMiB } of memory) console.log(`${title}: ${heapMiB.toFixed(0)} MiB`);
  console.log('');
  printTarget({
    title: 'SCIM read with limits vs without, p50',
    value: cost['with limits'].p50Ms / cost.without.p50Ms,
    relation: '≤',
    bound: targets.costRatio,
    unit: 'x',
  });
  const [ours, theirs] = [decisions.summaries.Rollcall!, decisions.summaries['koa-ratelimit']!];
  printTarget({
    title: 'decisions/s vs koa-ratelimit, in memory',
    value: compare(ours.slices, theirs.slices, 'perSecond'),
    relation: '≥',
    bound: targets.decisionsRatio,
    unit: 'x',
  });
  printTarget({ title: `memory for ${keys} keys`, value: memory[0]!.heapMiB, relation: '<', bound: targets.keysMiB, unit: ' MiB' });
  return { machine, options, cost, decisions, memory };
}

/** Writes projects with limits that are never reached, because a rejection would be faster. */
async function writeProjects(cleanup: Cleanup): Promise<string> {
  const file = join(await makeFolder(cleanup), 'projects.json');
  const overrides = ['/scim/**', '/sessions/whoami', '*'].map((bucket) => ({ bucket, ...unreachableLimit }));
  const ids = ['default', ...Array.from({ length: projectCount }, (_, index) => `p${index}`)];
  await writeFile(file, JSON.stringify(ids.map((id) => ({ id, plan: 'enterprise', environment: 'production', overrides }))));
  return file;
}

async function readUser(baseUrl: string, apiKey: string, { signal }: Cleanup): Promise<ScimRequest> {
  const [directory] = await createDirectories({ baseUrl, apiKey, count: 1 });
  const client = createClient({ baseUrl, signal });
  const { id } = await client.fetch<{ id: string }>(createUser(directory!, makeUser(nextTag())));
  await client.close();
  return { method: 'GET', path: `${directory!.scimPath}/Users/${id}`, secret: directory!.secret, statuses: [200] };
}

function startPeer(cleanup: Cleanup) {
  installPackages('bench/peers');
  const command = [process.execPath, join(packageRoot, 'bench/peers/ratelimit-server.mjs')];
  return startService({ name: 'koa-ratelimit', command, environment: {} }, cleanup);
}

function print(title: string, summaries: Partial<Record<string, Summary>>) {
  const row = startTable([
    { title, width: 22 },
    { title: 'a second', width: 9 },
    { title: 'p50 ms', width: 7 },
    { title: 'p95 ms', width: 7 },
    { title: 'failed', width: 6 },
  ]);
  for (const [name, summary] of Object.entries(summaries))
    row([name, formatNumber(summary!.perSecond), formatNumber(summary!.p50Ms), formatNumber(summary!.p95Ms), String(summary!.failures)]);
}

function printReads(times: Record<string, Times>) {
  const row = startTable([
    { title: 'a SCIM read', width: 22 },
    { title: 'p50 ms', width: 7 },
    { title: 'p95 ms', width: 7 },
  ]);
  for (const [name, { p50Ms, p95Ms }] of Object.entries(times)) row([name, formatNumber(p50Ms), formatNumber(p95Ms)]);
}

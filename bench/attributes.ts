import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { toggleMembers } from './attributes/toggle-members.ts';
import { alternate, compare, type Contender } from './support/alternate.ts';
import type { Cleanup } from './support/cleanup.ts';
import { createClient } from './support/client.ts';
import { createDirectories, type BenchDirectory } from './support/directories.ts';
import { fillUsers, withDatabase } from './support/fill.ts';
import { createLoad, createToggleSource, createUserSource, type Slice, type Source } from './support/load.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { startServers } from './support/servers.ts';
import { prepareRollcall, startRollcall, startRollcallWorker, type RunningSide } from './support/sides.ts';
import { median } from './support/statistics.ts';
import { formatNumber, printTarget, startTable } from './support/table.ts';
import { createUsers } from './support/users.ts';

const introduction = `
Pushes to a directory with an attribute schema, a mapping and a role table, and to one without: a user is created, changed, and joins or leaves a
group that the role table names, or one that it does not name. Slices with the same number of requests alternate. Then the mapping of a large directory is replaced: users computed
per second, and creates in another directory meanwhile. Its users were inserted by SQL.
`;

const [targetSlowdown, targetUsersPerSecond, targetIntake] = [1.15, 3_000, 1.3];
const [writers, usersPerWriter] = [8, 4];
const [namedGroup, otherGroup] = ['Group 1', 'Others'];
const product = 'bench-attributes';
/** The benchmark fails after this time. */
const timeoutMs = 600_000;

const attributes = ['job_title', 'department_name', 'manager_email', 'employee_number', 'cost_center_name', 'username', 'emails'];
const mapping = {
  job_title: { first_of: [{ path: 'title' }, { constant: 'none' }], case: 'lower' },
  department_name: { path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department' },
};
const roles = {
  groups: Array.from({ length: 20 }, (_, index) => ({ group_name: `Group ${index + 1}`, role: `role-${index}` })),
  default_role: 'member',
  multiple: true,
};

type Name = 'plain' | 'mapped';
const names = ['plain', 'mapped'] as const;

export async function measureAttributes(options: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const servers = await startServers(cleanup);
  const environment = await prepareRollcall(servers);
  const side = await startRollcall(servers, environment, cleanup);
  await startRollcallWorker(environment, cleanup);
  const [plain] = (await createDirectories({ ...side, count: 1 })) as [BenchDirectory];
  const [mapped, large] = (await createDirectories({ ...side, count: 2, product })) as [BenchDirectory, BenchDirectory];
  const put = createPut(side);
  await put('/api/v1/attribute-schemas', { product, attributes: attributes.map((name) => ({ name })) });
  for (const { id } of [mapped, large]) {
    await put(`/api/v1/directory-sync/${id}/mapping`, { attributes: mapping });
    await put(`/api/v1/directory-sync/${id}/roles`, roles);
  }
  const pushes = await measurePushes({ plain, mapped }, { side, options, cleanup });
  const recompute = await measureRecompute({ large, other: plain }, { side, options, cleanup, put });
  return { machine, options, pushes, recompute };
}

interface Given {
  side: RunningSide;
  options: Options;
  cleanup: Cleanup;
}

async function measurePushes(directories: Record<Name, BenchDirectory>, { side, options, cleanup }: Given): Promise<object> {
  const client = createClient({ baseUrl: side.baseUrl, connections: writers, signal: cleanup.signal });
  const kinds: [title: string, createSource: (directory: BenchDirectory) => Promise<Source>][] = [
    ['create', (directory) => Promise.resolve(createUserSource([directory]))],
    [
      'update',
      async (directory) => {
        const users = Array.from({ length: writers }, () => createUsers(client, Array<BenchDirectory>(usersPerWriter).fill(directory)));
        return createToggleSource(await Promise.all(users));
      },
    ],
    ['member, not in the table', (directory) => toggleMembers(client, directory, { displayName: otherGroup, writers })],
    ['member, in the table', (directory) => toggleMembers(client, directory, { displayName: namedGroup, writers })],
  ];
  const print = startTable([
    { title: '', width: 24 },
    ...names.flatMap((name) => ['per second', 'p95 ms'].map((title) => ({ title: `${name}: ${title}`, width: 19 }))),
    { title: 'slower', width: 7 },
  ]);
  const rows: Record<string, { slower: number; slices: Record<Name, Slice[]> }> = {};
  for (const [title, createSource] of kinds) {
    const contenders: Contender<Name>[] = [];
    for (const name of names)
      contenders.push({ name, baseUrl: side.baseUrl, pids: side.pids, source: await createSource(directories[name]) });
    const { summaries } = await alternate(contenders, { ...options, writers }, cleanup);
    const slices = { plain: summaries.plain!.slices, mapped: summaries.mapped!.slices };
    const slower = compare(slices.plain, slices.mapped, 'perSecond');
    rows[title] = { slower, slices };
    print([
      title,
      ...names.flatMap((name) => [summaries[name]!.perSecond, summaries[name]!.p95Ms].map(formatNumber)),
      `${formatNumber(slower)}x`,
    ]);
  }
  await client.close();
  console.log('');
  for (const [title, { slower }] of Object.entries(rows))
    printTarget({ title: `${title} with mapping and roles: slower`, value: slower, relation: '≤', bound: targetSlowdown, unit: 'x' });
  return rows;
}

async function measureRecompute(
  { large, other }: { large: BenchDirectory; other: BenchDirectory },
  { side, options, cleanup, put }: Given & { put: ReturnType<typeof createPut> },
): Promise<object> {
  const client = createClient({ baseUrl: side.baseUrl, connections: 1, signal: cleanup.signal });
  await withDatabase(side.databaseUrl, (db) => fillUsers(db, { client, directory: large, count: options.users }));
  await client.close();
  const load = createLoad({ baseUrl: side.baseUrl, writers: 1, signal: cleanup.signal });
  const creates = (seconds: number) => load.run(createUserSource([other]), { seconds });
  await creates(options.seconds);
  const [alone, beside, perSecond]: [Slice[], Slice[], number[]] = [[], [], []];
  for (let round = 0; round < options.rounds; round += 1) {
    alone.push(await creates(options.seconds));
    const startedMs = performance.now();
    await put(`/api/v1/directory-sync/${large.id}/mapping`, {
      attributes: { ...mapping, job_title: { constant: `round ${round}` } },
    });
    const computing = untilComputed(side, large, cleanup).then(() => performance.now() - startedMs);
    beside.push(await creates(options.seconds));
    perSecond.push(options.users / ((await computing) / 1000));
  }
  await load.close();
  console.log(
    `\ncreates of one writer: p95 ${formatNumber(p95Of(alone))} ms alone, ${formatNumber(p95Of(beside))} ms during a recomputation`,
  );
  printTarget({ title: 'users computed per second', value: median(perSecond), relation: '≥', bound: targetUsersPerSecond, unit: '' });
  const value = p95Of(beside) / p95Of(alone);
  printTarget({ title: 'creates during a recomputation, p95: slower', value, relation: '≤', bound: targetIntake, unit: 'x' });
  return { alone, beside, perSecond };
}

const p95Of = (slices: Slice[]) => median(slices.map(({ p95Ms }) => p95Ms));

const headersOf = ({ apiKey }: RunningSide) => ({ authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' });

const createPut = (side: RunningSide) => async (path: string, content: object) => {
  const { statusCode, body } = await request(`${side.baseUrl}${path}`, {
    method: 'PUT',
    headers: headersOf(side),
    body: JSON.stringify(content),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`PUT ${path}: ${statusCode} ${text}`);
};

async function untilComputed(side: RunningSide, { id }: BenchDirectory, { signal }: Cleanup): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  for (;;) {
    const { body } = await request(`${side.baseUrl}/api/v1/directory-sync/${id}/mapping`, { headers: headersOf(side), signal: limit });
    const { data } = (await body.json()) as { data: { recompute: { state: string } } };
    if (data.recompute.state === 'done') return;
    await sleep(100, undefined, { signal: limit });
  }
}

import { Agent, request } from 'undici';
import { createClient } from './support/client.ts';
import type { Cleanup } from './support/cleanup.ts';
import { createDirectories, type BenchDirectory } from './support/directories.ts';
import { fillUsers, withDatabase } from './support/fill.ts';
import { createLoad, createUserSource, type Slice } from './support/load.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { assertProc, readPeakRssKiB, resetPeakRss } from './support/processes.ts';
import { startServers } from './support/servers.ts';
import { imageSettings, prepareRollcall, startRollcall } from './support/sides.ts';
import { median } from './support/statistics.ts';
import { formatNumber, printTarget, startTable } from './support/table.ts';

const introduction = `
A snapshot of a large directory, of which each user is in five groups: time, size, and how much more memory the API process takes than before, and
in each quarter of what it sends. Then creates in another directory, alone and during snapshots in turns. The rows were inserted by SQL, and the
process has the heap limit and the allocator settings of the image.
`;

const groupsPerUser = 5;
const groups = 1_000;
const targetMemoryMiB = 64;
/** The most memory of a quarter, of that of the first one. */
const targetGrowth = 1.1;
const targetSlowdown = 1.1;
const apiKey = 'bench-key-of-32-characters-or-more';
/** The benchmark fails after this time. */
const timeoutMs = 300_000;

interface SnapshotRead {
  seconds: number;
  bytes: number;
  lines: number;
  extraMiB: number;
  /** The peak of each quarter of the bytes. */
  quartersMiB: number[];
}

export async function measureSnapshot(options: Options, cleanup: Cleanup): Promise<object> {
  assertProc();
  const machine = introduce(introduction);
  const servers = await startServers(cleanup);
  const environment = await prepareRollcall(servers);
  const { baseUrl, pids } = await startRollcall(servers, { ...environment, ...imageSettings }, cleanup);
  const [large, other] = (await createDirectories({ baseUrl, apiKey, count: 2 })) as [BenchDirectory, BenchDirectory];
  const client = createClient({ baseUrl, connections: 1, signal: cleanup.signal });
  await withDatabase(environment.DATABASE_URL, async (db) => {
    await fillUsers(db, { client, directory: large, count: options.users });
    await fillGroups(db, large.id);
  });
  await client.close();

  const agent = new Agent({ connections: 1 });
  const readOnce = (encoding: string, expectedBytes = Infinity) =>
    read({ agent, baseUrl, directoryId: large.id, pid: pids['node']!, encoding, expectedBytes, signal: cleanup.signal });
  const warmUp = { plain: await readOnce('identity'), compressed: await readOnce('gzip') };
  const plain = await readOnce('identity', warmUp.plain.bytes);
  const compressed = await readOnce('gzip', warmUp.compressed.bytes);
  const print = startTable([
    { title: '', width: 8 },
    { title: 'seconds', width: 8 },
    { title: 'MB', width: 8 },
    { title: 'lines/s', width: 10 },
    { title: 'memory, MiB more', width: 16 },
    { title: 'MiB in each quarter', width: 28 },
  ]);
  for (const [name, { seconds, bytes, extraMiB, quartersMiB }] of Object.entries({ plain, gzip: compressed }))
    print([
      name,
      formatNumber(seconds),
      formatNumber(bytes / 1e6),
      formatNumber(plain.lines / seconds),
      formatNumber(extraMiB),
      quartersMiB.map(formatNumber).join(', '),
    ]);
  const memoryMiB = Math.max(plain.extraMiB, compressed.extraMiB);
  printTarget({ title: 'memory for a snapshot', value: memoryMiB, relation: '<', bound: targetMemoryMiB, unit: ' MiB' });
  printTarget({
    title: 'memory of the last quarter, of that of the first',
    value: Math.max(...[plain, compressed].map(({ quartersMiB }) => quartersMiB.at(-1)! / quartersMiB[0]!)),
    relation: '≤',
    bound: targetGrowth,
    unit: 'x',
  });

  const { alone, beside } = await compareIntake();
  console.log(
    `\ncreates of one writer: p50 ${formatNumber(alone.p50Ms)} ms, p95 ${formatNumber(alone.p95Ms)} ms alone; p50 ${formatNumber(beside.p50Ms)} ms, p95 ${formatNumber(beside.p95Ms)} ms during snapshots`,
  );
  printTarget({
    title: 'creates during a snapshot: slower',
    value: alone.perSecond / beside.perSecond,
    relation: '≤',
    bound: targetSlowdown,
    unit: 'x',
  });
  await agent.close();
  return { machine, options, plain, compressed, alone, beside };

  /** In turns, so that the noise of the machine affects both. */
  async function compareIntake(): Promise<{ alone: Figures; beside: Figures }> {
    const load = createLoad({ baseUrl, writers: 1, signal: cleanup.signal });
    const run = () => load.run(createUserSource([other]), { seconds: options.seconds });
    await run();
    const slices = { alone: [] as Slice[], beside: [] as Slice[] };
    for (let round = 0; round < options.rounds; round += 1) {
      slices.alone.push(await run());
      let isFinished = false;
      const reading = (async () => {
        while (!isFinished) await readOnce('identity');
      })();
      slices.beside.push(await run());
      isFinished = true;
      await reading;
    }
    await load.close();
    return { alone: mediansOf(slices.alone), beside: mediansOf(slices.beside) };
  }
}

type Figures = Pick<Slice, 'perSecond' | 'p50Ms' | 'p95Ms'>;

const mediansOf = (slices: Slice[]): Figures => ({
  perSecond: median(slices.map(({ perSecond }) => perSecond)),
  p50Ms: median(slices.map(({ p50Ms }) => p50Ms)),
  p95Ms: median(slices.map(({ p95Ms }) => p95Ms)),
});

/** Adds each user to five consecutive groups. */
async function fillGroups(db: Parameters<typeof fillUsers>[0], directoryId: string): Promise<void> {
  await db.raw(
    `insert into groups (directory_id, id, display_name, display_name_key, resource, created_at, updated_at)
     select :directoryId, cast(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' as uuid), 'g' || n, 'g' || n,
       jsonb_build_object('displayName', 'g' || n), now(), now()
     from generate_series(0, :groups - 1) n`,
    { directoryId, groups },
  );
  await db.raw(
    `insert into group_members (directory_id, group_id, member_id, kind)
     select :directoryId, cast(lpad(to_hex((u.place + n) % :groups), 8, '0') || '-0000-7000-8000-000000000000' as uuid), u.id, 'user'
     from (select id, row_number() over (order by id) as place from users where directory_id = :directoryId) u
       cross join generate_series(1, :groupsPerUser) n`,
    { directoryId, groups, groupsPerUser },
  );
  await db.raw('vacuum (analyze) groups, group_members');
}

interface ReadOptions {
  agent: Agent;
  baseUrl: string;
  directoryId: string;
  pid: number;
  encoding: string;
  /** As an earlier read has found. */
  expectedBytes: number;
  signal: AbortSignal;
}

async function read({ agent, baseUrl, directoryId, pid, encoding, expectedBytes, signal }: ReadOptions): Promise<SnapshotRead> {
  resetPeakRss(pid);
  const beforeKiB = readPeakRssKiB(pid);
  const startedMs = performance.now();
  const { statusCode, body } = await request(`${baseUrl}/api/v1/directory-sync/${directoryId}/snapshot`, {
    dispatcher: agent,
    headers: { authorization: `Api-Key ${apiKey}`, 'accept-encoding': encoding },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  if (statusCode !== 200) throw new Error(`The snapshot responded with ${statusCode}.`);
  let [bytes, lines] = [0, 0];
  const peaksKiB: number[] = [];
  const endQuarter = () => {
    peaksKiB.push(readPeakRssKiB(pid));
    resetPeakRss(pid);
  };
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    while (peaksKiB.length < 3 && bytes >= (expectedBytes * (peaksKiB.length + 1)) / 4) endQuarter();
    if (encoding === 'identity') for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  endQuarter();
  return {
    seconds,
    bytes,
    lines,
    extraMiB: (Math.max(...peaksKiB) - beforeKiB) / 1_024,
    quartersMiB: peaksKiB.map((peakKiB) => peakKiB / 1_024),
  };
}

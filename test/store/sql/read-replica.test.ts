import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { checkReplica } from '../../../src/cli/doctor/check-database.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { createReadReplica } from '../../../src/store/sql/read-replica.ts';
import type { RunRead } from '../../../src/store/sql/run-read.ts';
import { startReplicatedDatabase } from '../../support/replicated-database.ts';
import { apiKey, request, startTestService, type TestDirectory, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const testTimeoutMs = 180_000;

let database: Awaited<ReturnType<typeof startReplicatedDatabase>>;
let service: TestService;
let directory: TestDirectory;
let created = 0;
beforeAll(async () => {
  database = await startReplicatedDatabase();
  const { url, replicaUrl, db } = database;
  const env = { DATABASE_URL: url, DATABASE_READ_URL: replicaUrl, DATABASE_READ_MAX_LAG_MS: '60000' };
  service = await startTestService(env, { openDatabase: () => Promise.resolve({ url, db, drop: () => Promise.resolve() }) });
}, testTimeoutMs);
afterAll(async () => {
  await service?.stop();
  await database?.stop();
}, testTimeoutMs);
beforeEach(async () => {
  await untilReplica('used');
  directory = await service.createDirectory({ tenant: `tenant-${(created += 1)}` });
});

type Target = Pick<TestService, 'baseUrl'>;
const read = (path: string, { baseUrl }: Target = service) =>
  request(`${baseUrl}/api/v1${path}`, 'GET', undefined, { authorization: `Api-Key ${apiKey}` });
const replicaOf = async ({ baseUrl }: Target = service) =>
  (await request(`${baseUrl}/health/ready`, 'GET', undefined, {})).body.data?.read_replica;
const untilReplica = (status: string, target?: Target) =>
  until(async () => (await replicaOf(target))?.status === status, { timeoutMs: 30_000 });
const push = async (userName: string) => (await directory.scim('POST', '/Users', { userName })).body.id as string;
const listUsers = async (target?: Target) => {
  const { status, body } = await read(`/directory-sync/users?directory_id=${directory.id}`, target);
  return [status, ...(body.data as { email: string }[]).map(({ email }) => email)];
};
const readFeed = async (query: string, target?: Target) => {
  const { status, body } = await read(`/events?${query}`, target);
  return { status, names: body.data?.map((event: { data: { email: string } }) => event.data.email), after: body.list_metadata?.after };
};

it(
  'answers lists and the feed, while what a provider has written and single resources come from the primary',
  async () => {
    const ada = await push('ada');
    const { body: group } = await directory.scim('POST', '/Groups', { displayName: 'staff', members: [{ value: ada }] });
    await until(async () => (await listUsers()).length === 2);
    const members = `/directory-sync/groups/${group.id}/members?directory_id=${directory.id}`;
    await until(async () => (await read(members)).body.data.length === 1);
    await database.pauseReplay();
    try {
      const ben = await push('ben');
      const value = [{ op: 'add', path: 'members', value: [{ value: ben }] }];
      await directory.scim('PATCH', `/Groups/${group.id}`, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: value,
      });
      expect(await listUsers()).toEqual([200, 'ada']);
      expect((await read(members)).body.data).toEqual([{ user_id: ada }]);
      const ofDirectory = await readFeed(`directory_id=${directory.id}&events=user.created`);
      expect(ofDirectory.names).toEqual(['ada']);
      expect((await readFeed(`tenant=tenant-${created}&product=app&events=user.created`)).names).toEqual(['ada']);

      expect((await read(`/directory-sync/users/${ben}?directory_id=${directory.id}`)).body.data.email).toBe('ben');
      expect((await read(`/directory-sync/groups/${group.id}?directory_id=${directory.id}`)).body.data.members).toHaveLength(2);
      expect((await directory.scim('GET', `/Users/${ben}`)).status).toBe(200);
      for (const query of ['?filter=userName%20eq%20%22ben%22', '?filter=title%20pr%20or%20userName%20sw%20%22be%22'])
        expect((await directory.scim('GET', `/Users${query}`)).body.totalResults).toBe(1);
      expect((await directory.scim('GET', '/Users')).body.totalResults).toBe(2);
      expect((await directory.scim('POST', '/Users', { userName: 'ben' })).status).toBe(409);

      await database.resumeReplay();
      await until(async () => (await readFeed(`directory_id=${directory.id}&after=${ofDirectory.after}`)).names?.includes('ben'));
      expect(await listUsers()).toEqual([200, 'ben', 'ada']);
    } finally {
      await database.resumeReplay();
    }
  },
  testTimeoutMs,
);

it(
  'does not lose events or reject cursors of the primary while it is behind',
  async () => {
    await push('ada');
    const onPrimary = await service.startAnother({ DATABASE_READ_URL: '' });
    const feeds = [`directory_id=${directory.id}`, `tenant=tenant-${created}&product=app`];
    await database.pauseReplay();
    try {
      await push('ben');
      const cursors = await Promise.all(feeds.map((feed) => readFeed(feed, onPrimary)));
      expect(cursors.map(({ names }) => names)).toEqual([
        ['ada', 'ben'],
        ['ada', 'ben'],
      ]);
      for (const [index, feed] of feeds.entries())
        expect(await readFeed(`${feed}&after=${cursors[index]!.after}`)).toMatchObject({ status: 200, names: [] });
      const unknown = await service.createDirectory({ tenant: `tenant-${(created += 1)}` });
      expect((await readFeed(`directory_id=${unknown.id}`)).status).toBe(200);
      const waiting = Promise.all(feeds.map((feed, index) => readFeed(`${feed}&after=${cursors[index]!.after}&wait=20`)));
      await push('cyd');
      await database.resumeReplay();
      expect((await waiting).map(({ names }) => names)).toEqual([['cyd'], ['cyd']]);
    } finally {
      await database.resumeReplay();
      await onPrimary.stop();
    }
  },
  testTimeoutMs,
);

it(
  'is not used while it lags more than allowed',
  async () => {
    const strict = await service.startAnother({ DATABASE_READ_MAX_LAG_MS: '1000' });
    await untilReplica('used', strict);
    await database.pauseReplay();
    try {
      await push('ada');
      await untilReplica('lagging', strict);
      expect((await replicaOf(strict)).lag_ms).toBeGreaterThan(1_000);
      expect([await listUsers(strict), await listUsers()]).toEqual([[200, 'ada'], [200]]);
      await database.resumeReplay();
      await untilReplica('used', strict);
    } finally {
      await database.resumeReplay();
      await strict.stop();
    }
  },
  testTimeoutMs,
);

it(
  'is replaced by the primary when it dies, and used again when it is back',
  async () => {
    await push('ada');
    await until(async () => (await listUsers()).length === 2);
    let isOver = false;
    const results = new Set<string>();
    const hasBen = () => [...results].filter((text) => text.includes('ben')).length === 2;
    const readers = Promise.all(
      [1, 2].map(async () => {
        while (!isOver) {
          const { status, names } = await readFeed(`directory_id=${directory.id}`);
          for (const found of [
            ['feed', status, ...(names as string[])],
            ['list', ...(await listUsers())],
          ])
            results.add(found.join(' '));
        }
      }),
    );
    const before = await countReads();
    try {
      await until(async () => (await countReads()).replica > before.replica);
      await database.killReplica();
      await untilReplica('away');
      await push('ben');
      await until(hasBen);
      await database.startReplica();
      await untilReplica('used');
    } finally {
      isOver = true;
      await readers;
    }
    expect([...results].sort()).toEqual(['feed 200 ada', 'feed 200 ada ben', 'list 200 ada', 'list 200 ben ada']);
    expect((await countReads()).primary).toBeGreaterThan(before.primary);
    const told = service.logs.filter(({ msg }) => String(msg).startsWith('lists and the feed are read')).slice(-2);
    expect(told).toMatchObject([{ replica: 'away', level: 40 }, { level: 30 }]);
  },
  testTimeoutMs,
);

it(
  'is replaced by the primary, within the time that a caller waits, when the network to it hangs',
  async () => {
    await push('ada');
    await until(async () => (await listUsers()).length === 2);
    database.network.hang();
    try {
      expect(await Promise.all([1, 2, 3, 4].map(() => listUsers()))).toEqual([1, 2, 3, 4].map(() => [200, 'ada']));
      expect((await replicaOf()).status).toBe('away');
    } finally {
      database.network.resume();
    }
  },
  testTimeoutMs,
);

it(
  'is not used if it is a primary, or a replica of another database',
  async () => {
    await push('ada');
    const other = process.env['TEST_POSTGRES_URL']!;
    for (const url of [database.url, other, database.replicaUrl.replace(/\/postgres$/, '/template1')]) {
      const another = await service.startAnother({ DATABASE_READ_URL: url });
      await untilReplica('unfit', another);
      expect(await listUsers(another)).toEqual([200, 'ada']);
      await another.stop();
    }
    const check = async (url: string) =>
      (await checkReplica({ url, primaryUrl: database.url, pooler: undefined })).map(({ verdict }) => verdict);
    expect(await check(database.replicaUrl)).toEqual(['ok']);
    for (const url of [database.url, other]) expect(await check(url)).toEqual(['problem']);
    expect(await check('postgres://127.0.0.1:1/x')).toEqual(['warning']);
  },
  testTimeoutMs,
);

const onPrimary: RunRead = () => Promise.resolve('primary' as never);

it(
  'ends a read when its caller leaves or it takes too long, and repeats on the primary one that a replica which is behind fails',
  async () => {
    const replica = createReadReplica({
      url: database.replicaUrl,
      pooler: undefined,
      poolSize: 4,
      maxLagMs: 60_000,
      limits: { timeoutMs: 8_000, searchTimeoutMs: 5_000, searchesPerDirectory: 1, searchesWaitingPerDirectory: 1 },
      primary: database.db,
      runRead: onPrimary,
      log: { info: () => undefined, warn: () => undefined },
    });
    const admin = openDatabase(database.replicaUrl);
    const countSleeping = async () => (await admin('pg_stat_activity').where({ state: 'active' }).whereLike('query', '%pg_sleep%')).length;
    try {
      await until(() => replica.state().status === 'used');
      const caller = new AbortController();
      const sleep = (signal?: AbortSignal) =>
        replica.runRead({ cost: 'search', directoryId: directory.id, signal }, (db) => db.raw('select pg_sleep(20)'));
      const left = sleep(caller.signal);
      await until(async () => (await countSleeping()) === 1);
      caller.abort(new Error('left'));
      await expect(left).rejects.toThrow('left');
      await until(async () => (await countSleeping()) === 0);
      await expect(sleep()).rejects.toThrow('takes longer than the 5000 ms');
      await until(async () => (await countSleeping()) === 0);
      const page = { cost: 'page', directoryId: directory.id } as const;
      const conflict = `do $$ begin raise exception 'conflict with recovery' using errcode = '40001'; end $$`;
      expect(await replica.runRead(page, (db) => db.raw(conflict))).toBe('primary');
      expect(await replica.runRead(page, (db) => db('table_of_a_later_migration').select())).toBe('primary');
      await expect(replica.runRead(page, (db) => db.raw('select 1 / 0'))).rejects.toThrow('division by zero');
      expect(replica.state().status).toBe('used');
    } finally {
      await admin.destroy();
      await replica.close();
    }
  },
  testTimeoutMs,
);

async function countReads() {
  const response = await fetch(`${service.baseUrl}/metrics`, { headers: { authorization: `Api-Key ${apiKey}` } });
  const text = await response.text();
  const count = (server: string) => Number(new RegExp(`^rollcall_stale_reads_total\\{server="${server}"\\} (\\d+)`, 'm').exec(text)![1]);
  return { replica: count('replica'), primary: count('primary') };
}

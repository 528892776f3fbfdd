import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { createClient, type Client, type ClientOptions, type MirrorStore } from '../../src/client/index.ts';
import { mirror } from '../../src/client/mirror.ts';
import { toDirectoryKey, formerDirectoryId } from '../../src/directory/directories/former-ids.ts';
import { packageRoot } from '../../src/paths.ts';
import { startProgram } from '../docs/child-program.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { createSeededRandom } from '../support/seed.ts';
import { apiKey, shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { fetchSnapshot, readSnapshot } from '../support/snapshots.ts';
import { until } from '../support/until.ts';

const { openPostgresStore } = (await import(pathToFileURL(join(packageRoot, 'examples/mirror/postgres-store.mjs')).href)) as {
  openPostgresStore(pool: pg.Pool, directoryId: string): Promise<MirrorStore>;
};

let service: TestService;
let database: TestDatabase;
let pool: pg.Pool;
let client: Client;
let directory: TestDirectory;
let store: MirrorStore;
beforeAll(async () => {
  [service, database] = await Promise.all([shareTestService(), createEmptyDatabase()]);
  pool = new pg.Pool({ connectionString: database.url });
  client = connect();
});
beforeEach(async () => {
  directory = await service.createDirectory();
  store = await openPostgresStore(pool, directory.id);
});
afterAll(async () => {
  await pool.end();
  await service.stop();
  await database.drop();
});

const connect = (more: Partial<ClientOptions> = {}) => createClient({ baseUrl: service.baseUrl, apiKey, ...more });
const runOnce = (using: MirrorStore = store, through: Client = client) =>
  through.mirror(using, { directoryId: directory.id, follow: false });
/** Responds in place of the service, if it returns something. */
const instead = (respond: (address: URL) => Response | Promise<Response | undefined> | undefined) =>
  connect({ fetch: async (input, init) => (await respond(new URL(input instanceof Request ? input.url : input))) ?? fetch(input, init) });
/** Lets the events up to a sequence be no longer kept, or none. */
const sweep = (sequence: number | ReturnType<typeof service.db.ref>) =>
  service.db('all_directories').where({ id: directory.id }).update({ swept_sequence: sequence });
const push = async (path: string, body: object) => (await directory.scim('POST', path, body)).body.id as string;
const patch = (path: string, ...operations: object[]) => directory.scim('PATCH', path, { Operations: operations });

/** What the tables and the service have, which must be the same. */
async function compare() {
  const read = async (sql: string) => (await pool.query<Record<string, unknown>>(sql, [directory.id])).rows;
  const users = await read('select id, email, active from rollcall_users where directory_id = $1 order by id');
  const groups = await read('select id, name from rollcall_groups where directory_id = $1 order by id');
  const memberships = await read('select group_id, user_id from rollcall_memberships where directory_id = $1 order by group_id, user_id');
  const lines = await readSnapshot(service, directory.id);
  const of = (type: string) => lines.filter((line) => line.type === type).map(({ data }) => data);
  expect(users).toEqual(of('user').map(({ id, email, active }) => ({ id, email, active })));
  expect(groups).toEqual(of('group').map(({ id, name }) => ({ id, name })));
  expect(memberships).toEqual(of('membership'));
  return { users: users.length, groups: groups.length, memberships: memberships.length };
}

it('takes a snapshot, then follows the feed, and continues where it stopped', async () => {
  const ada = await push('/Users', { userName: 'ada@acme.example' });
  const group = await push('/Groups', { displayName: 'All', members: [{ value: ada }] });
  expect(await runOnce()).toEqual({ data: { snapshots: 1, events: 0 }, error: null, status: 200 });
  expect(await compare()).toEqual({ users: 1, groups: 1, memberships: 1 });
  const ben = await push('/Users', { userName: 'ben@acme.example' });
  await patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: ben }] });
  await directory.scim('DELETE', `/Users/${ada}`);
  expect((await runOnce()).data).toEqual({ snapshots: 0, events: 4 });
  expect(await compare()).toEqual({ users: 1, groups: 1, memberships: 1 });
});

it('follows until its signal is aborted', async () => {
  const stop = new AbortController();
  const following = client.mirror(store, { directoryId: directory.id, signal: stop.signal });
  await until(async () => (await store.readCursor()) !== undefined);
  await push('/Users', { userName: 'ada@acme.example' });
  await until(async () => (await pool.query('select from rollcall_users where directory_id = $1', [directory.id])).rowCount === 1);
  stop.abort();
  expect((await following).data).toEqual({ snapshots: 1, events: 1 });
});

it('ends with the same tables, whenever it dies, and whoever writes meanwhile', async () => {
  const random = createSeededRandom();
  const group = await push('/Groups', { displayName: 'All' });
  const users: string[] = [];
  let isWriting = true;
  const write = async () => {
    for (let number = 0; isWriting; number += 1) {
      const user = users[random.below(users.length || 1)];
      const dice = random.below(4);
      if (!user || dice === 0) users.push(await push('/Users', { userName: `u${number}`, active: true }));
      else if (dice === 1) await directory.scim('DELETE', `/Users/${users.splice(users.indexOf(user), 1)[0]}`);
      else if (dice === 2) await patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: user }] });
      else await patch(`/Users/${user}`, { op: 'replace', path: 'active', value: random.below(2) === 0 });
    }
  };
  const writing = write().catch((error: unknown) => error);
  /** Dies before or after a commit. */
  const mortal = new Proxy(store, {
    get:
      (target, name: keyof MirrorStore) =>
      async (...args: unknown[]) => {
        if (name !== 'readCursor' && random.below(6) === 0) throw new Error('died');
        const result = await (target[name] as (...given: unknown[]) => Promise<unknown>)(...args);
        if (name !== 'readCursor' && random.below(6) === 0) throw new Error('died');
        return result;
      },
  });
  let deaths = 0;
  // A run without new events has nowhere to die.
  for (let run = 0; run < 40 || deaths < 4; run += 1) {
    // A snapshot in between.
    if (run % 10 === 9) await sweep(service.db.ref('last_sequence'));
    await runOnce(mortal).catch((error: Error) => {
      if (error.message !== 'died') throw error;
      deaths += 1;
    });
  }
  isWriting = false;
  expect(await writing).toBeUndefined();
  expect((await runOnce()).error).toBeNull();
  await compare();
});

it('takes a new snapshot when events are no longer kept, and deletes what is gone', async () => {
  const ada = await push('/Users', { userName: 'ada@acme.example' });
  await runOnce();
  await directory.scim('DELETE', `/Users/${ada}`);
  await push('/Users', { userName: 'ben@acme.example' });
  await sweep(2);
  expect((await runOnce()).data).toEqual({ snapshots: 1, events: 0 });
  expect(await compare()).toMatchObject({ users: 1 });
});

it('changes nothing when a snapshot breaks, and begins again, also after a restart', async () => {
  const ada = await push('/Users', { userName: 'ada@acme.example' });
  await runOnce();
  await patch(`/Users/${ada}`, { op: 'replace', path: 'title', value: 'Countess' });
  await sweep(2);
  let isBroken = true;
  const broken = instead(async ({ pathname }) => {
    if (!isBroken || !pathname.endsWith('/snapshot')) return undefined;
    isBroken = false;
    const text = await (await fetchSnapshot(service, directory.id)).text();
    return new Response(`${text.split('\n')[0]}\n`);
  });
  expect((await runOnce(store, broken)).error).toMatchObject({ code: 'unreachable', message: expect.stringContaining('no last line') });
  expect(await compare()).toMatchObject({ users: 1 });
  // Even if events could be read again: rows of a part of a snapshot may be there.
  await sweep(0);
  isBroken = true;
  const stop = new AbortController();
  const retries: string[] = [];
  const deps = { events: broken.events, readSnapshot: broken.readSnapshot, snapshotEveryMs: 0 };
  const following = mirror(deps, store, { directoryId: directory.id, signal: stop.signal, onRetry: ({ code }) => retries.push(code) });
  await until(async () => (await store.readCursor()) !== undefined);
  stop.abort();
  expect([(await following).data?.snapshots, retries]).toEqual([1, ['unreachable']]);
});

it('keeps its cursor until a snapshot has begun: one that is refused costs nothing', async () => {
  await push('/Users', { userName: 'ada@acme.example' });
  await runOnce();
  const cursor = await store.readCursor();
  const expired = { data: null, error: { code: 'cursor_expired', message: 'expired', status: 410 } };
  const limited = { data: null, error: { code: 'rate_limited', message: 'Too many snapshots.', status: 429 } };
  const refusing = instead(({ pathname }) =>
    pathname.endsWith('/events') ? Response.json(expired, { status: 410 }) : Response.json(limited, { status: 429 }),
  );
  expect((await runOnce(store, refusing)).error).toMatchObject({ code: 'rate_limited' });
  expect(await store.readCursor()).toBe(cursor);
  // The feed has come back meanwhile.
  expect((await runOnce()).data).toEqual({ snapshots: 0, events: 0 });
  // Once rows may be written, nobody applies events between them.
  const begun = instead(async ({ pathname }) => {
    if (pathname.endsWith('/events')) return Response.json(expired, { status: 410 });
    const text = await (await fetchSnapshot(service, directory.id)).text();
    return new Response(`${text.split('\n')[0]}\n`);
  });
  expect((await runOnce(store, begun)).error).toMatchObject({ code: 'unreachable' });
  expect(await store.readCursor()).toBeUndefined();
  expect(await store.applyEvents([], { from: cursor!, to: 'later' })).toBe(false);
  expect((await runOnce()).data).toEqual({ snapshots: 1, events: 0 });
});

it('waits before another snapshot after one that failed in between', async () => {
  const stop = new AbortController();
  const begunAtMs: number[] = [];
  const broken = instead(async ({ pathname }) => {
    if (!pathname.endsWith('/snapshot')) return undefined;
    begunAtMs.push(performance.now());
    if (begunAtMs.length === 2) stop.abort();
    const text = await (await fetchSnapshot(service, directory.id)).text();
    return new Response(`${text.split('\n')[0]}\n`);
  });
  const deps = { events: broken.events, readSnapshot: broken.readSnapshot, snapshotEveryMs: 2_000 };
  await mirror(deps, store, { directoryId: directory.id, signal: stop.signal });
  // Otherwise it would be half a second, as after other failures.
  expect(begunAtMs[1]! - begunAtMs[0]!).toBeGreaterThan(1_900);
});

it('retries when a load balancer responds, unless it does not follow', async () => {
  await push('/Users', { userName: 'ada@acme.example' });
  const answered: string[] = [];
  const balanced = instead(({ pathname }) => {
    const path = pathname.split('/').at(-1)!;
    if (answered.includes(path)) return undefined;
    answered.push(path);
    return new Response('<h1>Bad Gateway</h1>', { status: 502 });
  });
  const stop = new AbortController();
  const retries: string[] = [];
  const following = balanced.mirror(store, {
    directoryId: directory.id,
    signal: stop.signal,
    onRetry: ({ code }) => retries.push(code),
  });
  await until(() => answered.includes('events') && retries.length === 2);
  stop.abort();
  expect([(await following).data?.snapshots, retries]).toEqual([1, ['invalid_response', 'invalid_response']]);
  const away = instead(() => new Response('<h1>Bad Gateway</h1>', { status: 502 }));
  expect(await runOnce(store, away)).toMatchObject({ error: { code: 'invalid_response' }, status: 502 });
  const elsewhere = instead(() => new Response('<h1>Welcome</h1>', { status: 404 }));
  expect(await elsewhere.mirror(store, { directoryId: directory.id })).toMatchObject({ error: { code: 'invalid_response' }, status: 404 });
});

it('mirrors a directory that has kept its ID of an old Polis', async () => {
  const owner = { tenant: `former ${directory.id}`, product: 'app' };
  const id = formerDirectoryId(owner);
  await service.db('all_directories').insert({ ...owner, id: toDirectoryKey(id), name: '', type: 'generic-scim-v2' });
  expect((await readSnapshot(service, id))[0]).toMatchObject({ directory_id: id });
  const formerStore = await openPostgresStore(pool, id);
  const run = () => client.mirror(formerStore, { directoryId: id, follow: false });
  expect([(await run()).data, (await run()).data]).toEqual([
    { snapshots: 1, events: 0 },
    { snapshots: 0, events: 0 },
  ]);
});

it('notices another mirror of the same tables, and leaves the work to it', async () => {
  await push('/Users', { userName: 'ada@acme.example' });
  const overtaken = Object.assign(Object.create(store) as MirrorStore, {
    async beginSnapshot(id: string) {
      await store.beginSnapshot(id);
      expect((await runOnce()).data?.snapshots).toBe(1);
    },
  });
  expect((await runOnce(overtaken)).error).toMatchObject({ code: 'mirrored_elsewhere' });
  await push('/Users', { userName: 'ben@acme.example' });
  const late = Object.assign(Object.create(store) as MirrorStore, {
    async applyEvents(...args: Parameters<MirrorStore['applyEvents']>) {
      expect((await runOnce()).data?.events).toBe(1);
      return store.applyEvents(...args);
    },
  });
  expect((await runOnce(late)).error).toMatchObject({ code: 'mirrored_elsewhere' });
  expect(await compare()).toMatchObject({ users: 2 });
});

it('does not retry what cannot succeed', async () => {
  const { error } = await client.mirror(store, { directoryId: '00000000-0000-7000-8000-000000000000' });
  expect(error?.code).toBe('not_found');
});

it('the program does the same', async () => {
  await push('/Users', { userName: 'ada@acme.example' });
  await using program = startProgram('node', ['examples/mirror/mirror.mjs', '--once'], {
    cwd: packageRoot,
    env: { DATABASE_URL: database.url, ROLLCALL_URL: service.baseUrl, ROLLCALL_API_KEY: apiKey, ROLLCALL_DIRECTORY_ID: directory.id },
  });
  if (program.isRunning()) await once(program.child, 'close');
  expect(program.output()).toContain('Snapshots: 1, events: 0');
  expect(await compare()).toMatchObject({ users: 1 });
});

import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { group, openSyncStores, page, user } from '../../support/sync-stores.ts';

let stores: Awaited<ReturnType<typeof openSyncStores>>;
let directoryId: string;
let runId: string;
beforeAll(async () => {
  stores = await openSyncStores();
});
afterAll(() => stores.drop());
beforeEach(async () => {
  directoryId = await stores.addDirectory();
  runId = await stores.begin(directoryId);
});

it('stages a repeated page once, with its latest content', async () => {
  const { syncs: store } = stores;
  expect(await store.stageUsers(directoryId, runId, page(user('1'), user('2'), user('1', 'later@acme.example')))).toBe('staged');
  expect(await store.stageUsers(directoryId, runId, page(user('1', 'last@acme.example'), user('3')))).toBe('staged');
  for (const _ of [1, 2]) await store.stageGroups(directoryId, runId, page(group('g')));
  for (const _ of [1, 2]) await store.stageMembers(directoryId, runId, [{ group: 'g', externalIds: ['1', '2', '1'] }]);
  const staged = await stores.db('sync_users').where({ run_id: runId }).orderBy('external_id').select('external_id', 'resource');
  expect(staged.map(({ external_id: id, resource }) => [id, resource.userName])).toEqual([
    ['1', 'last@acme.example'],
    ['2', '2@acme.example'],
    ['3', '3@acme.example'],
  ]);
  expect((await stores.run(directoryId, runId)).seen).toEqual({ users: 3, groups: 1, members: 2 });
});

it('counts the bytes of what differs in the object of the provider, and plans it with the resource', async () => {
  const { syncs: store, db } = stores;
  const pushed = { set: { etag: 'x'.repeat(1_000) }, unset: ['active'] };
  const bytes = async () => (await db('sync_runs').where({ id: runId }).first<{ staged_bytes: number }>('staged_bytes')).staged_bytes;
  await store.stageUsers(directoryId, runId, page(user('1')));
  const before = await bytes();
  await store.stageUsers(directoryId, runId, page({ ...user('1'), pushed }));
  expect((await bytes()) - before).toBeGreaterThan(1_000);
  await store.plan(directoryId, runId, 1);
  expect(await store.nextChanges(directoryId, runId)).toMatchObject({ changes: [{ ...user('1'), pushed }] });
});

it('rejects late pages: of a completed list, of a run that has ended, or of another directory', async () => {
  const { syncs: store } = stores;
  const other = await stores.addDirectory();
  expect(await store.stageUsers(other, runId, page(user('1')))).toBe('stopped');
  expect(await store.stageUsers(directoryId, newId(), page(user('1')))).toBe('stopped');
  await store.stageUsers(directoryId, runId, page(user('1')));
  await store.stageGroups(directoryId, runId, page(group('g')));
  expect(await store.stageUsers(directoryId, runId, page(user('late')))).toBe('stopped');
  await store.stageMembers(directoryId, runId, [{ group: 'g', externalIds: ['1'] }]);
  expect(await store.stageGroups(directoryId, runId, page(group('late')))).toBe('stopped');
  await store.plan(directoryId, runId, 1);
  expect(await store.stageMembers(directoryId, runId, [{ group: 'g', externalIds: ['late'] }])).toBe('stopped');
  await store.end(directoryId, runId, { state: 'succeeded' });
  expect(await store.stageMembers(directoryId, runId, [{ group: 'g', externalIds: ['late'] }])).toBe('stopped');
  expect([
    await store.plan(directoryId, runId, 2),
    await store.nextChanges(directoryId, runId),
    await store.enter(directoryId, runId),
  ]).toEqual(['stopped', 'stopped', 'stopped']);
  const counts = await Promise.all(
    ['sync_users', 'sync_groups', 'sync_members'].map(async (table) => (await stores.db(table).where({ run_id: runId })).length),
  );
  expect(counts).toEqual([1, 1, 1]);
  expect((await stores.db('sync_users').where({ directory_id: other })).length).toBe(0);
});

it('deletes staged data of ended runs in batches, and none of a run in progress', async () => {
  const { syncs: store } = stores;
  await store.stageUsers(directoryId, runId, page(...['1', '2', '3', '4', '5'].map((id) => user(id))));
  await store.stageGroups(directoryId, runId, page(group('g')));
  await store.plan(directoryId, runId, 1);
  expect(await store.clear(directoryId, 2)).toBe(false);
  await store.end(directoryId, runId, { state: 'succeeded' });
  const next = await stores.begin(directoryId);
  await store.stageUsers(directoryId, next, page(user('1')));
  let turns = 0;
  while (await store.clear(directoryId, 2)) turns += 1;
  expect(turns).toBeGreaterThan(4);
  for (const table of ['sync_users', 'sync_groups', 'sync_changes'])
    expect((await stores.db(table).where({ run_id: runId })).length).toBe(0);
  expect((await stores.db('sync_users').where({ run_id: next })).length).toBe(1);
});

it('loses no member if a list changes while it is read and two pages begin with the same member', async () => {
  const { syncs: store } = stores;
  await store.stageGroups(directoryId, runId, page(group('g')));
  const pages = [['1', '2'], ['1', '3'], ['4']].map((externalIds) => ({ group: 'g', externalIds }));
  await store.stageMembers(directoryId, runId, pages);
  await store.stageMembers(directoryId, runId, [{ group: 'g', externalIds: ['1', '5'] }]);
  const rows = await stores.db('sync_members').where({ run_id: runId });
  const members = new Set(rows.flatMap(({ external_ids: ids }) => ids as string[]));
  expect([...members].sort()).toEqual(['1', '2', '3', '4', '5']);
});

const bytesOf = (...values: unknown[]) => values.reduce<number>((sum, value) => sum + JSON.stringify(value).length, 0);
/** Postgres prints JSON with a space after each colon and comma. */
const printed = (resource: Record<string, unknown>) => bytesOf(resource) + 2 * Object.keys(resource).length - 1;
const stagedBytes = async () => (await stores.db('sync_runs').where({ id: runId }).first('staged_bytes')).staged_bytes as number;

it('counts the bytes of what is staged, once, whatever is staged again, and less if it becomes smaller', async () => {
  const { syncs: store } = stores;
  const [first, second] = [user('1'), user('2')];
  const stageAll = async () => {
    await store.stageUsers(directoryId, runId, page(first, second));
    await Promise.all([1, 2, 3].map(() => store.stageUsers(directoryId, runId, page(second))));
  };
  for (const _ of ['begun', 'killed and begun again']) await stageAll();
  const ofUsers = printed(first.resource) + printed(second.resource);
  expect(await stagedBytes()).toBe(ofUsers);
  await store.stageUsers(directoryId, runId, page(user('2', 'x'.repeat(1_000))));
  expect(await stagedBytes()).toBe(ofUsers - second.resource.userName.length + 1_000);
  await stageAll();
  expect(await stagedBytes()).toBe(ofUsers);
  for (const _ of [1, 2]) await store.stageGroups(directoryId, runId, page(group('g')));
  const ofAll = ofUsers + printed(group('g').resource);
  for (const _ of [1, 2]) await store.stageMembers(directoryId, runId, [{ group: 'g', externalIds: ['1', '2'] }]);
  expect(await stagedBytes()).toBe(ofAll + '1,2'.length);
  for (const _ of [1, 2]) await store.stageMembers(directoryId, runId, [{ group: 'g', externalIds: ['1', 'more'] }]);
  expect(await stagedBytes()).toBe(ofAll + '1,2,more'.length);
});

it.each(['users', 'groups', 'members'] as const)('reports a run as full beyond its limit of bytes, and not at it: %s', async (kind) => {
  const { syncs: store } = stores;
  if (kind === 'members') await store.stageGroups(directoryId, runId, page(group('g')));
  const stage = {
    users: () => store.stageUsers(directoryId, runId, page(user('1'), user('2'))),
    groups: () => store.stageGroups(directoryId, runId, page(group('1'), group('2'))),
    members: () => store.stageMembers(directoryId, runId, [{ group: 'g', externalIds: ['1', '2'] }]),
  }[kind];
  expect(await stage()).toBe('staged');
  const bytes = await stagedBytes();
  const limitTo = (limit: number) =>
    stores
      .db('directories')
      .where({ id: directoryId })
      .update({ quotas: JSON.stringify({ staged_bytes: limit }) });
  await limitTo(bytes);
  for (const _ of [1, 2]) expect(await stage()).toBe('staged');
  await limitTo(bytes - 1);
  for (const _ of [1, 2]) expect(await stage()).toBe('full');
  expect(await store.enter(directoryId, runId)).toMatchObject({ stagedBytes: bytes });
});

it.each(['terminated', 'failed and not cleared'])(
  'counts what an earlier run of the directory has staged until it is deleted: %s',
  async (how) => {
    const { syncs: store } = stores;
    const stage = (id: string) => store.stageUsers(directoryId, id, page(user('1'), user('2')));
    expect(await stage(runId)).toBe('staged');
    const bytes = await stagedBytes();
    await stores
      .db('directories')
      .where({ id: directoryId })
      .update({ quotas: JSON.stringify({ staged_bytes: bytes }) });
    if (how !== 'terminated') await store.end(directoryId, runId, { state: 'failed' });
    const next = how === 'terminated' ? (await store.begin({ directoryId, workflowRun: newId() }))! : await stores.begin(directoryId);
    expect(next).not.toBe(runId);
    for (const _ of [1, 2]) expect(await stage(next)).toBe('full');
    expect(await store.enter(directoryId, next)).toMatchObject({ stagedBytes: 2 * bytes });
    while (await store.clear(directoryId, 1));
    expect(await stage(next)).toBe('staged');
    expect(await store.enter(directoryId, next)).toMatchObject({ stagedBytes: bytes });
    // Runs of other directories do not count.
    const other = await stores.addDirectory({ quotas: JSON.stringify({ staged_bytes: bytes }) });
    const itsRun = await stores.begin(other);
    expect(await store.stageUsers(other, itsRun, page(user('1'), user('2')))).toBe('staged');
  },
);

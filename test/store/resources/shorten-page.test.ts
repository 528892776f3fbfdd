import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { createGroupStore } from '../../../src/store/groups/group-store.ts';
import { createResponseMemory } from '../../../src/store/sql/response-memory.ts';
import { createUserStore } from '../../../src/store/users/user-store.ts';
import { cloneDatabase } from '../../support/database.ts';
import { createDirectory, storeGroups, storeUsers } from '../filters/fixture.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let directoryId: string;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  directoryId = await createDirectory(database.db);
});

it('ends a page of groups before they have too many members, with at least one group, and returns the next position', async () => {
  const ids = [newId(), newId(), newId()].toSorted() as [string, string, string];
  const sizes = [60_000, 20_000, 20_000];
  await storeGroups(
    database.db,
    directoryId,
    ids.map((id, index) => ({ id, resource: { displayName: `g${index}` } })),
  );
  await database.db('directories').where({ id: directoryId }).update({ group_count: 3 });
  await database.db.raw(
    `insert into group_members (directory_id, group_id, member_id, kind)
     select ?, g.id, gen_random_uuid(), 'user' from unnest(?::uuid[], ?::int[]) as g(id, size), generate_series(1, g.size)`,
    [directoryId, ids, sizes],
  );
  const list = async (query: object) => {
    const page = { after: undefined, limit: 10 };
    const { resources, ...rest } = await createGroupStore(unlimitedReads(database.db)).list(directoryId, {
      withMembers: true,
      page,
      ...query,
    });
    return { shown: resources.map(({ id, members }) => [id, members?.length]), ...rest };
  };
  const [first, second, third] = ids.map((id, index) => [id, sizes[index]]);
  expect(await list({})).toEqual({ shown: [first], total: 3, next: { id: ids[0] } });
  expect(await list({ page: { after: { id: ids[0] }, limit: 10 } })).toEqual({ shown: [second, third], total: 3 });
  expect(await list({ page: { offset: 0, limit: 10 } })).toEqual({ shown: [first], total: 3, next: { id: ids[0] } });

  const sort = { path: { attribute: 'displayName' }, descending: true };
  const downwards = await list({ sort });
  expect(downwards).toEqual({ shown: [third, second], total: 3, next: { id: ids[1], sortKey: expect.stringContaining('g1') } });
  expect(await list({ sort, page: { after: downwards.next, limit: 10 } })).toEqual({ shown: [first], total: 3 });
  expect((await list({ withMembers: false })).shown).toHaveLength(3);
});

it('ends a page of users before they have too many groups, with at least one user, and returns the next position', async () => {
  const { db } = database;
  const ids = [newId(), newId(), newId()].toSorted() as [string, string, string];
  const sizes = [60_000, 20_000, 20_000];
  await storeUsers(
    db,
    directoryId,
    ids.map((id, index) => ({ id, resource: { userName: `u${index}` } })),
  );
  await db('directories').where({ id: directoryId }).update({ user_count: 3 });
  await db.raw(
    `insert into groups (directory_id, id, display_name, display_name_key, resource, created_at, updated_at)
     select ?, gen_random_uuid(), 'g' || n, 'g' || n, '{}', now(), now() from generate_series(0, 59999) n`,
    [directoryId],
  );
  await db.raw(
    `insert into group_members (directory_id, group_id, member_id, kind)
     select g.directory_id, g.id, u.id, 'user' from groups g
       join unnest(?::uuid[], ?::int[]) as u(id, size) on cast(substr(g.display_name, 2) as int) < u.size where g.directory_id = ?`,
    [ids, sizes, directoryId],
  );
  const list = async (query: object) => {
    const page = { after: undefined, limit: 10 };
    const found = await createUserStore(unlimitedReads(db)).list(directoryId, { withGroups: true, page, ...query });
    return { ...found, resources: found.resources.map((user) => [user.id, user.groups?.length]) };
  };
  const [first, second, third] = ids.map((id, index) => [id, sizes[index]]);
  expect(await list({})).toEqual({ resources: [first], total: 3, next: { id: ids[0] } });
  expect(await list({ page: { after: { id: ids[0] }, limit: 10 } })).toEqual({ resources: [second, third], total: 3 });
  expect(await list({ page: { offset: 0, limit: 10 } })).toEqual({ resources: [first], total: 3, next: { id: ids[0] } });
  expect(await list({ page: { offset: 1, limit: 10 } })).toEqual({ resources: [second, third], total: 3 });

  const sort = { path: { attribute: 'userName' }, descending: true };
  const downwards = await list({ sort });
  expect(downwards).toEqual({ resources: [third, second], total: 3, next: { id: ids[1], sortKey: expect.stringContaining('u1') } });
  expect(await list({ sort, page: { after: downwards.next, limit: 10 } })).toEqual({ resources: [first], total: 3 });
  expect((await list({ withGroups: false })).resources).toHaveLength(3);
});

/** Groups with these numbers of members. A list of them holds its memory until the test closes it. */
async function openPageOfGroups(sizes: number[], { maxBytes, limit }: { maxBytes: number; limit: number }) {
  const ids = sizes.map(() => newId());
  await storeGroups(
    database.db,
    directoryId,
    ids.map((id) => ({ id, resource: { displayName: id } })),
  );
  await database.db.raw(
    `insert into group_members (directory_id, group_id, member_id, kind)
     select ?, g.id, gen_random_uuid(), 'user' from unnest(?::uuid[], ?::int[]) as g(id, size), generate_series(1, g.size)`,
    [directoryId, ids, sizes],
  );
  const memory = createResponseMemory({ maxBytes, timeoutMs: 1_000 });
  const response = new EventEmitter();
  const store = createGroupStore({ ...unlimitedReads(database.db), memory });
  const page = { after: undefined, limit };
  const { resources } = await memory.during(response, () => store.list(directoryId, { withMembers: true, page }));
  return { memory, close: () => response.emit('close'), shown: resources.map(({ members }) => members!.length) };
}

it('holds only the actual size of a page of groups while it waits for memory for their members', async () => {
  const { shown } = await openPageOfGroups([10_000, 1], { maxBytes: 17 * 1_048_576, limit: 1_000 });
  expect(shown.toSorted((one, other) => one - other)).toEqual([1, 10_000]);
});

it('holds a page of groups and their members until the response is sent', async () => {
  const maxBytes = 1_048_576;
  // A member counts 240 bytes, and each group of this page more than that.
  const { memory, close } = await openPageOfGroups([1, 1], { maxBytes, limit: 10 });
  const readRest = () => memory.read('another directory', maxBytes - 1_000, () => Promise.resolve('read'));
  await expect(readRest()).rejects.toMatchObject({ code: 'unavailable' });
  close();
  expect(await readRest()).toBe('read');
});

import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { defaultQuotas } from '../../../src/directory/quotas.ts';
import { newId } from '../../../src/ids.ts';
import { createResponseMemory, type ResponseMemory } from '../../../src/store/sql/response-memory.ts';
import { createUserStore } from '../../../src/store/users/user-store.ts';
import { cloneDatabase } from '../../support/database.ts';
import { storeUserInGroups } from '../../support/memberships.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';
import { createDirectory, storeUsers } from '../filters/fixture.ts';

const mib = 1_048_576;
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let directoryId: string;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  directoryId = await createDirectory(database.db);
});

const userIn = async (groups: number, more: { nameLength?: number; letter?: string } = {}) => {
  const id = newId();
  await storeUsers(database.db, directoryId, [{ id, resource: { userName: id } }]);
  await storeUserInGroups(database.db, directoryId, { userId: id, groups, ...more });
  return id;
};

/** The store, and its requests for response memory. */
function watchMemory(memory: ResponseMemory = unlimitedReads(database.db).memory) {
  const reserved: number[] = [];
  const store = createUserStore({
    ...unlimitedReads(database.db),
    memory: {
      ...memory,
      read(owner, bytes, load, weigh) {
        reserved.push(bytes);
        return memory.read(owner, bytes, load, weigh);
      },
    },
  });
  return { reserved, store };
}

it('reads a user with few groups in one statement, and does not wait for memory', async () => {
  const id = await userIn(20, { nameLength: 60 });
  const { store, reserved } = watchMemory();
  const statements: string[] = [];
  const note = ({ sql }: { sql: string }) => statements.push(sql);
  database.db.on('query', note);
  const user = await store.get(directoryId, id, { withGroups: true });
  database.db.off('query', note);
  expect([user!.groups!.length, statements.length, reserved]).toEqual([20, 1, []]);
});

it.each([
  ['of many groups', { groups: 5_000, nameLength: 60 }],
  ['of long names', { groups: 100, nameLength: 500 }],
  ['of as many groups with names as long as allowed', { groups: defaultQuotas.groupsPerMember, nameLength: 500, letter: '語' }],
])('weighs the groups of a user before it reads them where they take much room: %s', async (_title, { groups, ...more }) => {
  const id = await userIn(groups, more);
  const { store, reserved } = watchMemory();
  const user = (await store.get(directoryId, id, { withGroups: true }))!;
  const byName = await store.list(directoryId, {
    filter: { kind: 'compare', path: { attribute: 'userName' }, operator: 'eq', value: id },
    page: { offset: 0, limit: 10 },
    withGroups: true,
  });
  expect(byName.resources).toEqual([user]);
  expect(user.groups).toHaveLength(groups);
  expect(user.groups!.map((group) => group.id)).toEqual(user.groups!.map((group) => group.id).toSorted());
  const bytes = Buffer.byteLength(JSON.stringify(user.groups));
  expect(reserved).toHaveLength(2);
  for (const weight of reserved) {
    expect(weight).toBeGreaterThan(bytes);
    expect(weight).toBeLessThan(48 * mib);
  }
});

it('loads the groups for two of ten readers at a time, until each response is sent, if the memory is enough for two', async () => {
  const id = await userIn(2_000);
  const weight = 2_000 * 1_300;
  const memory = createResponseMemory({ maxBytes: 4 * weight + 1, timeoutMs: 20_000 });
  const { store } = watchMemory(memory);
  let [open, most] = [0, 0];
  const readers = Array.from({ length: 10 }, async () => {
    const response = new EventEmitter();
    const user = await memory.during(response, () => store.get(directoryId, id, { withGroups: true }));
    most = Math.max(most, (open += 1));
    const closed = once(response, 'close');
    setImmediate(() => {
      open -= 1;
      response.emit('close');
    });
    await closed;
    return user!.groups!.length;
  });
  expect(await Promise.all(readers)).toEqual(Array.from({ length: 10 }, () => 2_000));
  expect(most).toBeLessThanOrEqual(2);
});

it('ends a page of users before their groups take too much memory', async () => {
  for (let user = 0; user < 4; user += 1) await userIn(5_000);
  const { store, reserved } = watchMemory();
  const page = await store.list(directoryId, { page: { after: undefined, limit: 10 }, withGroups: true });
  expect(page.resources.map(({ groups }) => groups!.length)).toEqual([5_000]);
  expect(page.next).toEqual({ id: page.resources[0]!.id });
  expect(reserved).toEqual([expect.any(Number), 5_000 * 1_300]);
});

it('holds only the actual size of a page of users while it waits for memory for their groups', async () => {
  await userIn(2_000);
  const memory = createResponseMemory({ maxBytes: 17 * mib, timeoutMs: 2_000 });
  const { store } = watchMemory(memory);
  const list = async () => {
    const response = new EventEmitter();
    const page = { after: undefined, limit: 1_000 };
    const { resources } = await memory.during(response, () => store.list(directoryId, { page, withGroups: true }));
    response.emit('close');
    return resources.map(({ groups }) => groups!.length);
  };
  expect(await list()).toEqual([2_000]);
  await userIn(1);
  expect(await list()).toEqual([2_000, 1]);
});

it('rejects a user with more groups than fit into a response', async () => {
  const id = await userIn(18_000, { letter: '語' });
  const { store } = watchMemory();
  await expect(store.get(directoryId, id, { withGroups: true })).rejects.toMatchObject({
    code: 'payload_too_large',
    message: expect.stringContaining('excludedAttributes=groups'),
  });
  expect((await store.get(directoryId, id))!.id).toBe(id);
});

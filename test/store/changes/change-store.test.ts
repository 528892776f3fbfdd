import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import type { Mutation } from '../../../src/directory/changes/mutation.ts';
import type { ChangeStore } from '../../../src/directory/ports.ts';
import { newId } from '../../../src/ids.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { cloneDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { statusOf } from '../../support/status-of.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let store: ChangeStore;
let directoryId: string;
beforeAll(async () => {
  database = await cloneDatabase();
  store = createChangeStore(database.db);
});
afterAll(() => database.drop());
beforeEach(async () => {
  directoryId = newId();
  await database.db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: directoryId, url: 'http://127.0.0.1:1/' });
});

const mutate = <Change extends object>(change: Change) => ({ id: newId(), directoryId, ...change });
const create = (userName: string) => mutate({ kind: 'createUser', resourceId: newId(), resource: { userName } } as const);
const remove = (resourceId: string) => mutate({ kind: 'deleteUser', resourceId } as const);
const eventsOf = async () =>
  (await database.db('events').where({ directory_id: directoryId }).orderBy('sequence')).map(({ sequence, type, data }) => [
    sequence,
    type,
    data.raw.userName,
  ]);
const endpoint = () => database.db('webhook_endpoints').where({ directory_id: directoryId }).first();

it('applies a mutation once, however often it runs, with the same outcome and without a second event', async () => {
  const mutation = create('ada');
  const first = await applyInTransaction(store, directoryId, [mutation]);
  const second = await applyInTransaction(store, directoryId, [mutation]);
  expect(second.outcomes).toEqual(first.outcomes);
  expect(first.outcomes).toEqual([
    { mutationId: mutation.id, resourceId: mutation.resourceId, version: 1, at: expect.any(String), emitted: { first: 1, count: 1 } },
  ]);
  expect(await eventsOf()).toEqual([[1, 'user.created', 'ada']]);
});

it('returns the first outcome even if the directory has changed since', async () => {
  const first = create('ada');
  const rejected = create('Ada');
  await applyInTransaction(store, directoryId, [first]);
  const { outcomes } = await applyInTransaction(store, directoryId, [rejected]);
  expect(outcomes[0]!.error).toMatchObject({ code: 'name_taken' });
  await applyInTransaction(store, directoryId, [remove(first.resourceId)]);
  expect((await applyInTransaction(store, directoryId, [rejected])).outcomes).toEqual(outcomes);
  expect(await database.db('users').where({ directory_id: directoryId })).toEqual([]);
});

it('keeps the order of a batch, and applies the others when one mutation is rejected', async () => {
  const ada = create('ada');
  const group: Mutation[] = [
    ada,
    create('ADA'),
    create('ben'),
    remove(ada.resourceId),
    create('ada'),
    remove(randomUUID()),
    remove(ada.resourceId),
  ];
  const { outcomes } = await applyInTransaction(store, directoryId, group);
  expect(outcomes.map(statusOf)).toEqual([undefined, 409, undefined, undefined, undefined, 404, 404]);
  expect(outcomes.map(({ mutationId }) => mutationId)).toEqual(group.map(({ id }) => id));
  expect(await eventsOf()).toEqual([
    [1, 'user.created', 'ada'],
    [2, 'user.created', 'ben'],
    [3, 'user.deleted', 'ada'],
    [4, 'user.created', 'ada'],
  ]);
});

it('assigns gapless sequences to concurrent writers', async () => {
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, index) => applyInTransaction(store, directoryId, [create(`user${index % 30}`)])),
  );
  expect(results.filter(({ outcomes }) => outcomes[0]!.error).length).toBe(10);
  const events = await eventsOf();
  expect(events.map(([sequence]) => sequence)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  expect(await database.db('directories').where({ id: directoryId }).first()).toMatchObject({ last_sequence: 30 });
});

it('applies a mutation once that runs twice concurrently', async () => {
  const mutation = create('ada');
  const holder = await database.db.transaction();
  await holder('directories').where({ id: directoryId }).forUpdate().first();
  const twins = [1, 2].map(() => applyInTransaction(store, directoryId, [mutation]));
  await until(async () => {
    const { rows } = await database.db.raw(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return rows.length === 2;
  });
  await holder.rollback();
  const [first, second] = await Promise.all(twins);
  expect(first!.outcomes).toEqual([expect.objectContaining({ mutationId: mutation.id, version: 1 })]);
  expect(second!.outcomes).toEqual(first!.outcomes);
  expect(await eventsOf()).toEqual([[1, 'user.created', 'ada']]);
});

it('requests a wake-up only if the wake flag was not set', async () => {
  expect((await applyInTransaction(store, directoryId, [create('a')])).wake).toBe(true);
  expect((await applyInTransaction(store, directoryId, [create('b')])).wake).toBe(false);
  await database.db('webhook_endpoints').where({ directory_id: directoryId }).update({ wake: false });
  expect((await applyInTransaction(store, directoryId, [create('b')])).wake).toBe(false);
  expect(await endpoint()).toMatchObject({ wake: false });
  expect((await applyInTransaction(store, directoryId, [create('c')])).wake).toBe(true);
});

it('requests the wake-up again when it is retried after a crash, until the delivery has been woken', async () => {
  const mutation = create('a');
  await applyInTransaction(store, directoryId, [mutation]);
  expect((await applyInTransaction(store, directoryId, [mutation])).wake).toBe(true);
  await database.db('webhook_endpoints').where({ directory_id: directoryId }).update({ wake: false });
  expect((await applyInTransaction(store, directoryId, [mutation])).wake).toBe(false);
});

it('rejects mutations of a directory that is gone', async () => {
  await database.db('directories').where({ id: directoryId }).delete();
  const { outcomes, wake } = await applyInTransaction(store, directoryId, [create('a')]);
  expect([statusOf(outcomes[0]!), wake]).toEqual([404, false]);
});

it('compares user names without regard to case and Unicode normalization', async () => {
  const names = ['ÉMILIE', 'émilie', 'e\u0301milie', 'ΣΊΣΥΦΟΣ', 'σίσυφοσ', 'straße'];
  const { outcomes } = await applyInTransaction(store, directoryId, names.map(create));
  expect(outcomes.map(statusOf)).toEqual([undefined, 409, 409, undefined, undefined, undefined]);
});

async function usersOf(mutations: Mutation[]) {
  const { outcomes } = await applyInTransaction(store, directoryId, mutations);
  expect(outcomes.map(({ error }) => error)).toEqual(mutations.map(() => undefined));
  return outcomes.map(({ user }) => user);
}

it('returns a changed user with its groups, unless memberships change with it or it is large', async () => {
  const ada = create('ada');
  const replace = (displayName: string): Mutation =>
    mutate({ kind: 'replaceUser', resourceId: ada.resourceId, resource: { userName: 'ada', displayName } });
  const groupId = newId();
  const members = [{ value: ada.resourceId }];
  const group: Mutation = mutate({ kind: 'createGroup', resourceId: groupId, resource: { displayName: 'Engineers' }, members });
  const groups = [{ id: groupId, displayName: 'Engineers' }];
  expect(await usersOf([ada])).toEqual([undefined]);
  expect(await usersOf([replace('Ada'), group])).toEqual([undefined, undefined]);
  expect(await usersOf([replace('Countess')])).toEqual([
    expect.objectContaining({ version: 3, resource: { userName: 'ada', displayName: 'Countess', active: true }, groups }),
  ]);
  expect(await usersOf([replace('x'.repeat(65_536))])).toEqual([undefined]);
  expect(JSON.stringify(await database.db('mutations'))).not.toContain('Countess');
});

it('drops only old outcomes', async () => {
  const [old, recent] = [create('a'), create('b')];
  await applyInTransaction(store, directoryId, [old]);
  await applyInTransaction(store, directoryId, [recent]);
  await database
    .db('mutations')
    .where({ id: old.id })
    .update({ applied_at: new Date(Date.now() - 4 * 86_400_000) });
  expect(await store.deleteOldOutcomes(100)).toBe(1);
  expect(await database.db('mutations').where({ directory_id: directoryId }).pluck('id')).toEqual([recent.id]);
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import type { Mutation } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { createStagedMutationStore } from '../../../src/store/changes/staged-mutation-store.ts';
import { cloneDatabase } from '../../support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let directoryId: string;
beforeAll(async () => {
  database = await cloneDatabase();
  directoryId = newId();
  await database.db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
});
afterAll(() => database.drop());

const start = () => createStagedMutationStore(database.db, createKeyring([randomBytes(32)]));
const mutation = (): Mutation => ({ id: newId(), directoryId, kind: 'createUser', resourceId: newId(), resource: { userName: 'ada' } });

async function stage(store: ReturnType<typeof start>, given: Mutation) {
  const staged = await store.put(given);
  if (staged.kind === 'full') throw new Error(staged.message);
  return staged;
}

it('keeps a mutation sealed until it is dropped', async () => {
  const store = start();
  const given = mutation();
  const staged = await stage(store, given);
  expect(await store.fetch(staged)).toEqual(given);
  const [row] = await database.db('staged_mutations').where({ id: given.id });
  expect(row.sealed.includes('ada')).toBe(false);
  await store.delete(staged);
  expect(await store.fetch(staged)).toEqual({ id: given.id, directoryId, kind: 'bulk', operations: [], isLost: true });
});

it('stores no outcome for a mutation whose row is lost, unless it was applied', async () => {
  const given = mutation();
  const changes = createChangeStore(database.db);
  const apply = async (one: Mutation) => (await applyInTransaction(changes, directoryId, [one])).outcomes;
  const lost: Mutation = { id: newId(), directoryId, kind: 'bulk', operations: [], isLost: true };
  expect(await apply(lost)).toMatchObject([{ mutationId: lost.id, error: { code: 'lost' } }]);
  expect(await changes.outcomeOf(directoryId, lost.id)).toBeUndefined();
  const made = await apply(given);
  expect(await apply({ ...lost, id: given.id })).toEqual(made);
});

it('stages nothing for a directory that is gone, and drops mutations after a day', async () => {
  const store = start();
  const orphan = await stage(store, { ...mutation(), directoryId: newId() });
  expect(await database.db('staged_mutations').where({ id: orphan.id })).toEqual([]);
  const [old, recent] = [await stage(store, mutation()), await stage(store, mutation())];
  await database
    .db('staged_mutations')
    .where({ id: old.id })
    .update({ created_at: new Date(Date.now() - 2 * 86_400_000) });
  expect(await store.deleteAbandoned(100)).toBe(1);
  expect(await database.db('staged_mutations').pluck('id')).toEqual([recent.id]);
});

it('limits the staged bytes of a directory, and accepts a single larger mutation', async () => {
  const other = newId();
  await database.db('directories').insert({ id: other, tenant: 't', product: 'p', name: 'other', type: 'generic-scim-v2' });
  const store = createStagedMutationStore(database.db, createKeyring([randomBytes(32)]), { maxBytesPerDirectory: 100 });
  const large = () => ({ ...mutation(), directoryId: other, resource: { userName: 'x'.repeat(500) } }) as Mutation;
  const first = await stage(store, large());
  expect(await store.put(large())).toEqual({
    kind: 'full',
    message: expect.stringContaining('four times INTAKE_WAITING_BYTES_PER_DIRECTORY'),
  });
  await store.delete(first);
  await store.delete(await stage(store, large()));
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { RecordedRequest } from '../../../src/directory/recorded-requests/recorded-request.ts';
import type { RecordedRequestStore } from '../../../src/directory/ports.ts';
import { newId } from '../../../src/ids.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { createDirectoryStore } from '../../../src/store/directories/directory-store.ts';
import { createRecordedRequestStore } from '../../../src/store/recorded-requests/recorded-request-store.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import { createSecretColumns } from '../../../src/store/encryption/secret-columns.ts';
import { cloneDatabase } from '../../support/database.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let store: RecordedRequestStore;
beforeAll(async () => {
  database = await cloneDatabase();
  store = createRecordedRequestStore(unlimitedReads(database.db));
});
afterAll(() => database.drop());

async function createDirectory() {
  const id = newId();
  await database.db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: id });
  return id;
}

const recorded = (directoryId: string, number: number): RecordedRequest => ({
  directoryId,
  id: newId(number),
  at: new Date(number),
  method: 'POST',
  path: '/Users',
  status: 201,
  scimType: undefined,
  detail: undefined,
  durationMs: 1,
  requestId: String(number),
  userAgent: '',
  contentType: '',
  body: `"\\u0000 'é\n😀`,
  bodyState: 'complete',
  bodyBytes: 3,
});
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const numbersOf = async (id: string) =>
  (await database.db('scim_requests').where({ directory_id: id }).orderBy('id').pluck<string[]>('request_id')).map(Number);

it('returns recorded requests', async () => {
  const id = await createDirectory();
  const whole = { ...recorded(id, 1), scimType: 'invalidValue', detail: 'No.' };
  const bare = { ...recorded(id, 2), body: undefined, bodyState: 'none' as const, bodyBytes: undefined };
  await store.add([whole, bare]);
  expect(await store.list(id, { offset: 0, limit: 50 })).toEqual({ resources: [bare, whole], next: undefined });
});

it('keeps the newest 100 requests of each directory', async () => {
  const [one, other] = [await createDirectory(), await createDirectory()];
  await store.add([...range(1, 60).map((number) => recorded(one, number)), recorded(other, 1)]);
  await store.add(range(61, 100).map((number) => recorded(one, number)));
  expect(await numbersOf(one)).toEqual(range(1, 100));
  await store.add(range(101, 130).map((number) => recorded(one, number)));
  await store.add([recorded(one, 131)]);
  expect(await numbersOf(one)).toEqual(range(32, 131));
  await store.add(range(201, 300).map((number) => recorded(one, number)));
  expect(await numbersOf(one)).toEqual(range(201, 300));
  expect(await numbersOf(other)).toEqual([1]);
});

it('records requests of other directories when one is gone', async () => {
  const id = await createDirectory();
  await store.add([recorded(newId(), 1), recorded(id, 2)]);
  expect(await numbersOf(id)).toEqual([2]);
});

it('does not wait for a deletion, and does not block one', async () => {
  const directories = createDirectoryStore(
    database.db,
    createSecretColumns(createKeyring([randomBytes(32)])),
    createEmitOperatorEvent({ isHeard: false }),
  );
  const [deleted, other] = [await createDirectory(), await createDirectory()];
  await store.add(range(1, 100).map((number) => recorded(deleted, number)));
  await database.db.transaction(async (trx) => {
    await trx('directories').where({ id: deleted }).delete();
    await store.add([recorded(deleted, 101), recorded(other, 101)]);
  });
  expect([await numbersOf(deleted), await numbersOf(other)]).toEqual([[], [101]]);

  const ids = await Promise.all(range(1, 8).map(createDirectory));
  const fill = (from: number) => store.add(ids.flatMap((id) => range(from, from + 99).map((number) => recorded(id, number))));
  await fill(1);
  await Promise.all([fill(101), fill(201), fill(301), ...ids.slice(0, 4).map((id) => directories.remove(id))]);
  await fill(401);
  for (const id of ids.slice(0, 4)) expect((await numbersOf(id)).filter((number) => number > 400)).toEqual([]);
  for (const id of ids.slice(4)) {
    expect((await store.list(id, { offset: 0, limit: 1_000 })).resources).toHaveLength(100);
    expect(await numbersOf(id)).toEqual(range(401, 500));
  }
});

it('deletes requests that are too old, and last errors that are', async () => {
  await database.db('scim_requests').delete();
  const [id, other] = [await createDirectory(), await createDirectory()];
  const day = 86_400_000;
  const now = Date.now();
  const at = (directoryId: string, daysAgo: number) => ({ ...recorded(directoryId, now - daysAgo * day), status: 409, detail: 'ada' });
  await store.add([at(id, 40), at(id, 31), at(id, 29), at(other, 31)]);
  const lastErrors = () =>
    database.db('directory_pushes').whereIn('directory_id', [id, other]).whereNotNull('last_error').pluck<string[]>('directory_id');
  expect(new Set(await lastErrors())).toEqual(new Set([id, other]));
  expect(await store.dropExpired(30 * day, 2)).toBe(2);
  expect(await store.dropExpired(30 * day, 2)).toBe(1);
  expect([(await numbersOf(id)).length, (await numbersOf(other)).length]).toEqual([1, 0]);
  expect(await lastErrors()).toEqual([id]);
});

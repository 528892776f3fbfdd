import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { keptPerUser, subjectOf, type UserRequest } from '../../../src/directory/recorded-requests/user-requests.ts';
import { newId } from '../../../src/ids.ts';
import { createRecordedRequestStore } from '../../../src/store/recorded-requests/recorded-request-store.ts';
import { createUserRequestStore } from '../../../src/store/recorded-requests/user-request-store.ts';
import { cloneDatabase } from '../../support/database.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let directoryId: string;
let other: string;
const open = (options: Partial<Parameters<typeof createUserRequestStore>[0]> = {}) =>
  createUserRequestStore({ ...unlimitedReads(database.db), ...options });
beforeAll(async () => {
  database = await cloneDatabase();
});
beforeEach(async () => {
  [directoryId, other] = [await createDirectory(), await createDirectory()];
});
afterAll(() => database.drop());

async function createDirectory() {
  const id = newId();
  await database.db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  return id;
}

const requestOf = (names: string[], number: number, changed: Partial<UserRequest> = {}): UserRequest => ({
  directoryId,
  id: newId(number),
  at: new Date(number),
  method: 'PATCH',
  path: '/Users/x',
  status: 200,
  detail: undefined,
  durationMs: 1,
  requestId: String(number),
  subjects: names.map(subjectOf),
  isShared: names.length > 1,
  ...changed,
});
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const first = { offset: 0, limit: 100 };
const numbersOf = async (name: string, of = directoryId) =>
  (await open().listForUser(of, [subjectOf(name)], first)).resources.map(({ requestId }) => Number(requestId));

it('finds the requests about a user after ten thousand about others', async () => {
  const store = open();
  await store.addForUsers([requestOf(['ada'], 1, { status: 400, detail: 'No.' })]);
  for (const from of [2, 5_002]) await store.addForUsers(range(from, from + 4_999).map((number) => requestOf([`user-${number}`], number)));
  await store.addForUsers([requestOf(['ada', 'bob'], 20_000)]);
  const { resources, next } = await store.listForUser(directoryId, [subjectOf('ada')], first);
  expect(resources.map(({ requestId, status, detail, bodyState }) => [requestId, status, detail, bodyState])).toEqual([
    ['20000', 200, undefined, 'expired'],
    ['1', 400, 'No.', 'expired'],
  ]);
  expect(next).toBeUndefined();
  expect([await numbersOf('ADA'), await numbersOf('ada', other)]).toEqual([[20_000, 1], []]);
});

it('returns a request once that was noted under several names, in pages, with its body while that is kept', async () => {
  const recorded = createRecordedRequestStore(unlimitedReads(database.db));
  const subjects = ['ada', 'ada@acme.example', '7'];
  const requests = range(1, 5).map((number) => requestOf(subjects, number, { isShared: false }));
  await recorded.addForUsers(requests);
  await recorded.add([
    { ...requests[4]!, scimType: undefined, userAgent: 'Okta', contentType: '', body: '{}', bodyState: 'complete', bodyBytes: 2 },
  ]);
  const list = (page: Parameters<typeof recorded.listForUser>[2]) => recorded.listForUser(directoryId, subjects.map(subjectOf), page);
  const one = await list({ offset: 0, limit: 3 });
  expect(one.resources.map(({ requestId, body, userAgent }) => [requestId, body, userAgent])).toEqual([
    ['5', '{}', 'Okta'],
    ['4', undefined, ''],
    ['3', undefined, ''],
  ]);
  expect((await list({ after: one.next!, limit: 3 })).resources.map(({ requestId }) => requestId)).toEqual(['2', '1']);
});

it('keeps the newest of each user, and of the directory', async () => {
  const store = open({ random: () => 1 });
  await store.addForUsers(range(1, 40).flatMap((number) => [requestOf(['ada'], number), requestOf(['bob'], 100 + number)]));
  await store.addForUsers(range(41, 90).map((number) => requestOf(['ada'], number)));
  expect(await numbersOf('ada')).toEqual(range(91 - keptPerUser, 90).toReversed());
  expect(await numbersOf('bob')).toHaveLength(40);

  const small = open({ random: () => 0, maxRows: 10 });
  await small.addForUsers([requestOf(['cy'], 1_000)]);
  expect([(await numbersOf('bob')).length, await numbersOf('cy'), await numbersOf('ada')]).toEqual([9, [1_000], []]);
});

it('is safe to write twice, and ignores directories that are gone', async () => {
  const store = open();
  const request = requestOf(['ada'], 1);
  await store.addForUsers([request, request]);
  await store.addForUsers([request, requestOf(['ada'], 2, { directoryId: newId() })]);
  expect(await numbersOf('ada')).toEqual([1]);
});

it('deletes requests that are too old, a limited number at a time', async () => {
  await database.db('user_requests').delete();
  const [day, now] = [86_400_000, Date.now()];
  await open().addForUsers([40, 31, 29].map((days) => requestOf(['ada', 'bob'], now - days * day)));
  const { dropExpired } = createRecordedRequestStore(unlimitedReads(database.db));
  expect([await dropExpired(30 * day, 3), await dropExpired(30 * day, 3), await dropExpired(30 * day, 3)]).toEqual([3, 1, 0]);
  expect((await numbersOf('ada')).length).toBe(1);
});

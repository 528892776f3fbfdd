import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { cloneDatabase } from '../support/database.ts';
import { createLedger, type Ledger } from '../support/hostile/ledger.ts';
import { bulk, newUser, patch } from '../support/hostile/scenario.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let [directoryId, ledger]: [string, Ledger] = ['', createLedger('')];
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  directoryId = randomUUID();
  ledger = createLedger(directoryId);
  await database.db('all_directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
});

const counters = (counted: object) => database.db('all_directories').where({ id: directoryId }).update(counted);
async function store(userName: string) {
  const id = randomUUID();
  await database.db.raw(
    `insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
     values (:directoryId, :id, :userName, :userName, true, '', '', '', '{}', now(), now())`,
    { directoryId, id, userName },
  );
  await database.db('all_directories').where({ id: directoryId }).increment('user_count');
  return id;
}
const change = (status: number, id: string) => ledger.note({ method: 'PATCH', path: `/Users/${id}`, body: patch(), status });
const problems = () => ledger.findProblems(database.db);
const push = (status: number, userName: string, location?: string) =>
  ledger.note({ method: 'POST', path: '/Users', body: newUser(userName), status, location });
const pushBulk = (status: number, ...names: string[]) =>
  ledger.note({
    method: 'POST',
    path: '/Bulk',
    body: JSON.stringify(bulk(...names.map((name) => ({ method: 'POST', path: '/Users', bulkId: name, data: newUser(name) })))),
    status,
  });

it('finds nothing wrong if what was created is stored, and what was rejected is not', async () => {
  push(201, 'ada', `https://x/Users/${await store('ada')}`);
  push(413, 'ben');
  await store('cleo');
  push(503, 'cleo');
  pushBulk(503, 'dan', 'eve');
  expect(await problems()).toEqual([]);
});

it('finds a created user that is missing, and a rejected one that is stored', async () => {
  push(201, 'ada', `https://x/Users/${randomUUID()}`);
  await store('ben');
  push(413, 'ben');
  expect(await problems()).toEqual([
    expect.stringContaining('1 created resources are missing'),
    '1 rejected resources are stored, /Users ben for one',
  ]);
});

it('finds a change that was rejected and applied, alone or in a Bulk request', async () => {
  const [ada, ben] = [await store('ada'), await store('ben')];
  push(201, 'ada', `https://x/Users/${ada}`);
  push(201, 'ben', `https://x/Users/${ben}`);
  for (const status of [200, 503]) change(status, ada);
  change(413, ben);
  ledger.note({ method: 'GET', path: `/Users/${ben}`, status: 200 });
  ledger.note({ method: 'POST', path: '/Bulk', body: bulk({}, { method: 'DELETE' }), status: 400 });
  const operations = [ada, ben].map((id) => ({ method: 'PATCH', path: `/Users/${id}`, data: patch() }));
  ledger.note({ method: 'POST', path: '/Bulk', body: bulk(...operations), status: 413 });
  await database.db('users').where({ id: ada }).update({ version: 3 });
  expect(await problems()).toEqual([]);
  await database.db('users').where({ id: ben }).update({ version: 2 });
  expect(await problems()).toEqual([`1 users were changed by rejected requests, ${ben} for one`]);
});

it.each([
  [413, '1 rejected resources are stored, /Users ada for one'],
  [0, '1 Bulk requests are half applied'],
])('finds half of a Bulk request that got %s', async (status, problem) => {
  await store('ada');
  pushBulk(status, 'ada', 'ben');
  expect(await problems()).toEqual([problem]);
});

it('finds wrong counts', async () => {
  await counters({ user_count: 2, group_count: 1, membership_count: 3 });
  expect(await problems()).toEqual([
    `${directoryId}: 2 users are counted, 0 stored`,
    `${directoryId}: 1 groups are counted, 0 stored`,
    `${directoryId}: 3 memberships are counted, 0 stored`,
  ]);
});

it('finds a gap in the events, and a number without its event', async () => {
  for (const sequence of [1, 3])
    await database.db.raw(
      `insert into stored_events (directory_id, sequence, id, type, data, bytes, occurred_at)
       values (?, ?, gen_random_uuid(), 'user.created', '{}', 2, now())`,
      [directoryId, sequence],
    );
  await counters({ last_sequence: 4 });
  expect(await problems()).toEqual([
    `${directoryId}: the last event is 3, the last number 4`,
    `${directoryId}: the numbers of events have gaps`,
  ]);
});

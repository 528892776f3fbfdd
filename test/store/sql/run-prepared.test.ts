/**
 * The service has one set of prepared statements per process.
 *
 * @jest-environment-options {"ownModules": true}
 */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import type { Change } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { createPreparedStatements, runPrepared } from '../../../src/store/sql/run-prepared.ts';
import { readRow } from '../../../src/store/resources/read-row.ts';
import { createResponseMemory } from '../../../src/store/sql/response-memory.ts';
import { cloneDatabase } from '../../support/database.ts';
import { readUsersWithGroups } from '../../../src/store/users/user-store.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
/** A single connection, because Postgres reports plans per connection. */
let db: Knex;
beforeAll(async () => {
  database = await cloneDatabase();
});
beforeEach(() => {
  db = database.openSingle();
});
afterAll(() => database.drop());

/** Postgres plans the first five executions for their values; from then on it does so only if a plan for all values looks worse. */
const customPlans = 5;
const rounds = 12;

const emails = (name: string) => [{ value: `${name}@example.com`, primary: true }];

it.each([{ returnsEvents: false }, { returnsEvents: true }])(
  'plans no statement of a change for its values, returnsEvents: $returnsEvents',
  async ({ returnsEvents }) => {
    const store = createChangeStore(db, { returnsEvents });
    const directoryId = newId();
    await db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
    await db('webhook_endpoints').insert({ id: newId(), directory_id: directoryId, url: 'http://127.0.0.1:1/' });
    const apply = async (change: Change) => {
      const { outcomes } = await applyInTransaction(store, directoryId, [{ id: newId(), directoryId, ...change }]);
      expect(outcomes.map(({ error }) => error)).toEqual([undefined]);
    };
    for (let round = 0; round < rounds; round += 1) {
      const [user, group] = [newId(), newId()];
      const member = { value: user, display: 'Ada' };
      await apply({ kind: 'createUser', resourceId: user, resource: { userName: `user ${round}`, emails: emails(`a${round}`) } });
      await apply({
        kind: 'patchUser',
        resourceId: user,
        operations: [{ op: 'replace', target: { path: { attribute: 'active' } }, value: false }],
      });
      await apply({ kind: 'replaceUser', resourceId: user, resource: { userName: `user ${round}`, emails: emails(`b${round}`) } });
      await apply({ kind: 'createGroup', resourceId: group, resource: { displayName: `group ${round}` }, members: [member] });
      await apply({ kind: 'patchGroup', resourceId: group, operations: [], members: [{ kind: 'remove', values: [user] }] });
      await apply({ kind: 'patchGroup', resourceId: group, operations: [], members: [{ kind: 'add', members: [member] }] });
      await apply({ kind: 'replaceGroup', resourceId: group, resource: { displayName: `team ${round}` }, members: [] });
      await apply({ kind: 'patchGroup', resourceId: group, operations: [], members: [{ kind: 'add', members: [member] }] });
      await apply({ kind: 'deleteGroup', resourceId: group });
      await apply({ kind: 'deleteUser', resourceId: user });
    }
    const { seen, planned } = await readPlans();
    expect(seen).toBeGreaterThanOrEqual(10);
    expect(planned).toEqual([]);
  },
);

it('plans no read of one user or group for its values', async () => {
  const directory_id = newId();
  await db('directories').insert({ id: directory_id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  for (let round = 0; round < rounds; round += 1) {
    for (const by of ['id', 'userName', 'externalId'] as const) await readUsersWithGroups(db, by, [`${directory_id}/${newId()}`]);
    for (const table of ['users', 'groups'] as const)
      for (const by of ['key', 'googleId'] as const)
        await readRow({ db, memory: createResponseMemory({ maxBytes: 1_000_000, timeoutMs: 1_000 }) }, table, [directory_id], {
          by,
          id: newId(),
        });
  }
  const { seen, planned } = await readPlans();
  expect(seen).toBeGreaterThanOrEqual(7);
  expect(planned).toEqual([]);
});

/** Counts the statements that ran in each round, and returns those that were planned for their values. */
async function readPlans() {
  const { rows } = await db.raw<{ rows: { statement: string; custom_plans: number; generic_plans: number }[] }>(
    `select left(regexp_replace(statement, '\\s+', ' ', 'g'), 2000) as statement, custom_plans, generic_plans
     from pg_prepared_statements where custom_plans + generic_plans >= ?`,
    [rounds],
  );
  return { seen: rows.length, planned: rows.filter((row) => row.custom_plans > customPlans) };
}

type Run = typeof runPrepared;

async function run(marker: number, directoryId: string, by: Run = runPrepared) {
  const compose = () => `select cast(cast(:directoryId as text) = '' as int) + ${marker} as sum`;
  expect(await by(db, `statement-${marker}`, compose, { directoryId })).toEqual([{ sum: marker }]);
}

async function countKept(markers = '%') {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    'select cast(count(*) as int) as count from pg_prepared_statements where statement like ?',
    [markers === '%' ? '%' : `%+ ${markers} as sum%`],
  );
  return rows[0]!.count;
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

it('gives the place of a statement that is not used for ten minutes to another one of the same directory', async () => {
  const clock = { ms: 0 };
  const statements = createPreparedStatements({ prefix: 'test-', now: () => clock.ms });
  const connection = await db.client.acquireConnection();
  statements.dropUnused(connection);
  await db.client.releaseConnection(connection);
  const directoryId = newId();
  const use = (marker: number) => run(marker, directoryId, statements.runPrepared);
  for (const marker of range(1_000, 61)) await use(marker);
  expect([await countKept('1___'), await countKept('1060')]).toEqual([60, 0]);
  clock.ms = 600_000;
  await use(1_000);
  clock.ms += 1;
  for (const marker of [2_000, 2_001, 1_000, 1_001]) await use(marker);
  // The two that were used least recently gave up their places, and the last of these took the place of a third.
  expect([await countKept('2___'), await countKept('1___'), await countKept('1000'), await countKept('1002')]).toEqual([2, 58, 1, 0]);
  for (const marker of range(1_000, 61)) await use(marker);
  expect(await countKept('____')).toBe(60);
});

/** Must be the last test: it takes all places. */
it('keeps at most 100 statements per connection, replanned ones included, and gives places of one directory to others', async () => {
  const [greedy, other] = [newId(), newId()];
  for (let use = 1; use <= 55; use += 1) for (const marker of range(5_100, 150)) await run(marker, greedy);
  expect(await countKept('5___')).toBe(60);
  // Statements of other directories are still kept and replanned.
  for (let use = 1; use <= 55; use += 1) await run(6_000, other);
  expect(await countKept('6000')).toBe(1);
  const second = newId();
  for (const marker of range(8_000, 60)) await run(marker, second);
  for (const marker of range(7_000, 20)) await run(marker, newId());
  expect(await countKept('7___')).toBe(20);
  expect(await countKept('6000')).toBe(1);
  expect(await countKept()).toBeLessThanOrEqual(100);
  // What was displaced still works, and what displaced it stays.
  for (const marker of range(5_100, 150)) await run(marker, greedy);
  expect([await countKept('7___'), await countKept('6000')]).toEqual([20, 1]);
  expect(await countKept()).toBeLessThanOrEqual(100);
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import type { Change, Mutation } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { cloneDatabase } from '../../support/database.ts';
import { anyStep, contentsOf, toChanges } from '../../support/random-changes.ts';
import { statusOf } from '../../support/status-of.ts';
import { randomRuns } from '../../support/random-runs.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database?.drop());

/** Set CONCURRENCY_ROUNDS for more. */
const runs = randomRuns(40) * Number(process.env['CONCURRENCY_ROUNDS'] ?? 1);

/** The result of applying the changes in batches of this size, or as one Bulk request. */
async function applied(changes: Change[], { together, asBulk = false }: { together: number; asBulk?: boolean }) {
  const { db } = database;
  const directoryId = newId();
  await db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  const store = createChangeStore(db);
  const statuses: (number | undefined)[] = [];
  for (let from = 0; from < changes.length; from += together) {
    const some = changes.slice(from, from + together);
    const mutations: Mutation[] = asBulk
      ? [{ id: newId(), directoryId, kind: 'bulk', operations: some.map((change, index) => ({ index, dependsOn: [], change })) }]
      : some.map((change) => ({ id: newId(), directoryId, ...change }));
    const { outcomes } = await applyInTransaction(store, directoryId, mutations);
    const results = asBulk ? outcomes[0]!.results! : outcomes;
    statuses.push(...results.map(statusOf));
  }
  return { statuses, ...(await contentsOf(db, directoryId)) };
}

it(
  'has the same result whether changes are applied one by one, as a batch or as a Bulk request',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 14 }), fc.integer({ min: 2, max: 6 }), async (steps, together) => {
        const changes = toChanges(steps);
        const expected = await applied(changes, { together: 1 });
        expect(await applied(changes, { together })).toEqual(expected);
        // In a Bulk request, a member does not become pending for a resource that the same request fails to create.
        const hasErrors = expected.statuses.some((status) => status !== undefined);
        expect(hasErrors ? expected : await applied(changes, { together, asBulk: true })).toEqual(expected);
      }),
      { numRuns: runs },
    );
  },
  60_000 + runs * 2_000,
);

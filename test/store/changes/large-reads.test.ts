import { describe, expect, it } from '@jest/globals';
import { createApplyToDirectory } from '../../../src/directory/changes/apply-to-directory.ts';
import { createLogger } from '../../../src/logger.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { idOf } from '../../support/group-changes.ts';
import { bulkOf, mib, setTitle, setUpLargeChanges, times } from '../../support/large-changes.ts';

const { directory, apply, mutate, newUser, storeUsers, readTitled } = setUpLargeChanges();
const overBytes = expect.objectContaining({ status: 413, detail: expect.stringContaining('MAX_MUTATION_BYTES') });

/** The maximum growth of the heap while this runs. */
async function measureHeap<Result>(run: () => Promise<Result>): Promise<{ result: Result; grownBytes: number }> {
  const before = process.memoryUsage().heapUsed;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().heapUsed)), 5);
  const result = await run();
  clearInterval(watch);
  return { result, grownBytes: Math.max(peak, process.memoryUsage().heapUsed) - before };
}

describe('the read of a change', () => {
  it('is rejected in advance for a Bulk request with 400 users of 1 MB', async () => {
    const ids = await storeUsers(400, 1_000_000);
    const { result, grownBytes } = await measureHeap(() => apply(bulkOf(directory.id, ids.map(setTitle))));
    process.stdout.write(`A Bulk request that names 400 MB: the heap grew by ${Math.round(grownBytes / mib)} MiB\n`);
    expect(result).toEqual([expect.objectContaining({ error: overBytes })]);
    expect(await readTitled()).toEqual([]);
    expect(grownBytes).toBeLessThan(150 * mib);
  }, 180_000);

  it('is rejected for a user that leaves 500 groups of 250 KB, while concurrent changes are applied', async () => {
    const user = newUser('ada');
    await apply(user);
    await directory.db.raw(
      `with made as (
         insert into groups (directory_id, id, display_name, display_name_key, namesake, resource, created_at, updated_at)
         select cast(:directoryId as uuid), gen_random_uuid(), 'g' || n, 'g' || n, '',
           jsonb_build_object('displayName', 'g' || n, 'note', repeat('x', 250000)), now(), now()
         from generate_series(1, 500) n returning id
       )
       insert into group_members (directory_id, group_id, member_id, kind) select cast(:directoryId as uuid), id, :userId, 'user' from made`,
      { directoryId: directory.id, userId: idOf(user) },
    );
    const [leaves, other] = [mutate({ kind: 'deleteUser', resourceId: idOf(user) }), newUser('ben')];
    const store = createChangeStore(directory.db);
    const applyToDirectory = createApplyToDirectory({ changes: store, onQuotaReached: () => undefined, log: createLogger('silent') });
    const { result, grownBytes } = await measureHeap(() => applyToDirectory(directory.id, [leaves, other]));
    expect(result.outcomes).toEqual([
      expect.objectContaining({ mutationId: leaves.id, error: overBytes }),
      expect.objectContaining({ mutationId: other.id, version: 1 }),
    ]);
    expect(grownBytes).toBeLessThan(150 * mib);
    const members = await directory.db('group_members').where({ member_id: idOf(user) });
    expect(members).toHaveLength(500);
  }, 180_000);

  it('is not rejected only because several changes of a batch exceed the limit together', async () => {
    const ids = await storeUsers(60, 1_000_000);
    const store = createChangeStore(directory.db);
    const applyToDirectory = createApplyToDirectory({ changes: store, onQuotaReached: () => undefined, log: createLogger('silent') });
    const { outcomes } = await applyToDirectory(
      directory.id,
      ids.map((id) => mutate(setTitle(id))),
    );
    expect(outcomes.map(({ version }) => version)).toEqual(times(60, () => 2));
    expect(await readTitled()).toHaveLength(60);
  }, 180_000);

  it('is not needed after a crash if the outcome is known, even if it would be too large now', async () => {
    const [id] = await storeUsers(1, 1_000);
    const bulk = bulkOf(directory.id, [setTitle(id!)]);
    const first = await apply(bulk);
    await directory
      .db('users')
      .where({ id })
      .update({ resource: JSON.stringify({ userName: id, note: 'x'.repeat(40 * mib) }) });
    expect(await apply(bulk)).toEqual(first);
  }, 180_000);
});

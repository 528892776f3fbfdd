import { describe, expect, it } from '@jest/globals';
import { createApplyToDirectory } from '../../../src/directory/changes/apply-to-directory.ts';
import { createLogger } from '../../../src/logger.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { idOf } from '../../support/group-changes.ts';
import { addAllUsers } from '../../support/memberships.ts';
import { bulkOf, mib, setTitle, setUpLargeChanges, times } from '../../support/large-changes.ts';

const { directory, apply, drop, mutate, newGroup, newUser, storeUsers, readTitled } = setUpLargeChanges();
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

const removed = () => directory.db('events').where({ directory_id: directory.id, type: 'group.user_removed' });

describe('the users that membership events contain', () => {
  it('are measured before a large group is emptied: one of 400 users of 1 MB is rejected, and changes nothing', async () => {
    const group = newGroup('everybody');
    await apply(group);
    await storeUsers(400, 1_000_000);
    await addAllUsers(directory.db, directory.id, idOf(group));
    const [bulk, deletion] = [bulkOf(directory.id, [{ kind: 'deleteGroup', resourceId: idOf(group) }]), drop('deleteGroup', idOf(group))];
    const overCopies = expect.objectContaining({ status: 413, detail: expect.stringContaining('8 times MAX_MUTATION_BYTES') });
    expect(await apply(bulk)).toEqual([expect.objectContaining({ error: overCopies })]);
    const [outcome] = await apply(deletion);
    expect(outcome).toMatchObject({ error: overCopies });
    expect([await removed(), await directory.db('event_documents').where({ directory_id: directory.id })]).toEqual([[], []]);
    expect(await directory.db('group_members').where({ group_id: idOf(group) })).toHaveLength(400);
    expect(await apply(deletion)).toEqual([outcome]);
  }, 180_000);

  it('may take eight times the limit: a group of 240 users of 1 MB is deleted within the timeout of a statement', async () => {
    const group = newGroup('everybody');
    await apply(group);
    await storeUsers(240, 1_000_000);
    await addAllUsers(directory.db, directory.id, idOf(group));
    const startMs = performance.now();
    const [outcome] = await apply(drop('deleteGroup', idOf(group)));
    process.stdout.write(`A group of 240 users of 1 MB was deleted in ${Math.round(performance.now() - startMs)} ms\n`);
    expect(outcome!.error).toBeUndefined();
    expect(await removed()).toHaveLength(240);
  }, 180_000);

  it('do not reject other changes of the batch', async () => {
    const group = newGroup('everybody');
    await apply(group);
    await storeUsers(400, 1_000_000);
    await addAllUsers(directory.db, directory.id, idOf(group));
    const store = createChangeStore(directory.db);
    const applyToDirectory = createApplyToDirectory({ changes: store, onQuotaReached: () => undefined, log: createLogger('silent') });
    const { outcomes } = await applyToDirectory(directory.id, [newUser('ada'), drop('deleteGroup', idOf(group)), newUser('ben')]);
    expect(outcomes.map(({ error, version }) => (error as { status?: number } | undefined)?.status ?? version)).toEqual([1, 413, 1]);
  }, 180_000);
});

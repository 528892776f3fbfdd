import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { applyDifferences, toBulk } from '../../../src/directory/sync/apply-differences.ts';
import { createApplyToDirectory } from '../../../src/directory/changes/apply-to-directory.ts';
import type { ChangeStore } from '../../../src/directory/ports.ts';
import type { SyncStore } from '../../../src/directory/sync/ports.ts';
import { noCounts, type PlannedChange } from '../../../src/directory/sync/sync-run.ts';
import { createLogger } from '../../../src/logger.ts';
import { unlimitedBudget } from '../../../src/scim/budget.ts';
import { changed } from '../../support/pulled-directories.ts';
import { group, openSyncStores, page, user } from '../../support/sync-stores.ts';

let stores: Awaited<ReturnType<typeof openSyncStores>>;
let directoryId: string;
beforeAll(async () => {
  stores = await openSyncStores();
});
afterAll(() => stores.drop());
beforeEach(async () => {
  directoryId = await stores.addDirectory();
});

/** A run that has staged these users and members. */
async function read(users: ReturnType<typeof user>[], members: string[] = []): Promise<string> {
  const runId = await stores.begin(directoryId);
  await stores.syncs.stageUsers(directoryId, runId, page(...users));
  await stores.syncs.stageGroups(directoryId, runId, page(group('g')));
  await stores.syncs.stageMembers(directoryId, runId, [{ group: 'g', externalIds: members }]);
  return runId;
}

const log = createLogger('silent');
const apply = (runId: string, store: SyncStore = stores.syncs, budgetMs = 60_000, changes: ChangeStore = stores.changes) =>
  applyDifferences({ store, changes, onQuotaReached: () => undefined, log }, directoryId, runId, {
    beat: () => undefined,
    signal: new AbortController().signal,
    budgetMs,
  });

it('compares once, and returns the same plan to later callers', async () => {
  const runId = await read([user('1'), user('2')], ['1']);
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => stores.syncs.plan(directoryId, runId, 1)));
  expect(others).toEqual([first, first]);
  expect(first).toMatchObject({ counts: changed({ users: [2, 0, 0], groups: [1, 0, 0], members: [1, 0] }), removed: { users: 0 } });
  const places = () => stores.db('sync_changes').where({ run_id: runId }).orderBy('place').pluck('place');
  const before = await places();
  expect(before).toHaveLength(4);
  expect(await apply(runId, stores.syncs, 0)).toEqual({ phase: 'applying' });
  const { changes, pass } = (await stores.syncs.nextChanges(directoryId, runId)) as { changes: { place: number }[]; pass: number };
  await stores.syncs.conclude(directoryId, runId, { pass, upToPlace: changes.at(-1)!.place, counts: noCounts(), failures: [] });
  expect(await stores.syncs.plan(directoryId, runId, 1)).toEqual(first);
  expect(await places()).toEqual(before);
  const next = (await stores.syncs.nextChanges(directoryId, runId)) as { changes: { kind: string }[] };
  expect(next.changes.map(({ kind }) => kind)).toEqual(['group']);
});

it('counts a batch once, and ignores batches of a replaced comparison', async () => {
  const runId = await read([user('1')]);
  await stores.syncs.plan(directoryId, runId, 1);
  const { changes } = (await stores.syncs.nextChanges(directoryId, runId)) as { changes: { place: number }[] };
  const made = {
    pass: 1,
    upToPlace: changes.at(-1)!.place,
    counts: { ...noCounts(), users: { created: 1, updated: 0, deleted: 0 } },
    failures: [{ externalId: '1', reason: 'no' }],
  };
  for (const _ of [1, 2]) await stores.syncs.conclude(directoryId, runId, made);
  expect(await stores.run(directoryId, runId)).toMatchObject({ changed: { users: { created: 1 } }, failed: 1 });
  await stores.syncs.plan(directoryId, runId, 2);
  await stores.syncs.conclude(directoryId, runId, { ...made, upToPlace: 9e12 });
  expect(await stores.run(directoryId, runId)).toMatchObject({ changed: { users: { created: 1 } }, failed: 0, failures: [] });
  expect(await stores.syncs.nextChanges(directoryId, runId)).toMatchObject({ pass: 2, changes: [{ externalId: '1' }] });
});

it('applies a change once if its process died before it was counted', async () => {
  const runId = await read([user('1'), user('2')], ['1', '2']);
  await stores.syncs.plan(directoryId, runId, 1);
  let [concluded, deaths] = [0, 0];
  const dying: SyncStore = {
    ...stores.syncs,
    conclude: (...made) => ((concluded += 1) % 2 === 1 ? Promise.reject(new Error('killed')) : stores.syncs.conclude(...made)),
  };
  const applyAgain = (): ReturnType<typeof apply> =>
    apply(runId, dying).catch(() => {
      deaths += 1;
      return applyAgain();
    });
  expect([await applyAgain(), deaths]).toEqual(['ended', 3]);
  expect(await stores.events(directoryId)).toEqual([
    'user.created',
    'user.created',
    'group.created',
    'group.user_added',
    'group.user_added',
  ]);
  expect(await stores.run(directoryId, runId)).toMatchObject({
    state: 'succeeded',
    changed: changed({ users: [2, 0, 0], groups: [1, 0, 0], members: [2, 0] }),
  });
});

it('applies the rest of a batch whose beginning was applied by a release with smaller batches', async () => {
  const runId = await read(['1', '2', '3', '4', '5', '6'].map((id) => user(id)));
  await stores.syncs.plan(directoryId, runId, 1);
  const { changes, pass } = (await stores.syncs.nextChanges(directoryId, runId)) as { changes: PlannedChange[]; pass: number };
  expect(changes).toHaveLength(6);
  const { bulk } = toBulk({ directoryId, runId, pass, changes: changes.slice(0, 3) });
  const deps = { changes: stores.changes, budget: unlimitedBudget, onQuotaReached: () => undefined, log };
  await createApplyToDirectory(deps)(directoryId, [bulk], { expires: false, reason: 'sync' });
  expect(await apply(runId)).toBe('ended');
  const events = await stores.events(directoryId);
  expect(events.toSorted()).toEqual(['group.created', ...Array.from({ length: 6 }, () => 'user.created')]);
  expect(await stores.run(directoryId, runId)).toMatchObject({
    state: 'succeeded',
    failed: 0,
  });
});

it('adds all members of a group of which a release with smaller batches has added some', async () => {
  const people = ['1', '2', '3', '4', '5', '6'];
  expect(await apply(await planned(people))).toBe('ended');
  const runId = await planned(people, people);
  const { changes, pass } = (await stores.syncs.nextChanges(directoryId, runId)) as { changes: PlannedChange[]; pass: number };
  expect(changes.map(({ kind }) => kind)).toEqual(people.map(() => 'member'));
  const { bulk } = toBulk({ directoryId, runId, pass, changes: changes.slice(0, 3) });
  const deps = { changes: stores.changes, budget: unlimitedBudget, onQuotaReached: () => undefined, log };
  await createApplyToDirectory(deps)(directoryId, [bulk], { expires: false, reason: 'sync' });
  expect(await apply(runId)).toBe('ended');
  expect(await stores.events(directoryId)).toEqual([
    ...people.map(() => 'user.created'),
    'group.created',
    ...people.map(() => 'group.user_added'),
  ]);
  expect(await stores.run(directoryId, runId)).toMatchObject({ state: 'succeeded', failed: 0 });
});

it('limits the size of the users whose memberships change at once', async () => {
  const people = Array.from({ length: 40 }, (_, index) => String(100 + index));
  const large = people.map((id) => {
    const staged = user(id);
    return { ...staged, resource: { ...staged.resource, title: 'x'.repeat(900_000) } };
  });
  expect(await apply(await read(large).then(plan))).toBe('ended');
  const runId = await read(large, people).then(plan);
  const { changes } = (await stores.syncs.nextChanges(directoryId, runId)) as { changes: PlannedChange[] };
  expect(changes.length).toBeGreaterThan(10);
  expect(changes.length).toBeLessThan(people.length);
  expect(await apply(runId)).toBe('ended');
  expect((await stores.events(directoryId)).filter((type) => type === 'group.user_added')).toHaveLength(people.length);
});

const plan = async (runId: string): Promise<string> => {
  await stores.syncs.plan(directoryId, runId, 1);
  return runId;
};

async function planned(people: string[], members: string[] = []): Promise<string> {
  return plan(
    await read(
      people.map((id) => user(id)),
      members,
    ),
  );
}

it('fails a step whose batch fails unexpectedly, and records nothing, so that the batch is applied later', async () => {
  const runId = await read([user('1')], ['1']);
  await stores.syncs.plan(directoryId, runId, 1);
  const broken = { ...stores.changes, change: () => Promise.reject(new TypeError('a bug')) };
  await expect(apply(runId, stores.syncs, 60_000, broken)).rejects.toMatchObject({ name: 'AppError', code: 'internal' });
  expect(await stores.run(directoryId, runId)).toMatchObject({ state: 'running', changed: changed(), failed: 0, failures: [] });
  expect(await apply(runId)).toBe('ended');
  expect(await stores.run(directoryId, runId)).toMatchObject({
    state: 'succeeded',
    changed: changed({ users: [1, 0, 0], groups: [1, 0, 0], members: [1, 0] }),
    failed: 0,
  });
});

it('applies each change once when two processes work on the same run', async () => {
  const runId = await read(
    Array.from({ length: 2_500 }, (_, index) => user(String(10_000 + index))),
    ['10001', '10002'],
  );
  await stores.syncs.plan(directoryId, runId, 1);
  await Promise.all([apply(runId), apply(runId), apply(runId)]);
  const events = await stores.events(directoryId);
  expect(events).toHaveLength(2_500 + 1 + 2);
  expect(await stores.run(directoryId, runId)).toMatchObject({
    state: 'succeeded',
    changed: changed({ users: [2_500, 0, 0], groups: [1, 0, 0], members: [2, 0] }),
    failed: 0,
  });
});

const largeUsers = (text: string) =>
  Array.from({ length: 20 }, (_, index) => user(`${index}`, undefined, { text: text.repeat(1_000_000) }));

it('applies large changes in small batches, and counts their stored versions', async () => {
  for (const [users, most] of [
    [largeUsers('a'), 9],
    [largeUsers('b'), 5],
    [[], 9],
  ] as const) {
    const runId = await read([...users]);
    await stores.syncs.plan(directoryId, runId, 1);
    const sizes: number[] = [];
    const counting: SyncStore = {
      ...stores.syncs,
      async nextChanges(...args) {
        const next = await stores.syncs.nextChanges(...args);
        if (next !== 'stopped' && next.changes[0]?.kind === 'user') sizes.push(next.changes.length);
        return next;
      },
    };
    expect(await apply(runId, counting)).toBe('ended');
    expect([Math.max(...sizes), sizes.reduce((sum, size) => sum + size)]).toEqual([most, 20]);
  }
});

it('applies nothing of a canceled run, or if its directory is gone', async () => {
  const canceled = await read([user('1')]);
  await stores.syncs.plan(directoryId, canceled, 1);
  await stores.syncs.end(directoryId, canceled, { state: 'canceled' });
  expect(await apply(canceled)).toEqual({ phase: 'applying' });
  expect(await stores.syncs.enter(directoryId, canceled)).toBe('stopped');
  expect(await stores.events(directoryId)).toEqual([]);
  const gone = await read([user('1')]);
  await stores.syncs.plan(directoryId, gone, 1);
  const { changes } = (await stores.syncs.nextChanges(directoryId, gone)) as { changes: PlannedChange[] };
  await stores.db('directories').where({ id: directoryId }).delete();
  await stores.syncs.conclude(
    directoryId,
    gone,
    toBulk({ directoryId, runId: gone, pass: 1, changes }).toAppliedBatch({ mutationId: 'm', resourceId: 'r' }),
  );
  expect(await apply(gone)).toEqual({ phase: 'applying' });
  expect(await stores.syncs.enter(directoryId, gone)).toBe('stopped');
});

it('stops when the directory is deactivated', async () => {
  const runId = await read([user('1')]);
  await stores.syncs.plan(directoryId, runId, 1);
  await stores.db('directories').where({ id: directoryId }).update({ deactivated: true });
  expect(await apply(runId)).toEqual({ phase: 'applying' });
  expect(await stores.events(directoryId)).toEqual([]);
  expect(await stores.syncs.enter(directoryId, runId)).toBe('deactivated');
});

it('keeps twenty rejected changes, and counts all', async () => {
  const first = await read([user('taken', 'same@acme.example')]);
  await stores.syncs.plan(directoryId, first, 1);
  await apply(first);
  const second = await read([
    user('taken', 'same@acme.example'),
    ...Array.from({ length: 30 }, (_, index) => user(`x${index}`, 'same@acme.example')),
    user('fine'),
  ]);
  await stores.syncs.plan(directoryId, second, 1);
  expect(await apply(second)).toBe('ended');
  const run = await stores.run(directoryId, second);
  expect([run.state, run.failed, run.failures.length, run.changed.users]).toEqual([
    'succeeded',
    30,
    20,
    { created: 1, updated: 0, deleted: 0 },
  ]);
});

import { describe, expect, it } from '@jest/globals';
import { applyInTransaction, createApplyToDirectory } from '../../../src/directory/changes/apply-to-directory.ts';
import type { Bulk, Change, Mutation } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createLogger } from '../../../src/logger.ts';
import { parsePath } from '../../../src/scim/filter/parse-filter.ts';
import { groupType } from '../../../src/scim/schema/resource-types.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { setUpGroupChanges, idOf } from '../../support/group-changes.ts';
import { until } from '../../support/until.ts';
import type { MemberChange } from '../../../src/scim/patch/operation.ts';

const { directory, apply, mutate, newUser } = setUpGroupChanges();
const mib = 1_048_576;
const times = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, index) => make(index));
const overBytes = expect.objectContaining({ status: 413, detail: expect.stringContaining('MAX_MUTATION_BYTES') });

/** Existing users with a note of this size, which Postgres compresses well. */
async function storeUsers(count: number, bytes: number, directoryId = directory.id): Promise<string[]> {
  const ids = times(count, () => newId());
  await directory.db.raw(
    `insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
     select :directoryId, id, cast(id as text), cast(id as text), true, '', '', '',
       jsonb_build_object('userName', id, 'note', repeat('x', cast(:bytes as int))), now(), now()
     from unnest(cast(:ids as uuid[])) id`,
    { directoryId, ids, bytes },
  );
  return ids;
}

const bulkOf = (directoryId: string, changes: Change[]): Mutation & Bulk => ({
  id: newId(),
  directoryId,
  kind: 'bulk',
  operations: changes.map((change, index) => ({ index, dependsOn: [], change })),
});
const setTitle = (resourceId: string): Change => ({
  kind: 'patchUser',
  resourceId,
  operations: [{ op: 'replace', target: { path: { attribute: 'title' } }, value: 'new' }],
});
const titles = async () => directory.db('users').where({ directory_id: directory.id }).whereRaw(`resource->>'title' = 'new'`).pluck('id');

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
    expect(await titles()).toEqual([]);
    expect(grownBytes).toBeLessThan(150 * mib);
  }, 180_000);

  it('finds a group by its id in several statements after it did in one', async () => {
    const group = mutate({ kind: 'createGroup', resourceId: newId(), resource: { displayName: 'team' }, members: [] });
    await apply(group);
    for (const options of [{}, { smallBytes: -1 }]) {
      const change = mutate({ kind: 'patchGroup', resourceId: idOf(group), operations: [], members: [] });
      const { outcomes } = await applyInTransaction(createChangeStore(directory.db, options), directory.id, [change]);
      expect(outcomes).toEqual([expect.objectContaining({ resourceId: idOf(group) })]);
    }
  });

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
    const applyIsolating = createApplyToDirectory({ changes: store, onQuotaReached: () => undefined, log: createLogger('silent') });
    const { result, grownBytes } = await measureHeap(() => applyIsolating(directory.id, [leaves, other]));
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
    const applyIsolating = createApplyToDirectory({ changes: store, onQuotaReached: () => undefined, log: createLogger('silent') });
    const { outcomes } = await applyIsolating(
      directory.id,
      ids.map((id) => mutate(setTitle(id))),
    );
    expect(outcomes.map(({ version }) => version)).toEqual(times(60, () => 2));
    expect(await titles()).toHaveLength(60);
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

  it('waits for memory while other changes use it, and one directory gets half of it', async () => {
    const other = newId();
    await directory.db('directories').insert({ id: other, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
    const [own, others] = [await storeUsers(40, 100_000), await storeUsers(40, 100_000, other)];
    let running = 0;
    let most = 0;
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const store = createChangeStore(directory.db, { maxBytes: 10 * mib });
    const watching: typeof store = {
      ...store,
      change: (request, decide) =>
        store.change({ ...request, maxBytes: 5 * mib }, async (snapshot) => {
          most = Math.max(most, (running += 1));
          await opened;
          running -= 1;
          return decide(snapshot);
        }),
    };
    const changes = [
      ...times(4, (index) =>
        applyInTransaction(watching, directory.id, [bulkOf(directory.id, own.slice(index * 10, index * 10 + 10).map(setTitle))]),
      ),
      ...times(2, (index) => applyInTransaction(watching, other, [bulkOf(other, others.slice(index * 20, index * 20 + 20).map(setTitle))])),
    ];
    await until(() => running >= 2);
    open();
    const applied = await Promise.all(changes);
    expect(applied.map(({ outcomes }) => outcomes[0]!.results?.every(({ version }) => version === 2))).toEqual(times(6, () => true));
    expect(most).toBe(2);
    expect(await titles()).toHaveLength(40);
  }, 180_000);

  it('is retried if it has become large since the first attempt and others hold the memory', async () => {
    const other = newId();
    await directory.db('directories').insert({ id: other, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
    const [[own], others] = [await storeUsers(1, 1_000), await storeUsers(9, 900_000, other)];
    const store = createChangeStore(directory.db, { maxBytes: 10 * mib });
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let isHeld = false;
    const holding: typeof store = {
      ...store,
      change: (request, decide) =>
        store.change(request, async (snapshot) => {
          isHeld = true;
          await opened;
          return decide(snapshot);
        }),
    };
    const held = applyInTransaction(holding, other, [bulkOf(other, others.map(setTitle))]);
    await until(() => isHeld);
    const growing: typeof store = {
      ...store,
      change: (request, decide) =>
        store.change(request, async (snapshot) => {
          await directory
            .db('users')
            .where({ id: own })
            .update({ resource: JSON.stringify({ userName: own, note: 'x'.repeat(900_000) }) });
          await directory.db('directories').where({ id: directory.id }).increment('revision', 1);
          return decide(snapshot);
        }),
    };
    const bulk = bulkOf(directory.id, [setTitle(own!)]);
    await expect(applyInTransaction(growing, directory.id, [bulk])).rejects.toThrow('Large changes in progress');
    expect(await titles()).toEqual([]);
    open();
    await held;
    await applyInTransaction(store, directory.id, [bulk]);
    expect(await titles()).toEqual([own]);
  }, 180_000);
});

const makeLarger = async (id: string, bytes: number) => {
  await directory
    .db('users')
    .where({ id })
    .update({ resource: JSON.stringify({ userName: id, note: 'x'.repeat(bytes) }) });
  await directory.db('directories').where({ id: directory.id }).increment('revision', 1);
};
const addDirectory = async () => {
  const id = newId();
  await directory.db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  return { id, users: await storeUsers(9, 500_000, id) };
};

/** Runs `onDecide` when the change has read what it needs. */
const watch = (store: ReturnType<typeof createChangeStore>, onDecide: (attempt: number) => Promise<unknown>): typeof store => {
  let attempts = 0;
  return {
    ...store,
    change: (request, decide) => store.change(request, async (snapshot) => (await onDecide((attempts += 1)), decide(snapshot))),
  };
};

async function waitingForLocks(): Promise<number> {
  const { rows } = await directory.db.raw<{ rows: [{ count: number }] }>(
    `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].count;
}

describe('a large change that another process made larger during its first attempt', () => {
  it('waits again for the memory that its read may take', async () => {
    const [[own], ...others] = [await storeUsers(1, 300_000), await addDirectory(), await addDirectory()];
    const store = createChangeStore(directory.db, { maxBytes: 10 * mib, timeoutMs: 500 });
    const open: (() => void)[] = [];
    const holding: Promise<unknown>[] = [];
    let attempts = 0;
    const growing = watch(store, async (attempt) => {
      attempts = attempt;
      if (attempt > 1) return;
      // It holds 300 KB of its half by now, so others get the rest.
      for (const { id, users } of others) {
        const held = watch(store, () => new Promise<void>((resolve) => open.push(resolve)));
        holding.push(applyInTransaction(held, id, [bulkOf(id, users.map(setTitle))]));
        await until(() => open.length === holding.length);
      }
      await makeLarger(own!, 900_000);
    });
    const bulk = bulkOf(directory.id, [setTitle(own!)]);
    await expect(applyInTransaction(growing, directory.id, [bulk])).rejects.toThrow('Large changes in progress');
    expect(attempts).toBe(1);
    // One after the other, because the memory for writes is enough for one of them.
    for (const [index, held] of holding.entries()) {
      open[index]!();
      await held;
    }
    await applyInTransaction(store, directory.id, [bulk]);
    expect(await titles()).toEqual([own]);
  }, 180_000);

  it('does not write more than it has memory for', async () => {
    const [[own], other] = [await storeUsers(1, 300_000), await addDirectory()];
    const store = createChangeStore(directory.db, { maxBytes: 10 * mib });
    let held: Promise<unknown> | undefined;
    // While this row is locked, the other change holds 9 MB for its writes: each user and its event.
    const lock = await directory.db.transaction();
    const growing = watch(store, async (attempt) => {
      if (attempt === 1) return makeLarger(own!, 900_000);
      await lock('directories').where({ id: other.id }).forUpdate().select('id');
      held = applyInTransaction(store, other.id, [bulkOf(other.id, other.users.map(setTitle))]);
      await until(async () => (await waitingForLocks()) === 1);
    });
    const bulk = bulkOf(directory.id, [setTitle(own!)]);
    await expect(applyInTransaction(growing, directory.id, [bulk])).rejects.toThrow('Large changes in progress');
    await lock.rollback();
    await held;
    await applyInTransaction(store, directory.id, [bulk]);
    expect(await titles()).toEqual([own]);
  }, 180_000);
});

function addTo(ids: string[]): string {
  ids.push(newId());
  return ids.at(-1)!;
}

/** Pseudo-random numbers from a seed, so that both runs get the same changes. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

it.each([1, 2, 3])(
  'returns the same with many statements as with one, for random changes (%i)',
  async (seed) => {
    const twin = newId();
    await directory.db('directories').insert({ id: twin, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
    const stores = { [directory.id]: createChangeStore(directory.db), [twin]: createChangeStore(directory.db, { smallBytes: -1 }) };
    const random = createRandom(seed * 7_919);
    const [users, groups] = [[newId()], [newId()]];
    const names = ['ada', 'ben', 'cid', 'dan', 'eve', 'fay', 'gus'];
    const pick = <Item>(items: Item[]): Item => items[random(items.length)]!;
    const anyMember = () => pick([pick(users), pick(groups), pick(names), `E${random(5)}`]);
    const someMembers = () => [...new Set(times(random(5), anyMember))].map((value) => ({ value, display: `d${random(3)}` }));
    const filter = parsePath('members[display eq "d1"]', groupType).filter!;
    const anyMemberChange = (): MemberChange =>
      pick<() => MemberChange>([
        () => ({ kind: 'add', members: someMembers() }),
        () => ({ kind: 'remove', values: someMembers().map(({ value }) => value) }),
        () => ({ kind: 'replace', members: someMembers() }),
        () => ({ kind: 'removeMatching', filter }),
      ])();
    const anyChange = (): Change =>
      pick<() => Change>([
        () => ({ kind: 'createUser', resourceId: addTo(users), resource: { userName: pick(names), externalId: `E${random(5)}` } }),
        () => ({ kind: 'replaceUser', resourceId: pick(users), resource: { userName: pick(names), externalId: `E${random(5)}` } }),
        () => ({ kind: 'deleteUser', resourceId: pick(users) }),
        () => ({ kind: 'createGroup', resourceId: addTo(groups), resource: { displayName: `g${random(6)}` }, members: someMembers() }),
        () => ({ kind: 'patchGroup', resourceId: pick(groups), operations: [], members: times(1 + random(2), anyMemberChange) }),
        () => ({ kind: 'replaceGroup', resourceId: pick(groups), resource: { displayName: `g${random(6)}` }, members: someMembers() }),
        () => ({ kind: 'deleteGroup', resourceId: pick(groups) }),
      ])();

    for (let round = 0; round < 40; round += 1) {
      const changes = times(1 + random(4), anyChange);
      const outcomes = [];
      for (const id of [directory.id, twin]) {
        const applied = await applyInTransaction(stores[id]!, id, [bulkOf(id, changes)]);
        outcomes.push(applied.outcomes.map(({ results, emitted }) => [results?.map(({ version, error }) => version ?? error), emitted]));
      }
      expect(outcomes[1]).toEqual(outcomes[0]);
    }
    const contents = async (directoryId: string) => ({
      members: (await directory.db('group_members').where({ directory_id: directoryId }).orderBy('position')).map(
        ({ group_id: group, member_id: member, kind, display }) => [group, member, kind, display],
      ),
      pending: (await directory.db('pending_members').where({ directory_id: directoryId }).orderBy('position')).map(
        ({ group_id: group, value, display }) => [group, value, display],
      ),
      users: await directory
        .db('users')
        .where({ directory_id: directoryId })
        .orderBy('id')
        .select('id', 'user_name', 'resource', 'version'),
      groups: await directory
        .db('groups')
        .where({ directory_id: directoryId })
        .orderBy('id')
        .select('id', 'resource', 'version', 'member_count'),
      events: (await directory.db('events').where({ directory_id: directoryId }).orderBy('sequence')).map(({ type, data }) => [
        type,
        data.id,
      ]),
    });
    const [one, other] = [await contents(directory.id), await contents(twin)];
    expect(one.members.length + one.pending.length).toBeGreaterThan(0);
    expect(other).toEqual(one);
  },
  180_000,
);

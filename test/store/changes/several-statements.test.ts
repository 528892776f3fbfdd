import { expect, it } from '@jest/globals';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import type { Change } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';
import { parsePath } from '../../../src/scim/filter/parse-filter.ts';
import type { MemberChange } from '../../../src/scim/patch/operation.ts';
import { groupType } from '../../../src/scim/schema/resource-types.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { idOf } from '../../support/group-changes.ts';
import { bulkOf, setUpLargeChanges, times } from '../../support/large-changes.ts';

const { directory, apply, mutate, addDirectory } = setUpLargeChanges();

it('finds a group by its ID in several statements after it did in one', async () => {
  const group = mutate({ kind: 'createGroup', resourceId: newId(), resource: { displayName: 'team' }, members: [] });
  await apply(group);
  for (const options of [{}, { smallBytes: -1 }]) {
    const change = mutate({ kind: 'patchGroup', resourceId: idOf(group), operations: [], members: [] });
    const { outcomes } = await applyInTransaction(createChangeStore(directory.db, options), directory.id, [change]);
    expect(outcomes).toEqual([expect.objectContaining({ resourceId: idOf(group) })]);
  }
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
    const twin = await addDirectory();
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

import type { Knex } from 'knex';
import type { Change } from '../../src/directory/changes/mutation.ts';
import { newId } from '../../src/ids.ts';
import { parsePath } from '../../src/scim/filter/parse-filter.ts';
import type { MemberChange } from '../../src/scim/patch/operation.ts';
import { groupType } from '../../src/scim/schema/resource-types.ts';

const times = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, index) => make(index));

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

/** Random changes of few users and groups, many of which concern the same ones. */
export function createRandomChanges(seed: number) {
  const random = createRandom(seed);
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

  return { several: (atMost: number) => times(1 + random(atMost), anyChange) };
}

/** What a directory contains, and its events. */
export const contentsOf = async (db: Knex, directoryId: string) => ({
  members: (await db('group_members').where({ directory_id: directoryId }).orderBy('position')).map(
    ({ group_id: group, member_id: member, kind, display }) => [group, member, kind, display],
  ),
  pending: (await db('pending_members').where({ directory_id: directoryId }).orderBy('position')).map(
    ({ group_id: group, value, display }) => [group, value, display],
  ),
  users: await db('users').where({ directory_id: directoryId }).orderBy('id').select('id', 'user_name', 'resource', 'version'),
  groups: await db('groups').where({ directory_id: directoryId }).orderBy('id').select('id', 'resource', 'version', 'member_count'),
  events: (await db('events').where({ directory_id: directoryId }).orderBy('sequence')).map(({ type, data }) => [type, data.id]),
});

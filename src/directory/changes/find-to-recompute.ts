import { createNamedGroups } from '../roles/compute-roles.ts';
import type { Group } from '../resources/group.ts';
import type { Snapshot, Writes } from './snapshot.ts';

/** Noting a user takes time in the change itself, with the directory locked. Above this, computing all users of the directory costs less. */
export const maxNoted = 20_000;

/**
 * The users whose roles may change because of groups that the role table names, or named before a rename: those that are added or removed, and
 * all members of a group whose new name is in other rows. A group that the table does not name costs nothing.
 */
export function findToRecompute(
  { roleTable, groups: stored, memberCounts }: Pick<Snapshot, 'roleTable' | 'groups' | 'memberCounts'>,
  { users, groups, memberships }: Pick<Writes, 'users' | 'groups' | 'memberships'>,
): Writes['toRecompute'] {
  const { added, removed } = memberships;
  if (!roleTable || added.length + removed.length + groups.updated.length === 0) return noUsers;
  const named = createNamedGroups(roleTable);
  const isNamed = new Map<string, boolean>();
  const note = (group: Group) => isNamed.set(group.id, isNamed.get(group.id) === true || named.placesOf(group).length > 0);
  stored.forEach(note);
  groups.inserted.forEach(note);
  groups.updated.forEach(({ row }) => note(row));
  const deleted = new Set(users.deleted);
  const found = new Set<string>();
  for (const changed of [added, removed])
    for (const { groupId, memberId, kind } of changed)
      if (kind === 'user' && isNamed.get(groupId) && !deleted.has(memberId)) found.add(memberId);
  const membersOf = groups.updated.flatMap(({ former, row }) =>
    former.displayName !== row.displayName && named.placesOf(former).join() !== named.placesOf(row).join() ? [row.id] : [],
  );
  const count = membersOf.reduce((sum, id) => sum + (memberCounts.get(id) ?? 0), found.size);
  return count > maxNoted ? { users: [], membersOf: [], everyone: true } : { users: [...found], membersOf, everyone: false };
}

const noUsers = { users: [], membersOf: [], everyone: false };

import { AppError } from '../../errors.ts';
import { foldCase } from '../../scim/text.ts';
import { invalid } from '../attributes/attribute.ts';
import type { DirectoryRoles } from '../roles/ports.ts';
import { assertSize, type GroupRole, maxGroupNameLength, maxGroupRoles, type RoleTable } from '../roles/role-table.ts';

/** The most roles that a link can offer. */
export const maxOfferedRoles = 20;

/** A row of the role table, as the holder of a link sees it. */
export interface ShownRole {
  /** What names the row in a form. */
  ref: string;
  group: string;
  role: string;
  /** Whether the directory has the group now. */
  exists: boolean;
  /** Only rows whose role the link offers can be changed with it. The last row of a table stays. */
  canChange: boolean;
}

type Present = Pick<DirectoryRoles, 'table' | 'groups'>;

/** Unique in a table: no two rows name their group in the same way. */
const refOf = ({ groupId, key }: GroupRole): string => `${groupId === undefined ? 'name' : 'id'}:${key}`;

export const showRoles = ({ table, groups }: Present, offered: readonly string[]): ShownRole[] =>
  (table?.groups ?? []).map((row, place) => ({
    ref: refOf(row),
    group: groups.get(place)?.name ?? row.groupName ?? row.groupId!,
    role: row.role,
    exists: groups.has(place),
    canChange: offered.includes(row.role),
  }));

/**
 * Gives the members of a group a role that the link offers. The row comes before the first one whose offered role is weaker, else after the
 * last one whose role is offered, else at the end. All other rows keep their order: what they mean to the application is not known here.
 */
export function giveRole({ table, groups }: Present, offered: readonly string[], given: { group: string; role: string }): RoleTable {
  const { role } = given;
  const strength = offered.indexOf(role);
  if (strength < 0) throw invalid('role', 'must be one of those that the setup link offers');
  const groupName = given.group.trim();
  if (groupName === '') throw invalid('group', 'must not be empty');
  if (groupName.length > maxGroupNameLength) throw invalid('group', `may have at most ${maxGroupNameLength} characters`);
  const key = foldCase(groupName);
  const former = table?.groups ?? [];
  const isOfGroup = (row: GroupRole, place: number) =>
    row.groupId === undefined ? row.key === key : foldCase(groups.get(place)?.name ?? '') === key;
  const replaced = former.filter(isOfGroup);
  for (const row of replaced) assertOffered(row, offered);
  const rest = former.filter((row) => !replaced.includes(row));
  if (rest.length >= maxGroupRoles) throw invalid('group', `may be given to at most ${maxGroupRoles} groups`);
  const weaker = rest.findIndex((one) => offered.indexOf(one.role) > strength);
  const place = weaker < 0 ? rest.findLastIndex((one) => offered.includes(one.role)) + 1 || rest.length : weaker;
  const row: GroupRole = { groupName, key, role, priority: 0 };
  return assertSize(withRows(table, rest.toSpliced(place, 0, row)));
}

/** Without rows there would be no table, and the roles that are pushed would count: that is not for the holder of a link to decide. */
export function takeRole({ table }: Present, offered: readonly string[], ref: string): RoleTable {
  const former = table?.groups ?? [];
  const row = former.find((one) => refOf(one) === ref);
  // Somebody has removed it already.
  if (!table || !row) return table ?? nothingToTake();
  assertOffered(row, offered);
  if (former.length === 1) throw invalid('group', 'is the last one that has a role: give another group a role first');
  return withRows(
    table,
    former.filter((one) => one !== row),
  );
}

function nothingToTake(): never {
  throw invalid('group', 'has no role');
}

function assertOffered({ role }: GroupRole, offered: readonly string[]): void {
  if (!offered.includes(role))
    throw new AppError('forbidden', 'The application has given this group a role that the setup link does not offer.');
}

const withRows = (table: RoleTable | undefined, rows: GroupRole[]): RoleTable => ({
  ...(table ?? { defaultRole: null, multiple: false, pushedRoles: 'ignore' }),
  groups: rows.map((row, place) => ({ ...row, priority: place + 1 })),
});

import { foldCase } from '../../scim/text.ts';
import { invalid } from '../attributes/attribute.ts';
import { toResourceKey } from '../resources/resource-ids.ts';

export const pushedRolesOptions = ['ignore', 'include'] as const;
type PushedRoles = (typeof pushedRolesOptions)[number];

/** A row of a role table: whoever is in the group has the role. It names the group by its ID or by its display name. */
export interface GroupRole {
  groupId?: string | undefined;
  groupName?: string | undefined;
  /** What the group's row is found by: its key or its folded display name. */
  key: string;
  role: string;
  /** 1 is the strongest. */
  priority: number;
}

/** Which roles the users of a directory have. It is stored as it is. */
export interface RoleTable {
  /** The strongest first. */
  groups: GroupRole[];
  /** The role of whoever has no other. Null: none. */
  defaultRole: string | null;
  /** Whether a user has all its roles, or only the strongest one. */
  multiple: boolean;
  /** Whether the roles that the identity provider pushes count too, after those of groups. */
  pushedRoles: PushedRoles;
}

export interface RequestedRoleTable {
  groups: { groupId?: string | undefined; groupName?: string | undefined; role: string; priority?: number | undefined }[];
  defaultRole?: string | null | undefined;
  multiple?: boolean | undefined;
  pushedRoles?: PushedRoles | undefined;
}

export const maxGroupRoles = 500;
export const maxRoleLength = 64;
export const maxGroupNameLength = 256;
export const maxPriority = 1_000_000;
/** As JSON. Each change of the directory reads the table. */
const maxTableBytes = 65_536;

/** Rejects rows that contradict each other. */
export function toRoleTable(requested: RequestedRoleTable): RoleTable {
  const { groups, defaultRole = null, multiple = false, pushedRoles = 'ignore' } = requested;
  const priorities = new Set<number>();
  const seen = new Set<string>();
  const rows = groups.map((row, index): GroupRole => {
    const field = `groups.${index}`;
    const { groupId, groupName, role } = row;
    if ((groupId === undefined) === (groupName === undefined)) throw invalid(field, 'must have either group_id or group_name');
    if ((row.priority === undefined) !== (groups[0]!.priority === undefined))
      throw invalid(`${field}.priority`, 'must be given in all rows, or in none');
    const priority = row.priority ?? index + 1;
    if (priorities.has(priority)) throw invalid(`${field}.priority`, `is used twice: ${priority}`);
    priorities.add(priority);
    const key = groupId === undefined ? foldCase(groupName!) : toResourceKey(groupId);
    const name = groupId === undefined ? 'group_name' : 'group_id';
    if (seen.has(`${name} ${key}`)) throw invalid(`${field}.${name}`, 'is the group of another row');
    seen.add(`${name} ${key}`);
    return { ...(groupId === undefined ? { groupName: groupName! } : { groupId }), key, role, priority };
  });
  rows.sort((one, other) => one.priority - other.priority);
  return assertSize({ groups: rows, defaultRole, multiple, pushedRoles });
}

export function assertSize(table: RoleTable): RoleTable {
  if (Buffer.byteLength(JSON.stringify(table)) > maxTableBytes) throw invalid('groups', `may have at most ${maxTableBytes} bytes of JSON`);
  return table;
}

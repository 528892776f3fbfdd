import type { RoleTable, RoleTableRequest } from '../../../client/generated/types.ts';

/** A row as it is edited. */
export interface RoleRow {
  /** Stays the same while the row is moved. */
  key: number;
  by: 'name' | 'id';
  /** The name or the ID. */
  named: string;
  role: string;
  /** The group that the row names now. Null: none. Undefined: not known, because the row was edited. */
  group: RoleTable['groups'][number]['group'] | undefined;
}

export interface RoleDraft {
  rows: RoleRow[];
  defaultRole: string;
  multiple: boolean;
  pushedRoles: RoleTable['pushed_roles'];
}

export const toDraft = (table: RoleTable): RoleDraft => ({
  rows: table.groups.map(({ group_id: groupId, group_name: groupName, role, group }, key) => ({
    key,
    by: groupId === null ? 'name' : 'id',
    named: groupId ?? groupName ?? '',
    role,
    group,
  })),
  defaultRole: table.default_role ?? '',
  multiple: table.multiple,
  // Somebody who begins a table wants its roles, and not those that are pushed.
  pushedRoles: table.is_set ? table.pushed_roles : 'ignore',
});

/** The order of the rows is their priority. */
export const toRequest = ({ rows, defaultRole, multiple, pushedRoles }: RoleDraft): RoleTableRequest => ({
  groups: rows.map(({ by, named, role }) => ({ ...(by === 'id' ? { group_id: named } : { group_name: named }), role })),
  default_role: defaultRole.trim() || null,
  multiple,
  pushed_roles: pushedRoles,
});

export function move(rows: readonly RoleRow[], key: number, by: -1 | 1): RoleRow[] {
  const from = rows.findIndex((row) => row.key === key);
  const to = from + by;
  const moved = [...rows];
  const [one, other] = [moved[from], moved[to]];
  if (one && other) [moved[from], moved[to]] = [other, one];
  return moved;
}

export const nextKey = (rows: readonly RoleRow[]): number => Math.max(-1, ...rows.map(({ key }) => key)) + 1;

import { isObject, isSameJson, type JsonObject } from '../../scim/json.ts';
import { foldCase } from '../../scim/text.ts';
import { type Pushed, toRaw } from '../../scim/pushed.ts';
import type { Group } from '../resources/group.ts';
import { maxRoleLength, type GroupRole, type RoleTable } from './role-table.ts';

/** Of one user. Weaker ones are left out, so that a user stays small in the events of its groups. */
export const maxRoles = 100;
/** Of the roles of one user as JSON. */
export const maxRoleBytes = maxRoles * (4 * maxRoleLength + 3);

/** The roles of a user that follow from rows of the table, given by their places in it. The strongest comes first. */
export function toGroupRoles({ groups }: RoleTable, places: number[]): string[] {
  const roles = [...places].sort((one, other) => one - other).flatMap((place) => groups[place]?.role ?? []);
  return [...new Set(roles)].slice(0, maxRoles);
}

/**
 * What is shown of a user. It follows from nothing but its groups' roles, what was pushed, and the table: a change of the user needs no look at
 * its groups.
 */
export function toShownRoles(
  { multiple, defaultRole, pushedRoles }: RoleTable,
  { groupRoles = [], resource, pushed }: { groupRoles?: string[] | undefined; resource: JsonObject; pushed?: Pushed | undefined },
): string[] {
  const own = multiple ? groupRoles : groupRoles.slice(0, 1);
  const named = pushedRoles === 'include' && (multiple || own.length === 0) ? toRoleNames(toRaw(resource, pushed)['roles']) : [];
  const roles = [...new Set([...own, ...named])].slice(0, multiple ? maxRoles : 1);
  if (roles.length > 0) return roles;
  return defaultRole === null ? [] : [defaultRole];
}

/** Providers push roles as text, or as objects with a `value`. A name that is longer than a table could have it is left out. */
function toRoleNames(pushed: unknown): string[] {
  const values = typeof pushed === 'string' ? pushed.split(',') : Array.isArray(pushed) ? (pushed as unknown[]) : [pushed];
  return values
    .slice(0, maxRoles)
    .map((value) => (isObject(value) ? value['value'] : value))
    .flatMap((value) => (typeof value === 'string' && value.trim() !== '' && value.length <= maxRoleLength ? value.trim() : []));
}

/** Finds whether groups are in a table. */
interface NamedGroups {
  /** The places of its rows that are this group. */
  placesOf(group: Pick<Group, 'id' | 'displayName'>): number[];
}

export function createNamedGroups({ groups }: Pick<RoleTable, 'groups'>): NamedGroups {
  const byKey = new Map<string, number[]>();
  const add = (key: string, place: number) => byKey.set(key, [...(byKey.get(key) ?? []), place]);
  for (const [place, row] of groups.entries()) add(keyOf(row), place);
  return {
    placesOf: ({ id, displayName }) => [...(byKey.get(`id ${id}`) ?? []), ...(byKey.get(`name ${foldCase(displayName)}`) ?? [])],
  };
}

const keyOf = ({ groupId, key }: GroupRole) => `${groupId === undefined ? 'name' : 'id'} ${key}`;

/** `role` and `roles` of a profile. */
export interface PresentedRoles {
  role?: string | null;
  roles?: (string | JsonObject)[];
}

/** `shown` is undefined in a directory without a table: then the pushed ones are all there is. */
export function presentRoles(shown: string[] | undefined, raw: JsonObject): PresentedRoles {
  if (shown) return { role: shown[0] ?? null, roles: shown };
  const roles = toPushedRoles(raw['roles']);
  return roles ? { roles } : {};
}

interface Shown {
  roles?: string[] | undefined;
  resource: JsonObject;
  pushed?: Pushed | undefined;
}

/** Whether an application would see no difference. A user without roles looks the same with and without a table. */
export function isSameRoles(one: Shown, other: Shown): boolean {
  if (one.roles && other.roles) return isSameJson(one.roles, other.roles);
  if (!one.roles && !other.roles) return true;
  const [shown, otherShown] = [one, other].map(({ roles, resource, pushed }) => ({
    role: null,
    roles: [],
    ...presentRoles(roles, toRaw(resource, pushed)),
  }));
  return isSameJson(shown, otherShown);
}

/** As in Polis: text is a list with commas. A store function does the same in SQL (`rolesOf`). */
function toPushedRoles(roles: unknown): (string | JsonObject)[] | undefined {
  if (typeof roles === 'string') return roles === '' ? undefined : roles.split(',');
  if (isObject(roles)) return [roles];
  return Array.isArray(roles) ? (roles as (string | JsonObject)[]) : undefined;
}

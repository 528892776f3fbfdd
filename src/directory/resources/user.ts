import { presentRoles } from '../roles/compute-roles.ts';
import { isObject, type JsonObject } from '../../scim/json.ts';
import { type Pushed, toRaw } from '../../scim/pushed.ts';
import type { ScimUser } from '../../scim/user.ts';
import type { Group } from './group.ts';
import { publicIdOf, type Identified } from './resource-ids.ts';

/** A stored user. */
export interface User extends ScimUser, Identified {
  /** How the pushed document differs from the resource. */
  pushed?: Pushed | undefined;
  /** Undefined in a directory whose product has no attribute schema. */
  customAttributes?: JsonObject | undefined;
  /** Whether a required attribute has no value. */
  lacksRequired?: boolean | undefined;
  /** The roles that follow from its groups, the strongest first. Undefined: none, or the directory has no role table. */
  groupRoles?: string[] | undefined;
  /** The roles that are shown. Undefined in a directory without a role table: what was pushed is shown. */
  roles?: string[] | undefined;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** `groups`: the groups that the user is a direct member of, with their public IDs, if they were requested. */
export type UserWithGroups = User & { groups?: Pick<Group, 'id' | 'displayName'>[] };

/** A user as the JSON API and the events show it (a "directory user" in the specification). */
export interface UserProfile {
  id: string;
  first_name: string;
  last_name: string;
  email: string;
  active: boolean;
  /** The first of `roles`, or null. Missing if the directory has no role table. */
  role?: string | null | undefined;
  /** Without a role table: what the provider pushed; missing if it sent none. */
  roles?: (string | JsonObject)[] | undefined;
  /** The attributes of the product that have a value. Missing if the product has no attribute schema. */
  custom_attributes?: JsonObject | undefined;
  /** The document as it was pushed, with the ID. */
  raw: JsonObject;
}

export function toUserProfile(
  user: Identified & Pick<User, 'userName' | 'active' | 'resource' | 'pushed' | 'customAttributes' | 'roles'>,
): UserProfile {
  const { userName, active, resource, pushed, customAttributes, roles } = user;
  const id = publicIdOf(user);
  const raw = toRaw(resource, pushed);
  const name = isObject(resource['name']) ? resource['name'] : {};
  return {
    id,
    first_name: text(name['givenName']),
    last_name: text(name['familyName']),
    email: primaryEmail(resource['emails']) || withoutGuestName(userName),
    ...pushed?.shown,
    active,
    ...presentRoles(roles, raw),
    ...(customAttributes && { custom_attributes: customAttributes }),
    raw: { ...raw, id },
  };
}

function primaryEmail(emails: unknown): string {
  const candidates = (Array.isArray(emails) ? emails : []).filter(isObject).filter(({ value }) => text(value) !== '');
  const chosen = candidates.find(({ primary }) => primary === true || String(primary).toLowerCase() === 'true') ?? candidates[0];
  return text(chosen?.['value']);
}

/** The user name of a guest in Entra is made from an address, and is none: nothing arrives there. */
const withoutGuestName = (userName: string) => (/#EXT#/i.test(userName) ? '' : userName);

const text = (value: unknown) => (typeof value === 'string' ? value : '');

import { toUserProfile, type User } from '../../directory/resources/user.ts';
import { isObject, type JsonObject } from '../../scim/json.ts';
import { foldCase } from '../../scim/text.ts';
import { type PushedColumn, toPushed, toPushedColumn } from '../resources/pushed-column.ts';

export interface UserRow {
  directory_id: string;
  id: string;
  public_id: string | null;
  user_name: string;
  external_id: string | null;
  active: boolean;
  resource: JsonObject;
  pushed: PushedColumn | null;
  custom_attributes: JsonObject | null;
  lacks_required: boolean;
  group_roles: string[] | null;
  roles: string[] | null;
  version: number;
  created_at: Date | string;
  updated_at: Date | string;
}

export const toUser = (row: UserRow): User => ({
  id: row.id,
  publicId: row.public_id ?? undefined,
  userName: row.user_name,
  externalId: row.external_id ?? undefined,
  active: row.active,
  resource: row.resource,
  pushed: toPushed(row),
  customAttributes: row.custom_attributes ?? undefined,
  lacksRequired: row.lacks_required,
  groupRoles: row.group_roles ?? undefined,
  roles: row.roles ?? undefined,
  version: row.version,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
});

/** Names and the email are separate columns, so that an event about a member can be written without reading its resource. */
export function toUserColumns(user: User) {
  const { first_name, last_name, email } = toUserProfile(user);
  const { displayName, emails } = user.resource;
  return {
    id: user.id,
    public_id: user.publicId,
    user_name: user.userName,
    user_name_key: foldCase(user.userName),
    external_id: user.externalId ?? null,
    display_name_key: typeof displayName === 'string' ? foldCase(displayName) : null,
    active: user.active,
    first_name,
    last_name,
    email,
    email_keys: emailKeys(emails),
    resource: user.resource,
    pushed: toPushedColumn(user),
    ...toDerivedColumns(user),
    version: user.version,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  };
}

/** What follows from the user and the rules of its directory. */
export const toDerivedColumns = (user: User) => ({
  custom_attributes: user.customAttributes ?? null,
  lacks_required: user.lacksRequired ?? false,
  group_roles: user.groupRoles ?? null,
  roles: user.roles ?? null,
});

function emailKeys(emails: unknown): string[] {
  const values = (Array.isArray(emails) ? emails : []).map((email) => (isObject(email) ? email['value'] : email));
  return [...new Set(values.filter((value) => typeof value === 'string').map(foldCase))];
}

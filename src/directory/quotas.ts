import type { ScimRefusal } from '../scim/errors.ts';

/** What one directory holds, or may hold. */
export interface Holdings {
  users: number;
  groups: number;
  /** Over all groups, pending members included. */
  memberships: number;
  /** Of all users and groups, as JSON. */
  resourceBytes: number;
}

/** The limits of one directory. */
export interface Quotas extends Holdings {
  /** Of one group, pending members included. */
  groupMembers: number;
}
export type Quota = keyof Quotas;

/** Far above real directories: they stop a runaway, not a customer. */
export const defaultQuotas: Quotas = {
  users: 500_000,
  groups: 50_000,
  groupMembers: 200_000,
  memberships: 5_000_000,
  resourceBytes: 4_294_967_296,
};

/** How each quota is called: its setting, its field in the JSON API, and in a sentence. */
export const quotaNames: Record<Quota, { setting: string; field: string; text: string }> = {
  users: { setting: 'MAX_USERS_PER_DIRECTORY', field: 'users', text: 'users' },
  groups: { setting: 'MAX_GROUPS_PER_DIRECTORY', field: 'groups', text: 'groups' },
  groupMembers: { setting: 'MAX_MEMBERS_PER_GROUP', field: 'group_members', text: 'members in a group' },
  memberships: { setting: 'MAX_MEMBERSHIPS_PER_DIRECTORY', field: 'memberships', text: 'memberships over all groups' },
  resourceBytes: { setting: 'MAX_RESOURCE_BYTES_PER_DIRECTORY', field: 'resource_bytes', text: 'bytes of users and groups' },
};

/** The deployment's limits, with the directory's own in their place. */
export interface DirectoryQuotas {
  limits: Quotas;
  own: Partial<Quotas>;
}

export const limitOf = ({ limits, own }: DirectoryQuotas, quota: Quota): number => own[quota] ?? limits[quota];

/** The limit and where it is set. */
export function describeLimit(quotas: DirectoryQuotas, quota: Quota): string {
  const { setting, field, text } = quotaNames[quota];
  return `at most ${limitOf(quotas, quota)} ${text} (${quotas.own[quota] === undefined ? setting : `quotas.${field} of this directory`})`;
}

/**
 * 403: identity providers show the sentence to their administrator and do not repeat the request at once, as they would after 429 or
 * 5xx. A 409 would mean that the resource exists.
 */
export const quotaReached = (quotas: DirectoryQuotas, quota: Quota): ScimRefusal => ({
  status: 403,
  detail: `The directory may have ${describeLimit(quotas, quota)}. Remove some, or ask the operator of this service for a higher limit.`,
  quota: quotaNames[quota].field,
});

import { presets, type Scope, scopes } from './scopes.ts';

/** What a person may do who signs in with OpenID Connect. OIDC_ROLES maps groups to roles. From the least to the most. */
export const roleNames = ['viewer', 'operator', 'admin'] as const;
export type RoleName = (typeof roleNames)[number];

/** Read when a session is used, so that a release that changes a role changes it for everyone who has signed in. */
export const roles: Record<RoleName, readonly Scope[]> = {
  viewer: presets['read-only'],
  operator: scopes.filter((scope) => !['directories:delete', 'secrets:read', 'people:write', 'keys:write', 'audit:read'].includes(scope)),
  admin: scopes,
};

/** The role with the most rights that one of the groups is mapped to. */
export const findRole = (mapped: ReadonlyMap<string, RoleName>, groups: readonly string[]): RoleName | undefined =>
  roleNames.findLast((role) => groups.some((group) => mapped.get(group) === role));

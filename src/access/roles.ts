import { presets, type Scope, scopes } from './scopes.ts';

/** Roles of people who sign in with OpenID Connect, from the fewest rights to the most. OIDC_ROLES maps groups to roles. */
export const roleNames = ['viewer', 'operator', 'admin'] as const;
export type RoleName = (typeof roleNames)[number];

/** Read when a session is used, so that a release that changes a role changes it for everyone who has signed in. */
export const roles: Record<RoleName, readonly Scope[]> = {
  viewer: presets['read-only'],
  operator: scopes.filter((scope) => !['directories:delete', 'secrets:read', 'people:write', 'keys:write', 'audit:read'].includes(scope)),
  admin: scopes,
};

/** Returns the role with the most rights that one of the groups is mapped to. */
export const findRole = (mapped: ReadonlyMap<string, RoleName>, groups: readonly string[]): RoleName | undefined =>
  roleNames.findLast((role) => groups.some((group) => mapped.get(group) === role));

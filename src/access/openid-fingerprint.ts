import { hash } from 'node:crypto';
import type { RoleName } from './roles.ts';

export interface RoleSettings {
  issuer: string;
  clientId: string;
  roleClaim: string;
  roles: ReadonlyMap<string, RoleName>;
}

/** Changes with the settings that map people to roles. It does not depend on the order of OIDC_ROLES. */
export const fingerprintOf = ({ issuer, clientId, roleClaim, roles }: RoleSettings): string =>
  hash('sha256', JSON.stringify([issuer, clientId, roleClaim, [...roles].map((pair) => pair.join('=')).toSorted()]), 'base64url');

/** Issuers may give the same subject to different people. */
export const personIdOf = (issuer: string, subject: string): string => `oidc:${hash('sha256', issuer, 'hex').slice(0, 16)}:${subject}`;

import { z } from 'zod';
import { type RoleName, roleNames } from '../access/roles.ts';
import { parseDuration, unitMs } from '../shared/parse-duration.ts';
import { address, list, text } from './fields.ts';

/** A code and an ID token must not travel in plain text, except on this machine. */
const isProtected = (issuer: string): boolean => {
  if (!URL.canParse(issuer)) return true;
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
};

const roleMap = list
  .refine((pairs) => pairs.length > 0 && pairs.length <= 200 && pairs.every((pair) => toPair(pair) !== undefined), {
    error: `up to 200 groups with a role each, like sync-admins=admin,support=operator; roles are ${roleNames.join(', ')}`,
  })
  .transform((pairs): ReadonlyMap<string, RoleName> => new Map(pairs.map((pair) => toPair(pair)!)));

/** The name of a group may contain `=`. */
function toPair(pair: string): [group: string, role: RoleName] | undefined {
  const at = pair.lastIndexOf('=');
  const [group, role] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  const found = roleNames.find((name) => name === role);
  return at > 0 && group !== '' && found ? [group, found] : undefined;
}

const lifetime = (minMs: number, expected: string) =>
  z.string().transform((value, context) => {
    const ms = parseDuration(value);
    if (ms !== undefined && ms >= minMs && ms <= 30 * unitMs.d) return ms;
    context.addIssue(expected);
    return z.NEVER;
  });

/** How people sign in with a browser. */
export const signInSettings = {
  OIDC_ISSUER: address(/^https?$/, 'an https address')
    .refine(isProtected, 'an https address; http is allowed only on this machine')
    .optional()
    .describe('Issuer of the OpenID provider with which people sign in; if unset, they sign in with an API key.'),
  OIDC_CLIENT_ID: text
    .optional()
    .describe('Client ID of Rollcall at the OpenID provider. Its redirect URI is EXTERNAL_URL/console/callback.'),
  OIDC_CLIENT_SECRET: text.optional().describe('Client secret of Rollcall at the OpenID provider.'),
  OIDC_SCOPE: text.default('openid profile email').describe('Scopes that Rollcall requests from the OpenID provider; some need groups.'),
  OIDC_ROLE_CLAIM: text.default('groups').describe("Claim of the ID token, or of the provider's user info, that lists a person's groups."),
  OIDC_ROLES: roleMap
    .optional()
    .describe(
      'Comma-separated groups, each with the role of its members: viewer, operator or admin, such as sync-admins=admin,support=operator. Members of other groups cannot sign in.',
    ),
  SESSION_IDLE_TTL: lifetime(5 * unitMs.m, 'a duration from 5m to 30d, such as 2h')
    .prefault('2h')
    .describe('How long a session of a person lasts without a request, from 5m to 30d.'),
  SESSION_TTL: lifetime(5 * unitMs.m, 'a duration from 5m to 30d, such as 12h')
    .prefault('12h')
    .describe('Maximum lifetime of a session of a person, from 5m to 30d.'),
};

import { randomBytes } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { Seal } from '../scim/cursor.ts';
import { createRecentMap } from '../shared/recent-map.ts';
import { fingerprintOf, personIdOf, type RoleSettings } from './openid-fingerprint.ts';
import { findRole } from './roles.ts';
import type { SignedInPerson } from './session-ports.ts';

/** The state of one sign-in. Only the browser that began it has it, encrypted in a cookie. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  codeVerifier: string;
  beganAtMs: number;
}

/** An OpenID provider. Fails with errors for people who sign in: `issuer_unavailable`, or those that begin with `sign_in_`. */
export interface OpenIdProvider {
  /** Returns the address to redirect the browser to. */
  begin(pending: PendingSignIn, redirectUri: string): Promise<string>;
  /** `callbackUrl` is the redirect URI with the parameters that the provider added. Returns the claims about the person. */
  complete(pending: PendingSignIn, callbackUrl: URL): Promise<Record<string, unknown>>;
}

interface OpenIdSignInDeps extends RoleSettings {
  provider: OpenIdProvider;
  /** Encrypts the cookie. */
  seal: Seal;
  /** What counts as one client, of an address. */
  toClient: (address: string) => string;
  now?: () => number;
}

export const pendingForMs = 10 * 60_000;
const sealContext = 'openid sign-in';
const [maxSubject, maxName, maxGroups] = [255, 200, 10_000];
/** Sign-ins for which a process may wait for the provider at the same time. */
const maxExchanges = 20;
/** Of them, from one client, so that it cannot hold all. People of an office, or behind a proxy that is not trusted, share an address. */
const maxExchangesOfClient = 10;
const maxUsedStates = 20_000;

/** Names the person who may not sign in, for the audit log. */
export class NoRoleError extends AppError {
  readonly person: { id: string; name: string };

  constructor(person: { id: string; name: string }, roleClaim: string) {
    super(
      'sign_in_no_role',
      `You are not in a group that may sign in here: the OpenID provider's claim ${roleClaim} lists no group of OIDC_ROLES. Ask the operator of this service.`,
    );
    this.person = person;
  }
}

export type OpenIdSignIn = ReturnType<typeof createOpenIdSignIn>;

/** OpenID Connect, code flow with PKCE. */
export function createOpenIdSignIn({ provider, seal, toClient, now = Date.now, ...settings }: OpenIdSignInDeps) {
  const { issuer, roleClaim, roles } = settings;
  const fingerprint = fingerprintOf(settings);
  const usedStates = createRecentMap<true>(maxUsedStates);
  /** By client. */
  const exchanges = new Map<string, number>();

  return {
    /** Returns the address of the provider, and a cookie that binds the sign-in to this browser. */
    async begin(redirectUri: string): Promise<{ url: string; cookie: string }> {
      const pending = { state: random(), nonce: random(), codeVerifier: random(), beganAtMs: now() };
      return { url: await provider.begin(pending, redirectUri), cookie: seal.seal(JSON.stringify(pending), sealContext) };
    },

    /** Checks that this browser began the sign-in, then redeems the code. `address`: that of the browser. */
    async complete(callbackUrl: URL, cookie: string | undefined, address: string): Promise<SignedInPerson> {
      const states = callbackUrl.searchParams.getAll('state');
      if (states.length !== 1 || states[0] === '')
        throw new AppError('sign_in_state_missing', 'The OpenID provider sent no state, or several: sign in again.');
      const pending = readPending(cookie);
      if (!pending)
        throw new AppError(
          'sign_in_other_browser',
          'This sign-in did not begin in this browser, or the browser did not keep its cookie: sign in again here.',
        );
      if (states[0] !== pending.state)
        throw new AppError('sign_in_state_mismatch', 'The state is not that of the last sign-in in this browser: sign in again.');
      if (now() - pending.beganAtMs > pendingForMs)
        throw new AppError('sign_in_expired', 'This sign-in took longer than ten minutes: sign in again.');
      return toPerson(await redeem(pending, callbackUrl, toClient(address)));
    },
  };

  /** Each state is redeemed once: otherwise one sign-in could send any number of codes to the provider. */
  async function redeem(pending: PendingSignIn, callbackUrl: URL, client: string): Promise<Record<string, unknown>> {
    if (usedStates.get(pending.state))
      throw new AppError('sign_in_code_invalid', 'This sign-in was already completed, or has failed: sign in again.');
    const ofClient = exchanges.get(client) ?? 0;
    const ofAll = [...exchanges.values()].reduce((sum, count) => sum + count, 0);
    if (ofAll >= maxExchanges || ofClient >= maxExchangesOfClient)
      throw new AppError('issuer_unavailable', 'Too many people are signing in: try again soon.');
    usedStates.set(pending.state, true);
    exchanges.set(client, ofClient + 1);
    try {
      return await provider.complete(pending, callbackUrl);
    } finally {
      const left = exchanges.get(client)! - 1;
      if (left > 0) exchanges.set(client, left);
      else exchanges.delete(client);
    }
  }

  function readPending(cookie: string | undefined): PendingSignIn | undefined {
    const text = cookie === undefined ? undefined : seal.open(cookie, sealContext);
    return text === undefined ? undefined : (JSON.parse(text) as PendingSignIn);
  }

  function toPerson(claims: Record<string, unknown>): SignedInPerson {
    const { sub } = claims;
    if (typeof sub !== 'string' || sub === '' || sub.length > maxSubject)
      throw new AppError('sign_in_token_invalid', 'The OpenID provider did not identify the person: its claim sub is missing or too long.');
    const name = [claims['name'], claims['preferred_username'], claims['email'], sub].find((one) => typeof one === 'string' && one !== '');
    const person = { id: personIdOf(issuer, clean(sub)), name: clean(String(name)).slice(0, maxName) };
    const role = findRole(roles, readGroups(claims, roleClaim));
    if (!role) throw new NoRoleError(person, roleClaim);
    return { ...person, role, fingerprint };
  }
}

/** A name with dots may be that of a claim, or a path, such as `realm_access.roles` of Keycloak. */
export function readClaim(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), claims);
}

function readGroups(claims: Record<string, unknown>, roleClaim: string): string[] {
  const value = readClaim(claims, roleClaim);
  return [value]
    .flat()
    .slice(0, maxGroups)
    .filter((group) => typeof group === 'string');
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const random = () => randomBytes(32).toString('base64url');
/** Postgres can hold neither NUL characters nor lone surrogates. */
const clean = (text: string) => text.toWellFormed().replaceAll('\0', '');

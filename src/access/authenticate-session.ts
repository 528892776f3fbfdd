import { AppError } from '../errors.ts';
import { createRecentMap } from '../shared/recent-map.ts';
import type { KeyAuthentication } from './authenticate-key.ts';
import type { Caller } from './caller.ts';
import { createRecentReads } from './recent-reads.ts';
import { roles } from './roles.ts';
import type { RootKeys } from './root-keys.ts';
import type { Session, SessionLifetimes, SessionStore, SignedInPerson } from './session-ports.ts';
import { hashSessionToken } from './session-token.ts';

const maxNoted = 20_000;
const noteIntervalMs = 60_000;

interface SessionAuthenticationDeps {
  store: Pick<SessionStore, 'findByHash'>;
  rootKeys: RootKeys;
  keyAuthentication: Pick<KeyAuthentication, 'authenticateByPrefix'>;
  lifetimes: SessionLifetimes;
  /** The fingerprint of the settings that map people to roles; undefined without single sign-on. */
  fingerprint?: string | undefined;
  /** Returns immediately. */
  noteUseSoon(sessionId: string, at: Date): void;
  now?: () => number;
}

export interface Authenticated {
  session: Session;
  caller: Caller;
}

export type SessionAuthentication = ReturnType<typeof createSessionAuthentication>;

/** Finds the person that a session's token belongs to. */
export function createSessionAuthentication({
  store,
  rootKeys,
  keyAuthentication,
  lifetimes,
  fingerprint,
  noteUseSoon,
  now = Date.now,
}: SessionAuthenticationDeps) {
  const { find, invalidate } = createRecentReads((hash) => store.findByHash(Buffer.from(hash, 'base64')));
  const noted = createRecentMap<number>(maxNoted);

  return {
    /** Returns the session and its caller, or why the session is rejected. `isUse`: whether the person does something now. */
    async authenticate(token: string, address: string, { isUse = true } = {}): Promise<Authenticated | AppError> {
      const hash = hashSessionToken(token);
      const session = hash && (await find(hash.toString('base64')));
      if (!session) return unknown();
      const error = findProblem(session);
      if (error) return error;
      const caller = await findCaller(session, address);
      if (caller instanceof AppError) return caller;
      if (isUse) noteUse(session);
      return { session, caller };
    },

    toPerson,

    /** Makes the next request read its session again. */
    invalidate,
  };

  function findProblem(session: Session): AppError | undefined {
    const atMs = now();
    if (session.endedAt) return ended('It was signed out.');
    const isPastLifetime = Math.min(session.expiresAt.getTime(), session.createdAt.getTime() + lifetimes.maxMs) <= atMs;
    if (isPastLifetime)
      return new AppError('session_expired', 'This session has reached its maximum lifetime (SESSION_TTL): sign in again.');
    if (lastUseOf(session) + lifetimes.idleMs <= atMs)
      return new AppError('session_expired', 'This session was not used for too long (SESSION_IDLE_TTL): sign in again.');
    return undefined;
  }

  async function findCaller({ grant, personId: id, personName: name }: Session, address: string): Promise<Caller | AppError> {
    if (grant.role) return grant.fingerprint === fingerprint ? toPerson({ id, name, role: grant.role }) : ended(settingsChanged);
    if ('rootKeyHash' in grant.key) return rootKeys.findByHash(grant.key.rootKeyHash) ?? ended('Its key was removed from API_KEYS.');
    const caller = await keyAuthentication.authenticateByPrefix(grant.key.prefix, address);
    if (!(caller instanceof AppError) || caller.code === 'key_network') return caller;
    return ended('Its API key was revoked, was rotated, or has expired.');
  }

  function noteUse(session: Session): void {
    const atMs = now();
    if (atMs - lastUseOf(session) < noteIntervalMs) return;
    noted.set(session.id, atMs);
    noteUseSoon(session.id, new Date(atMs));
  }

  function lastUseOf({ id, lastUsedAt }: Session): number {
    return Math.max(lastUsedAt.getTime(), noted.get(id) ?? 0);
  }
}

const toPerson = ({ id, name, role }: Pick<SignedInPerson, 'id' | 'name' | 'role'>): Caller => ({
  type: 'person',
  id,
  name,
  scopes: new Set(roles[role]),
  narrowed: {},
});

const settingsChanged =
  'Single sign-on was turned off, or its settings changed (OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_ROLE_CLAIM, OIDC_ROLES).';

/** Also the error for a session that was deleted after it had expired. */
const unknown = () => new AppError('session_unknown', 'There is no such session: sign in again.');
const ended = (why: string) => new AppError('session_ended', `This session has ended. ${why} Sign in again.`);

import type { Actor } from '../audit/act.ts';
import type { RoleName } from './roles.ts';

export const signInMethods = ['api_key', 'login_link', 'oidc'] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** The key that a session began with: it may do what the key may do, and ends with it. */
export type KeyOfSession = { prefix: string } | { rootKeyHash: Buffer };

/** Whose rights a session has: those of a key, or of a role. */
type Grant = { key: KeyOfSession; role?: undefined } | (RoleGrant & { key?: undefined });

interface RoleGrant {
  role: RoleName;
  /** The fingerprint of the settings that mapped the person to the role. The session ends when they change. */
  fingerprint: string;
}

/** A person who has signed in with a browser. */
export interface Session {
  id: string;
  /** Sessions of one person end together. The ID of a key, or the subject at an OpenID provider. */
  personId: string;
  personName: string;
  method: SignInMethod;
  grant: Grant;
  createdAt: Date;
  /** To the minute. */
  lastUsedAt: Date;
  expiresAt: Date;
  endedAt: Date | undefined;
}

export type NewSession = Omit<Session, 'lastUsedAt' | 'endedAt'>;

export interface SessionLifetimes {
  idleMs: number;
  maxMs: number;
}

export interface SignedInPerson extends RoleGrant {
  id: string;
  name: string;
}

export interface LoginLink {
  key: KeyOfSession;
  createdAt: Date;
  expiresAt: Date;
}

/** Hashes of the tokens: of the new session, of the previous session of the browser, and of the login link. */
export interface SignInHashes {
  hash: Buffer;
  formerHash: Buffer | undefined;
  linkHash?: Buffer | undefined;
}

export interface SessionStore {
  /**
   * Records the sign-in. Ends the session that the browser had, and the oldest ones if the person has too many. Uses up the login link,
   * if there is one; returns undefined if the link was used or deleted meanwhile, or has expired.
   */
  create(session: NewSession, hashes: SignInHashes, actor: Actor): Promise<Session | undefined>;
  findByHash(hash: Buffer): Promise<Session | undefined>;
  /** Does nothing if the session has ended. */
  noteUse(id: string, at: Date): Promise<void>;
  end(id: string, at: Date): Promise<void>;
  /** Also deletes the login links of the key. Returns how many sessions ended. */
  endAllOfPerson(person: Pick<Session, 'personId' | 'grant'>, at: Date): Promise<number>;
  /** Also deletes all login links. */
  endAll(at: Date): Promise<number>;
  /** Deletes the oldest links of the key if it has too many. */
  createLoginLink(hash: Buffer, link: LoginLink): Promise<void>;
  /** Undefined if the link has expired. */
  findLoginLink(hash: Buffer, at: Date): Promise<LoginLink | undefined>;
  /** Deletes expired sessions and login links. Returns how many. */
  dropExpired(limit: number): Promise<number>;
}

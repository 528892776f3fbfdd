import type { Actor } from '../audit/act.ts';
import type { RoleName } from './roles.ts';

export const signInMethods = ['api_key', 'login_link', 'oidc'] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** The key that a session began with: it may do what the key may do, and ends with it. */
export type KeyOfSession = { prefix: string } | { rootKeyHash: Buffer };

/** Whose rights a session has: those of a key, or of a role. */
type Grant = { key: KeyOfSession; role?: undefined } | { role: RoleName; key?: undefined };

/** A person who has signed in with a browser. */
export interface Session {
  id: string;
  /** Sessions of one person end together. The ID of a key, or the subject at the OpenID provider. */
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

export interface SignedInPerson {
  id: string;
  name: string;
  role: RoleName;
}

export interface LoginLink {
  key: KeyOfSession;
  createdAt: Date;
  expiresAt: Date;
}

export interface SessionStore {
  /** Records the sign-in. Ends the session that the browser had, and the oldest ones if the person has too many. */
  create(session: NewSession, hashes: { hash: Buffer; formerHash: Buffer | undefined }, actor: Actor): Promise<Session>;
  findByHash(hash: Buffer): Promise<Session | undefined>;
  /** Does nothing if the session has ended. */
  noteUse(id: string, at: Date): Promise<void>;
  end(id: string, at: Date): Promise<void>;
  /** Returns how many sessions ended. */
  endOfPerson(personId: string, at: Date): Promise<number>;
  endAll(at: Date): Promise<number>;
  createLoginLink(hash: Buffer, link: LoginLink): Promise<void>;
  /** Deletes the link, so that it works once. */
  useLoginLink(hash: Buffer, at: Date): Promise<LoginLink | undefined>;
  /** Deletes expired sessions and login links. Returns how many. */
  dropExpired(limit: number): Promise<number>;
}

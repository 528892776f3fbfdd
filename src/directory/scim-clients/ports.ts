import type { ContinuedPage, PageRequest } from '../page.ts';

/** Lets an identity provider get access tokens for one directory (RFC 6749, section 4.4). */
export interface ScimClient {
  /** Its `client_id`. */
  id: string;
  directoryId: string;
  name: string;
  createdAt: Date;
  expiresAt: Date;
  /** When it last got an access token. */
  lastUsedAt: Date | undefined;
  revokedAt: Date | undefined;
}

interface NewScimClient {
  id: string;
  name: string;
  expiresAt: Date;
  /** The SHA-256 of its secret. */
  secretHash: Buffer;
}

export interface ScimClientChange {
  name?: string | undefined;
  expiresAt?: Date | undefined;
}

interface NewAccessToken {
  directoryId: string;
  clientId: string;
  /** The SHA-256 of its value. */
  hash: Buffer;
  expiresAt: Date;
}

export interface ScimClientStore {
  /** `pulled`: an identity provider does not push to this directory. Fails if the directory has too many active clients at this time. */
  create(directoryId: string, client: NewScimClient, at: Date): Promise<ScimClient | 'pulled' | undefined>;
  /** Returns the newest client first, also those that are revoked or expired. */
  list(directoryId: string, page: PageRequest<string>): Promise<ContinuedPage<ScimClient, string>>;
  get(directoryId: string, id: string): Promise<ScimClient | undefined>;
  /** Its access tokens end with it. A revoked client is not changed: undefined. Fails if an expired one would be one active client too many. */
  update(directoryId: string, id: string, change: ScimClientChange, at: Date): Promise<ScimClient | undefined>;
  /** Deletes its access tokens too. Revoking twice keeps the first time. */
  revoke(directoryId: string, id: string): Promise<ScimClient | undefined>;
  /** Deletes its access tokens; the client can get new ones. */
  revokeTokens(directoryId: string, id: string): Promise<ScimClient | undefined>;
  hasActive(directoryId: string, at: Date): Promise<boolean>;
  /** Whoever shows the ID has not been authenticated, so the directory is not known yet. */
  findWithSecret(id: string): Promise<{ client: ScimClient; secretHash: Buffer } | undefined>;
  /** Ends the oldest tokens of the client if there are too many. False if the client was revoked meanwhile. */
  addToken(token: NewAccessToken): Promise<boolean>;
  /** Deletes expired access tokens of all directories. Returns how many. */
  dropExpiredTokens(limit: number): Promise<number>;
}

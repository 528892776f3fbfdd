import type { JsonObject } from '../../scim/json.ts';

/**
 * What a hosted directory is to Rollcall. A provider is one folder below `providers/` that implements this, and nothing else knows
 * whose answers they were.
 */
export interface HostedProvider {
  /** What it lacks to be used at all, as a sentence for whoever runs the service; `undefined` if nothing. */
  findMissing(connection: HostedConnection): string | undefined;
  /** Where a person gives consent. */
  authorizationUrl(request: { state: string; codeChallenge: string; redirectUrl: string; domain: string }): string;
  exchangeCode(request: {
    code: string;
    codeVerifier: string | undefined;
    redirectUrl: string;
    signal?: AbortSignal;
  }): Promise<TokenRecord>;
  /** Looks at nothing yet. */
  open(connection: HostedConnection, hooks: { onRenewed(tokens: RenewedTokens): Promise<void> }): HostedSource;
}

/** Lists page by page. Everything throws a `ProviderError`, and nothing else that can be expected. */
export interface HostedSource {
  listUsers(request: PageRequest): Promise<HostedPage<HostedUser>>;
  listGroups(request: PageRequest): Promise<HostedPage<HostedGroup>>;
  listMembers(groupExternalId: string, request: PageRequest): Promise<HostedPage<HostedMember>>;
}

interface PageRequest {
  /** Unset: the first page. */
  pageToken?: string | undefined;
  signal: AbortSignal;
}

export interface HostedPage<Item> {
  items: Item[];
  /** How many the provider named, with those that the directory's options or their kind leave out. */
  listed: number;
  /** Unset: this was the last page. */
  nextPageToken?: string | undefined;
}

/** The resource is whole: with `userName`, `externalId` and `active`, and without anything that changes on every read. */
export interface HostedUser {
  externalId: string;
  resource: JsonObject;
}

/** Likewise, with `displayName` and `externalId`. */
export interface HostedGroup {
  externalId: string;
  resource: JsonObject;
}

export interface HostedMember {
  /** Of a user or of a group. */
  externalId: string;
}

/** How a directory is reached: with a person's consent, or as a service account in an administrator's name. */
export interface HostedConnection {
  domain: string;
  accessToken: string;
  refreshToken: string;
  /** Unset: nobody knows. */
  accessTokenExpiresAt: Date | undefined;
  /** Whose name a service account takes on. */
  adminEmail: string;
  /** The key file's text; empty: the deployment's own. */
  serviceAccountKey: string;
  /** By address or id; empty: all. */
  groups: string[];
  /** With what is below them; empty: all. */
  orgUnits: string[];
}

export interface RenewedTokens {
  accessToken: string;
  expiresAt: Date | undefined;
  /** Some providers give a new one each time. */
  refreshToken?: string | undefined;
}

/** As the specification writes it. */
export interface TokenRecord {
  access_token: string;
  refresh_token: string;
  scope: string;
  token_type: string;
  /** In ms since 1970. */
  expiry_date: number;
}

/**
 * - `busy`: it asks to slow down. `unreachable`: it did not answer, or with a failure of its own. Both pass.
 * - `unauthorized`: the grant is gone, and a person must authorise again.
 * - `refused`: somebody has to change something first. `unreadable`: its answer is not what it documents.
 * - `page_expired`: the list has to be begun again. `not_found`: what is asked for is gone.
 */
export type ProviderErrorKind = 'busy' | 'unreachable' | 'unauthorized' | 'refused' | 'unreadable' | 'page_expired' | 'not_found';

/** What a provider did not do, in a sentence on which a person can act. It quotes no token and nobody's data. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  readonly retryAfterMs: number | undefined;

  constructor(kind: ProviderErrorKind, message: string, options: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
  }
}

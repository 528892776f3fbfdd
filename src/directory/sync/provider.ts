import type { JsonObject } from '../../scim/json.ts';

/** A source of pulled directories. Each provider is one folder below `providers/` that implements this; nothing else depends on it. */
export interface DirectoryProvider {
  /** Returns what the operator must set up first, as a sentence. */
  checkSetup(connection: ProviderConnection): string | undefined;
  /** The URL of the consent page. */
  authorizationUrl(request: { state: string; codeChallenge: string; redirectUrl: string; connection: ProviderConnection }): string;
  /** Set if a consent names an account instead of returning a code: the account in the form in which it is stored. */
  readAccount?(named: string): string | undefined;
  /** The fields that select fewer users and groups, for messages. */
  selectedBy: string;
  /** What is wrong if none of the users has an address of the directory's domain. Unset: the provider has no domains. */
  wrongDomain?: string;
  exchangeCode(request: {
    code: string;
    codeVerifier: string | undefined;
    redirectUrl: string;
    signal?: AbortSignal;
  }): Promise<TokenRecord>;
  /** Makes no request. */
  open(connection: ProviderConnection, hooks: { onRenewed(tokens: RenewedTokens): Promise<void> }): DirectorySource;
}

/** Lists page by page. Every expected failure is a `ProviderError`. */
export interface DirectorySource {
  listUsers(request: PageRequest): Promise<ProviderPage<ProviderUser>>;
  listGroups(request: PageRequest): Promise<ProviderPage<ProviderGroup>>;
  listMembers(groupExternalId: string, request: PageRequest): Promise<ProviderPage<ProviderMember>>;
  /**
   * The groups that users or groups are direct members of. Only for providers with change
   * links: they report a restored user, but not its groups.
   */
  listGroupsOf?(memberExternalIds: string[], request: { kind: 'users' | 'groups'; signal: AbortSignal }): Promise<ProviderGroup[]>;
}

interface PageRequest {
  /** If it is unset, the first page is read. */
  pageToken?: string | undefined;
  /** Whether only changes are listed. Each changed object has its current state. */
  isIncremental?: boolean;
  /** Returns the IDs that earlier pages of this run listed: a provider may list part of an object again. */
  findStaged?(externalIds: string[]): Promise<string[]>;
  signal: AbortSignal;
}

export interface ProviderPage<Item> {
  items: Item[];
  /** How many the provider listed, including those that the directory's options or their type exclude. */
  listed: number;
  /** Unset: this is the last page. */
  nextPageToken?: string | undefined;
  /** IDs that the provider reports as removed, even if an earlier page listed them. */
  removed?: string[];
  /** Only for changes: a reported change contradicts the current state, so the next run must read the same changes again. */
  isUncertain?: boolean;
  /** Only on the last page: where a later run continues with later changes. */
  link?: string | undefined;
}

export interface ProviderLinks {
  users: string;
  groups: string;
}

/** The resource is complete, with `userName`, `externalId` and `active`, and has nothing that changes with each read. */
export interface ProviderUser {
  externalId: string;
  resource: JsonObject;
  /** The provider's object without secrets, as it is when the resource changes. If it is unset, it is the resource. */
  raw?: JsonObject;
}

/** The same, with `displayName` and `externalId`. */
export type ProviderGroup = ProviderUser;

export interface ProviderMember {
  /** The ID that the provider gives to the user or group. */
  externalId: string;
}

/** How a directory is read: with a person's consent, or by a service account that impersonates an administrator. */
export interface ProviderConnection {
  domain: string;
  accessToken: string;
  refreshToken: string;
  /** It is unset if the time is unknown. */
  accessTokenExpiresAt: Date | undefined;
  /** Whom a service account impersonates. */
  adminEmail: string;
  /** The content of the key file. If it is empty, the service's own key is used. */
  serviceAccountKey: string;
  /** Each is an address or an ID. If the list is empty, all groups are synced. */
  groups: string[];
  /** Those below them are included. If the list is empty, all are synced. */
  orgUnits: string[];
  /** The account at the provider that is read without tokens of its own, such as the ID of an Entra tenant. */
  account: string;
  /** Only users who are assigned to the application. */
  assignedOnly: boolean;
  /** The uploaded files that are read. */
  upload: UploadedFiles | undefined;
}

/** A set of uploaded files that waits for a run. */
export interface UploadedFiles {
  directoryId: string;
  setId: string;
}

export interface RenewedTokens {
  accessToken: string;
  expiresAt: Date | undefined;
  /** Some providers return a new one each time. */
  refreshToken?: string | undefined;
}

/** The fields have the names of the specification. */
export interface TokenRecord {
  access_token: string;
  refresh_token: string;
  scope: string;
  token_type: string;
  /** Milliseconds since 1970. */
  expiry_date: number;
}

/**
 * - `busy`: it limits the rate. `unreachable`: it did not respond, or failed itself. Both are temporary.
 * - `unauthorized`: the authorization was revoked, and a person must authorize again.
 * - `rejected`: a person must change something first. `invalid_response`: its response does not match its documentation.
 * - `page_expired`: the list must start over. `reset`: the links are void, and everything must be read again.
 * - `not_found`: the resource does not exist.
 */
type ProviderErrorKind = 'busy' | 'unreachable' | 'unauthorized' | 'rejected' | 'invalid_response' | 'page_expired' | 'reset' | 'not_found';

/** Its message says what to do. It contains no token and no personal data. */
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

import type { PulledType } from '../directory/directories/directory.ts';
import type { ServerResponse } from 'node:http';
import type { ApiKeys } from '../access/api-keys.ts';
import type { SessionAuthentication } from '../access/authenticate-session.ts';
import type { Caller } from '../access/caller.ts';
import type { OpenIdSignIn } from '../access/openid-sign-in.ts';
import type { Sessions } from '../access/sessions.ts';
import type { Audit } from '../audit/audit.ts';
import type { Seal } from '../scim/cursor.ts';
import type { DeliveryLog } from '../directory/delivery/delivery-log.ts';
import type { DeliveryControl } from '../directory/delivery/delivery-control.ts';
import type { DeliveryStore } from '../directory/delivery/ports.ts';
import type { Replays } from '../directory/delivery/replays.ts';
import type { Directories } from '../directory/directories/directories.ts';
import type { Roles } from '../directory/roles/roles.ts';
import type { Attributes } from '../directory/attributes/attributes.ts';
import type { PersonalData } from '../directory/erasure/personal-data.ts';
import type { DirectoryReader } from '../directory/resources/directory-reader.ts';
import type { EventFeed } from '../directory/feed/event-feed.ts';
import type { Intake, RecordedRequestStore } from '../directory/ports.ts';
import type { UserRequestStore } from '../directory/recorded-requests/user-requests.ts';
import type { IssueToken } from '../directory/scim-clients/issue-token.ts';
import type { ScimClients } from '../directory/scim-clients/scim-clients.ts';
import type { ScimSecrets } from '../directory/directories/scim-secrets.ts';
import type { Reconcile } from '../directory/drift/reconcile.ts';
import type { Snapshots } from '../directory/snapshots/snapshots.ts';
import type { SetupLinks } from '../directory/setup-links/setup-links.ts';
import type { Branding } from './setup/branding.ts';
import type { Files } from '../directory/files/files.ts';
import type { UploadTokens } from '../directory/upload-tokens/upload-tokens.ts';
import type { Authorization } from '../directory/sync/authorization.ts';
import type { Syncs } from '../directory/sync/syncs.ts';
import type { NetworkMatcher } from '../limits/networks.ts';
import type { Metrics } from '../metrics.ts';
import type { BudgetLimits } from '../scim/budget.ts';
import type { ScimLists } from './scim/scim-lists.ts';
import type { ScimReader } from './scim/scim-reader.ts';
import type { BodyLimits } from './server/body/body-limits.ts';
import type { CachedFile } from './server/cached-file.ts';
import type { LimitingDeps } from './server/limits/limit-requests.ts';
import type { CountFailedAuthentication, RejectEarly } from './server/authenticate-api-key.ts';

/** What is missing for this process to do its work; empty when it can. */
export type CheckReadiness = () => Promise<Readiness>;

export interface Readiness {
  /** A sentence for each thing that the process lacks. */
  missing: string[];
  /** Set if there is one. Without it, the process is still ready. */
  replica: { status: 'used' | 'lagging' | 'away' | 'unfit'; lagMs: number | undefined } | undefined;
}

/** Accounts for the memory that responses take until they are sent. */
interface ResponseMemory {
  /** Memory that `work` takes for the response is held until the response is closed. */
  during<Result>(response: ServerResponse, work: () => Promise<Result>): Promise<Result>;
  /** Waits for room for `bytes`, loads, and then holds what `weigh` returns. */
  read<Found>(directoryId: string, bytes: number, load: () => Promise<Found>, weigh: (found: Found) => number): Promise<Found>;
}

/** Everything that the handlers of operations use. */
export interface HttpDeps {
  /** The address under which others reach the service. */
  baseUrl(): string;
  /** The list of workflows in Temporal's UI, if its address is known. */
  temporalWorkflowsUrl(host: string): string | undefined;
  maxBodyBytes: number;

  // The JSON API
  apiKeys: ApiKeys;
  sessions: Sessions;
  sessionAuthentication: Pick<SessionAuthentication, 'authenticate'>;
  /** Absent when no OpenID provider is configured. */
  openIdSignIn: OpenIdSignIn | undefined;
  isTrustedProxy: NetworkMatcher;
  /** Fails unless the caller may know of the directory. */
  assertReaches(caller: Caller, directoryId: string): Promise<void>;
  /** Secrets are shown only by the request that creates them. */
  showsSecretsOnce: boolean;
  directories: Directories;
  scimSecrets: ScimSecrets;
  scimClients: ScimClients;
  files: Files;
  /** The maximum size of an uploaded file. */
  maxFileBytes: number;
  uploadTokens: UploadTokens;
  recordedRequests: Pick<RecordedRequestStore, 'list' | 'get'> & Pick<UserRequestStore, 'listForUser'>;
  directoryReader: DirectoryReader;
  attributes: Attributes;
  roles: Roles;
  personalData: PersonalData;
  snapshots: Snapshots;
  reconcile: Reconcile;
  eventFeed: EventFeed;
  deliveryLog: DeliveryLog;
  deliveryControl: DeliveryControl;
  deliveries: Pick<DeliveryStore, 'wakeBacklogs' | 'lowerWakeFlags'>;
  processEvents(directoryIds: string[]): Promise<void>;
  replays: Replays;
  syncs: Syncs;
  authorization: Authorization;
  countFailedAuthentication: CountFailedAuthentication;
  rejectEarly: RejectEarly;
  audit: Audit;
  setupLinks: SetupLinks;
  brandingOf(product: string): Branding;
  /** Whether administrators can authorize directories of this type. */
  offersConsent(type: PulledType): boolean;
  /** Encrypts cursors. */
  cursorSeal: Seal;

  // SCIM
  issueToken: IssueToken;
  intake: Intake;
  reader: ScimReader;
  lists: ScimLists;
  bodies: BodyLimits;
  /** What one mutation may cost. */
  mutationLimits: BudgetLimits;
  responseMemory: ResponseMemory;
  /** Runs reads, which are canceled in Postgres when the signal is aborted. Then it rejects with the reason. */
  runUntilAborted<Result>(signal: AbortSignal, reads: () => Promise<Result>): Promise<Result>;

  // The service itself
  checkReadiness: CheckReadiness;
  metrics: Pick<Metrics, 'text' | 'contentType' | 'scimRequest'>;
  docs: {
    openApiDocument(): Promise<CachedFile>;
    referencePage(): Promise<CachedFile & { contentSecurityPolicy: string }>;
    /** A page of the documentation, such as `guides/users-table`. */
    guide(path: string): Promise<(CachedFile & { contentSecurityPolicy: string }) | undefined>;
  };
  /** Absent when no rate limits are configured. */
  limiting?: LimitingDeps | undefined;
}

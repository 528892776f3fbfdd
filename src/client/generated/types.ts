// Generated from the OpenAPI document by `npm run client`.
/** Many changes in one request (RFC 7644, section 3.7). */
export interface BulkRequest {
  schemas: string[];
  /** After how many errors to stop. */
  failOnErrors?: number | string;
  Operations: {
    /** POST, PUT, PATCH or DELETE. */
    method?: string;
    /** What it is about. */
    path?: string;
    /** A name for what it makes, for others to use. */
    bulkId?: string;
    /** Go on only if it is still of this version. */
    version?: string;
    /** The body. */
    data?: unknown;
    [name: string]: unknown;
  }[];
  [name: string]: unknown;
}

/** What became of each operation. */
export interface BulkResponse {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'];
  Operations: {
    /** As it was sent. */
    method?: string;
    /** As it was sent. */
    bulkId?: string;
    /** The version of the resource. */
    version?: string;
    /** The address of the resource. */
    location?: string;
    /** The status of this operation. */
    status: string;
    response?: ScimError;
  }[];
}

/** A new directory. Fields that are not known are passed over. */
export interface CreateDirectoryRequest {
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The kind of identity provider. */
  type?: 'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google' | undefined;
  /** A name for people. */
  name?: string | undefined;
  /** Whether everything of each webhook is kept for a while. */
  log_webhook_events?: boolean | 'true' | 'false' | undefined;
  /** While true, the provider gets 403. */
  deactivated?: boolean | 'true' | 'false' | undefined;
  /** Where events go; empty: the webhook is taken away. */
  webhook_url?: string | undefined;
  /** What webhooks are signed with; one is made if none is given. */
  webhook_secret?: string | undefined;
  /** The same two as they are answered, so that a directory can be sent back as it was read. */
  webhook?:
    | {
        endpoint?: string | undefined;
        secret?: string | undefined;
      }
    | undefined;
  /** Whether webhooks carry the ancestor's signatures too. */
  webhook_legacy_signatures?: boolean | 'true' | 'false' | undefined;
  /** Limits of this directory, in place of the deployment's. The object replaces the former one; null removes all. */
  quotas?: Quotas | null | undefined;
  /** Only the users of this domain; empty: all. */
  google_domain?: string | undefined;
  /** An access token that was obtained elsewhere. */
  google_access_token?: string | undefined;
  /** The refresh token that belongs to it. */
  google_refresh_token?: string | undefined;
  /** The administrator in whose name a service account reads. */
  google_admin_email?: string | undefined;
  /** The text of the service account's key file; empty: the deployment's own. */
  google_service_account_key?: string | undefined;
  /** Only these groups, by address or id; empty: all. */
  google_groups?: string[] | undefined;
  /** Only these organisational units, with what is below them; empty: all. */
  google_org_units?: string[] | undefined;
}

/** What goes out to a webhook under one `webhook-id`. */
export interface Delivery {
  /** The `webhook-id` under which it goes out. */
  id: string;
  /** The directory. */
  directory_id: string;
  /** Whether it is new or of a replay. */
  kind: 'live' | 'replay';
  /** The replay that it belongs to. */
  replay_id: string | null;
  /** What became of it. */
  status: 'pending' | 'delivered' | 'exhausted' | 'split' | 'skipped' | 'replayed' | 'canceled';
  /** The first event in it. */
  from_sequence: number;
  /** The last event in it. */
  to_sequence: number;
  /** How many events are in it. */
  event_count: number;
  /** How often it was tried. */
  attempts: number;
  /** How often that failed. */
  failures: number;
  /** When it is tried next, of one that is pending. */
  next_attempt_at: string | null;
  /** How long its body is. */
  bytes: number;
  /** The hash of its body. */
  sha256: string | null;
  /** When it was put together. */
  created_at: string | null;
  /** When it was first tried. */
  first_attempt_at: string | null;
  /** When it was settled. */
  done_at: string | null;
}

/** One POST to the webhook. */
export interface DeliveryAttempt {
  /** Counted from 1. */
  number: number;
  /** Why it was made. */
  trigger: 'auto' | 'manual' | 'replay';
  /** What came of it. */
  outcome: 'success' | 'http_error' | 'timeout' | 'dns' | 'tls' | 'connect' | 'blocked' | 'aborted' | 'in_flight';
  /** The status that the receiver answered; null: no answer. */
  status_code: number | null;
  /** A sentence about what went wrong. */
  error: string | null;
  /** Where it went, without the query of the address. */
  url: string;
  /** The address that was reached. */
  address: string | null;
  /** The secrets that signed. */
  secret_ids: string[] | null;
  /** What was sent beside the body. */
  request_headers: Record<string, string> | null;
  /** The headers of the answer. */
  response_headers: Record<string, string> | null;
  /** The first 16 KiB of the answer. */
  response_body: string | null;
  /** Whether the answer was longer. */
  response_truncated: boolean | null;
  /** How long it took; null in what was not needed. */
  timings: {
    /** Looking up the name. */
    dns_ms: number | null;
    /** Making the connection. */
    connect_ms: number | null;
    /** Until the answer began. */
    first_byte_ms: number | null;
    /** All together. */
    total_ms: number;
  } | null;
  /** When it began. */
  started_at: string | null;
  /** When it ended. */
  ended_at: string | null;
}

/** How the delivery of a directory stands. */
export interface DeliveryState {
  /** How it stands. */
  status: 'enabled' | 'paused' | 'disabled' | 'misconfigured';
  /** Why it rests, if it does. */
  reason: string | null;
  /** Where events go, without its query; null: nowhere. */
  url: string | null;
  /** Events that were neither delivered nor passed over. */
  backlog: number;
  /** How far it has come. */
  acked_sequence: number;
  /** The last event that there is. */
  last_sequence: number;
  /** Since when the oldest event waits. */
  oldest_pending_at: string | null;
  /** The delivery that the others wait for. */
  open: {
    /** Its `webhook-id`. */
    id: string;
    status: 'pending' | 'delivered' | 'exhausted' | 'split' | 'skipped' | 'replayed' | 'canceled';
    /** How often it was tried. */
    attempts: number;
    /** How often that failed. */
    failures: number;
    /** When it is tried next. */
    next_attempt_at: string | null;
  } | null;
  /** The first failure since the last success. */
  first_failure_at: string | null;
  /** When a webhook was last taken. */
  last_success_at: string | null;
  /** Whether webhooks carry the ancestor's signatures too. */
  legacy_signatures: boolean;
  /** Those that sign, the newest first. */
  secrets: {
    /** Its id; the secret itself is not shown. */
    id: string;
    /** When it was made. */
    created_at: string | null;
    /** Until when it signs. */
    expires_at: string | null;
    /** When it last signed. */
    last_used_at: string | null;
  }[];
  /** The replay that runs. */
  replay: {
    /** The replay. */
    id: string;
    /** Which events were chosen. */
    mode: 'single' | 'failed' | 'missing' | 'range';
    /** How many events are to be sent. */
    total: number;
    /** How many were taken. */
    done: number;
  } | null;
}

/** A delivery with its body and every attempt. */
export interface DeliveryWithAttempts {
  /** The `webhook-id` under which it goes out. */
  id: string;
  /** The directory. */
  directory_id: string;
  /** Whether it is new or of a replay. */
  kind: 'live' | 'replay';
  /** The replay that it belongs to. */
  replay_id: string | null;
  /** What became of it. */
  status: 'pending' | 'delivered' | 'exhausted' | 'split' | 'skipped' | 'replayed' | 'canceled';
  /** The first event in it. */
  from_sequence: number;
  /** The last event in it. */
  to_sequence: number;
  /** How many events are in it. */
  event_count: number;
  /** How often it was tried. */
  attempts: number;
  /** How often that failed. */
  failures: number;
  /** When it is tried next, of one that is pending. */
  next_attempt_at: string | null;
  /** How long its body is. */
  bytes: number;
  /** The hash of its body. */
  sha256: string | null;
  /** When it was put together. */
  created_at: string | null;
  /** When it was first tried. */
  first_attempt_at: string | null;
  /** When it was settled. */
  done_at: string | null;
  /** The very text that was sent; null when it is not kept. */
  body: string | null;
  /** Every attempt, the first one first. */
  attempt_log: DeliveryAttempt[];
}

/** One connection of one tenant and one product to an identity provider. */
export interface Directory {
  /** Its id. */
  id: string;
  /** A name for people. */
  name: string;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The kind of identity provider. */
  type: 'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google';
  /** Whether everything of each webhook is kept. */
  log_webhook_events: boolean;
  /** While true, the provider gets 403. */
  deactivated: boolean;
  /** What the provider is given. Its texts are empty for a google directory. */
  scim: {
    /** The path of its SCIM address. */
    path: string;
    /** Its SCIM address. */
    endpoint: string;
    /** The bearer token of the provider. */
    secret: string;
  };
  /** Where events go. */
  webhook: {
    /** Where events go; empty: nowhere. */
    endpoint: string;
    /** What webhooks are signed with. */
    secret: string;
  };
  /** Webhooks carry the ancestor's signatures too. */
  webhook_legacy_signatures?: true;
  /** The domain whose users are read; empty: the whole of the customer. */
  google_domain?: string;
  /** The access token, if one was given. */
  google_access_token?: string;
  /** The refresh token, if one was given. */
  google_refresh_token?: string;
  /** In whose name a service account reads. */
  google_admin_email?: string;
  /** The groups that are read; empty: all. */
  google_groups?: string[];
  /** The organisational units that are read; empty: all. */
  google_org_units?: string[];
  /** Where an administrator authorises it. */
  google_authorization_url?: string;
  /** Whether it may be read. */
  google_authorization?: 'authorized' | 'needs_authorization';
  /** Why the provider lets us in no more. */
  google_authorization_error?: string | null;
  /** What should be changed; absent if there is nothing. */
  warnings?: Warning[];
}

/** A change as the application is told it. */
export type DirectoryEvent = UserEvent | GroupEvent | MembershipEvent;

/** Whether a directory is well. */
export interface DirectoryHealth {
  /** When the provider last pushed. */
  last_push_at: string | null;
  /** The last request with a valid secret that was refused. */
  last_refusal: {
    /** When. */
    at: string;
    /** The method. */
    method: string;
    /** The path below the directory's address. */
    path: string;
    /** The status that was answered. */
    status: number;
    /** What the provider was told. */
    detail: string;
  } | null;
  /** How many users there are. */
  users: number;
  /** How many groups there are. */
  groups: number;
  quotas: QuotaUse;
  /** Those that are valid. */
  scim_secrets: {
    /** Its id; the secret itself is not shown. */
    id: string;
    /** When it was made. */
    created_at: string | null;
    /** Until when it is valid; null: as long as it is not rotated. */
    expires_at: string | null;
    /** When it was last used, to the minute. */
    last_used_at: string | null;
  }[];
  /** Of a google directory, once there was a run: the last one. */
  sync?: {
    /** The run. */
    run_id: string;
    /** Its state. */
    state: string;
    /** When it ended, or else began. */
    at: string | null;
    /** When a run last succeeded. */
    last_success_at: string | null;
    /** Why it failed. */
    error: string | null;
  };
  delivery: {
    /** How the delivery stands. */
    status: 'enabled' | 'paused' | 'disabled' | 'misconfigured' | 'no_webhook';
    /** Why it rests, if it does. */
    reason: string | null;
    /** Events that wait. */
    backlog: number;
    /** When a webhook was last taken. */
    last_success_at: string | null;
  };
}

/** A directory, and whether it is well. */
export interface DirectoryWithHealth {
  /** Its id. */
  id: string;
  /** A name for people. */
  name: string;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The kind of identity provider. */
  type: 'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google';
  /** Whether everything of each webhook is kept. */
  log_webhook_events: boolean;
  /** While true, the provider gets 403. */
  deactivated: boolean;
  /** What the provider is given. Its texts are empty for a google directory. */
  scim: {
    /** The path of its SCIM address. */
    path: string;
    /** Its SCIM address. */
    endpoint: string;
    /** The bearer token of the provider. */
    secret: string;
  };
  /** Where events go. */
  webhook: {
    /** Where events go; empty: nowhere. */
    endpoint: string;
    /** What webhooks are signed with. */
    secret: string;
  };
  /** Webhooks carry the ancestor's signatures too. */
  webhook_legacy_signatures?: true;
  /** The domain whose users are read; empty: the whole of the customer. */
  google_domain?: string;
  /** The access token, if one was given. */
  google_access_token?: string;
  /** The refresh token, if one was given. */
  google_refresh_token?: string;
  /** In whose name a service account reads. */
  google_admin_email?: string;
  /** The groups that are read; empty: all. */
  google_groups?: string[];
  /** The organisational units that are read; empty: all. */
  google_org_units?: string[];
  /** Where an administrator authorises it. */
  google_authorization_url?: string;
  /** Whether it may be read. */
  google_authorization?: 'authorized' | 'needs_authorization';
  /** Why the provider lets us in no more. */
  google_authorization_error?: string | null;
  /** What should be changed; absent if there is nothing. */
  warnings?: Warning[];
  health: DirectoryHealth;
}

/** A page of the feed. */
export interface EventPage {
  data: DirectoryEvent[];
  error: null;
  list_metadata: {
    /** The cursor to go on with: the next `after`. */
    after: string | null;
    /** Whether there is more to be read at once. */
    has_more: boolean;
  };
}

/** Where an administrator authorises a directory. */
export interface GoogleAuthorizationUrl {
  /** Where to send the administrator. */
  authorizationUrl: string;
}

/** What came back from Google. */
export interface GoogleCodeRequest {
  /** What came back in `code`. */
  code: string;
  /**
   * What came back in `state`; without it, any authorisation of this directory that was begun in the last ten minutes is
   * meant.
   */
  state?: string | undefined;
}

/** The tokens, under either name. */
export interface GoogleTokenRequest {
  /** The access token. */
  accessToken?: string | undefined;
  /** The refresh token. */
  refreshToken?: string | undefined;
  /** Another name of `accessToken`. */
  access_token?: string | undefined;
  /** Another name of `refreshToken`. */
  refresh_token?: string | undefined;
  /** Until when the access token is valid, in ms since 1970. */
  expiry_date?: number | undefined;
  /** Of the token record; passed over. */
  scope?: string | undefined;
  /** Of the token record; passed over. */
  token_type?: string | undefined;
}

/** What Google gave for a code. */
export interface GoogleTokens {
  /** The access token. */
  access_token: string;
  /** The refresh token. */
  refresh_token: string;
  /** What it is good for. */
  scope: string;
  /** Its kind. */
  token_type: string;
  /** Until when the access token is valid, in ms since 1970. */
  expiry_date: number;
}

/** A group of a directory, without its members. */
export interface Group {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
  /** The SCIM resource as pushed, with the id that it was given here. */
  raw: Record<string, unknown>;
}

/** A group was made, changed or taken away. */
export interface GroupEvent {
  /** What happened. */
  event: 'group.created' | 'group.updated' | 'group.deleted';
  /** The group after the change, or before the deletion. Null when the content is no longer kept. */
  data: Group | null;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The directory. */
  directory_id: string;
  /** The event. */
  id: string;
  /** Its place in its directory, without gaps. */
  sequence: number;
  /** When it happened. */
  occurred_at: string;
}

/** A group of a directory, with its members. */
export interface GroupWithMembers {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
  /** The SCIM resource as pushed, with the id that it was given here. */
  raw: Record<string, unknown>;
  /** The users in it. */
  members: {
    /** The group. */
    group_id: string;
    /** The user. */
    user_id: string;
  }[];
}

/** A request may pass. */
export interface LimitDecision {
  allowed: true;
  /** What is to be given back when the request is done. */
  lease: string | null;
}

/** A page of resources (RFC 7644, section 3.4.2). */
export interface ListResponse {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  /** How many there are on all pages. */
  totalResults?: number;
  /** The place of the first one, counted from 1. */
  startIndex?: number;
  /** How many are here. */
  itemsPerPage: number;
  /** The cursor of the next page, of pages by cursor. */
  nextCursor?: string;
  Resources: {
    /** The schemas that it follows. */
    schemas: string[];
    id: string;
    [name: string]: unknown;
  }[];
}

/** A user in a group. */
export interface Member {
  /** The user. */
  user_id: string;
}

/** Somebody came into a group or left it. */
export interface MembershipEvent {
  /** What happened. */
  event: 'group.user_added' | 'group.user_removed';
  /** The user, with the group. Null when the content is no longer kept. */
  data: UserInGroup | null;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The directory. */
  directory_id: string;
  /** The event. */
  id: string;
  /** Its place in its directory, without gaps. */
  sequence: number;
  /** When it happened. */
  occurred_at: string;
}

/** A group in a group. */
export interface NestedGroup {
  /** The group in it. */
  id: string;
  /** Its name. */
  name: string;
}

/** The service can not do its work at this moment. */
export interface NotReady {
  data: null;
  error: NotReadyProblem;
}

/** Why the service can not do its work. */
export interface NotReadyProblem {
  /** Stable; the message may be reworded. */
  code:
    | 'invalid_request'
    | 'unauthorized'
    | 'forbidden'
    | 'not_found'
    | 'method_not_allowed'
    | 'cursor_expired'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'rate_limited'
    | 'internal'
    | 'unavailable';
  /** A sentence for a person. */
  message: string;
  /** The field at fault, where there is one. */
  field?: string;
  /** Of a request over a limit: which kind of limit. */
  layer?: string;
  /** Of a request over a limit: the bucket or rule. */
  bucket?: string;
  /** What is missing, a sentence each. */
  missing: string[];
}

/** A PATCH (RFC 7644, section 3.5.2). */
export interface PatchRequest {
  schemas?: string[];
  Operations: {
    /** `add`, `replace` or `remove`, in any case. */
    op: string;
    /** What is changed; without it, what the value names. */
    path?: string;
    /** The new value. */
    value?: unknown;
    [name: string]: unknown;
  }[];
  [name: string]: unknown;
}

/** How the delivery stands after it was paused. */
export interface PausedDelivery {
  /** How it stands. */
  status: 'enabled' | 'paused' | 'disabled' | 'misconfigured';
  /** Why it rests, if it does. */
  reason: string | null;
  /** Where events go, without its query; null: nowhere. */
  url: string | null;
  /** Events that were neither delivered nor passed over. */
  backlog: number;
  /** How far it has come. */
  acked_sequence: number;
  /** The last event that there is. */
  last_sequence: number;
  /** Since when the oldest event waits. */
  oldest_pending_at: string | null;
  /** The delivery that the others wait for. */
  open: {
    /** Its `webhook-id`. */
    id: string;
    status: 'pending' | 'delivered' | 'exhausted' | 'split' | 'skipped' | 'replayed' | 'canceled';
    /** How often it was tried. */
    attempts: number;
    /** How often that failed. */
    failures: number;
    /** When it is tried next. */
    next_attempt_at: string | null;
  } | null;
  /** The first failure since the last success. */
  first_failure_at: string | null;
  /** When a webhook was last taken. */
  last_success_at: string | null;
  /** Whether webhooks carry the ancestor's signatures too. */
  legacy_signatures: boolean;
  /** Those that sign, the newest first. */
  secrets: {
    /** Its id; the secret itself is not shown. */
    id: string;
    /** When it was made. */
    created_at: string | null;
    /** Until when it signs. */
    expires_at: string | null;
    /** When it last signed. */
    last_used_at: string | null;
  }[];
  /** The replay that runs. */
  replay: {
    /** The replay. */
    id: string;
    /** Which events were chosen. */
    mode: 'single' | 'failed' | 'missing' | 'range';
    /** How many events are to be sent. */
    total: number;
    /** How many were taken. */
    done: number;
  } | null;
  /** Whether nothing is being sent any more. */
  settled: boolean;
}

/** Why a request was refused. */
export interface Problem {
  /** Stable; the message may be reworded. */
  code:
    | 'invalid_request'
    | 'unauthorized'
    | 'forbidden'
    | 'not_found'
    | 'method_not_allowed'
    | 'cursor_expired'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'rate_limited'
    | 'internal'
    | 'unavailable';
  /** A sentence for a person. */
  message: string;
  /** The field at fault, where there is one. */
  field?: string;
  /** Of a request over a limit: which kind of limit. */
  layer?: string;
  /** Of a request over a limit: the bucket or rule. */
  bucket?: string;
}

/** What holds for a project. */
export interface ProjectLimits {
  /** The project. */
  project: string;
  /** Its plan. */
  plan: 'developer' | 'production' | 'growth' | 'enterprise' | 'essential' | 'scale';
  /** Its environment. */
  environment: 'production' | 'staging' | 'development';
  buckets: {
    /** Which requests it counts. */
    bucket: string;
    /** How many it takes in a second. */
    rps: number;
    /** How many it takes in a minute. */
    rpm: number;
  }[];
}

/**
 * How much of its limits the directory uses. What would exceed one gets 403; changes beyond `undelivered_bytes` get 503,
 * replays, searches and changes of an hour beyond theirs get 429, and beyond `history_bytes` the oldest is dropped.
 */
export interface QuotaUse {
  /** Users. */
  users: {
    /** How much is used. */
    used: number;
    /** How much may be used. */
    limit: number;
  };
  /** Groups. */
  groups: {
    /** How much is used. */
    used: number;
    /** How much may be used. */
    limit: number;
  };
  /** Members of one group: `used` is those of the largest one, pending members included. */
  group_members: {
    /** How much is used. */
    used: number;
    /** How much may be used. */
    limit: number;
  };
  /** Groups that one user or group is a direct member of. */
  groups_per_member: {
    /** The groups of the one that is in most; null in a directory with more than 500,000 memberships. */
    used: number | null;
    /** How much may be used. */
    limit: number;
  };
  /** Memberships of all groups together. */
  memberships: {
    /** How much is used. */
    used: number;
    /** How much may be used. */
    limit: number;
  };
  /** Bytes of all users and groups, as JSON. */
  resource_bytes: {
    /** How much is used. */
    used: number;
    /** How much may be used. */
    limit: number;
  };
  /** Bytes of undelivered events; without a webhook, of the events that wait to be fetched. */
  undelivered_bytes: {
    /** How much is used. */
    used: number;
    /** How much may be used. */
    limit: number;
  };
  /**
   * Bytes that are kept of delivered events, of the delivery log and of the outcomes of changes: `used` is the largest of
   * the three.
   */
  history_bytes: {
    /** How much is used. */
    used: number;
    /** How much may be used. */
    limit: number;
  };
  /** Replays that are running or queued. */
  replays: {
    /** How much is used. */
    used: number;
    /** How much may be used. */
    limit: number;
  };
  /** Searches that no index serves and that run now, in the process that responds. */
  searches: {
    /** How much is used. */
    used: number;
    /** How much may be used. */
    limit: number;
  };
  /** Changes of the last hour that the process which responds has accepted; missing in library mode. */
  hourly_changes?: {
    /** How much is used. */
    used: number;
    /** How much may be used. */
    limit: number;
  };
}

/** Limits of one directory. Those that are not given are the deployment's. */
export interface Quotas {
  /** At most so many users. */
  users?: number | undefined;
  /** At most so many groups. */
  groups?: number | undefined;
  /** At most so many members in a group. */
  group_members?: number | undefined;
  /** At most so many groups with the same member. */
  groups_per_member?: number | undefined;
  /** At most so many memberships in all groups together. */
  memberships?: number | undefined;
  /** At most so many bytes of users and groups. */
  resource_bytes?: number | undefined;
  /** At most so many bytes of undelivered events. */
  undelivered_bytes?: number | undefined;
  /** At most so many bytes of history. */
  history_bytes?: number | undefined;
  /** At most so many replays that are running or queued. */
  replays?: number | undefined;
  /** At most so many concurrent searches. */
  searches?: number | undefined;
}

/** A request as the provider sent it, and what it was answered. */
export interface RecordedRequest {
  /** Its id. */
  id: string;
  /** When it came. */
  at: string;
  /** The method. */
  method: string;
  /** The path below the directory's address, with its query. */
  path: string;
  /** The status that was answered. */
  status: number;
  /** SCIM's word for what was wrong. */
  scim_type: string | null;
  /** What the provider was told, if it was refused. */
  detail: string | null;
  /** How long it took. */
  duration_ms: number;
  /** The id under which the log tells of it. */
  request_id: string;
  /** What the provider calls itself. */
  user_agent: string;
  /** The type of its body. */
  content_type: string;
  /** What was sent, without passwords. */
  body: string | null;
  /** How much of the body is here. */
  body_state: 'none' | 'whole' | 'cut' | 'unread' | 'withheld';
  /** How long the body was, where that is known. */
  body_bytes: number | null;
}

/** A refusal. */
export interface Refusal {
  data: null;
  error: Problem;
}

/** Events that are sent again. */
export interface Replay {
  /** Its id. */
  id: string;
  /** The directory. */
  directory_id: string;
  /** Which events were chosen. */
  mode: 'single' | 'failed' | 'missing' | 'range';
  /** The sequences that it sends, first and last of each range. */
  ranges: [number, number][];
  /** How it stands. */
  status: 'running' | 'done' | 'canceled' | 'failed';
  /** Why it failed. */
  reason: string | null;
  /** How many events are to be sent. */
  total: number;
  /** How many were taken. */
  done: number;
  /** When it was asked for. */
  created_at: string | null;
  /** When it ended. */
  finished_at: string | null;
}

/** What a replay would send. */
export interface ReplayDryRun {
  dry_run: true;
  /** How many events would be sent. */
  total: number;
}

/** Which events are to be sent again. */
export type ReplayRequest =
  | {
      /** One event, or the events of one delivery. */
      mode: 'single';
      /** The event, by its id. */
      event_id?: string | undefined;
      /** The event, by its sequence. */
      sequence?: number | undefined;
      /** All events of a delivery. */
      delivery_id?: string | undefined;
      /** Only say how many events it would be. */
      dry_run?: boolean | undefined;
    }
  | {
      /** Events that were passed over after attempts that failed. */
      mode: 'failed';
      /** Only events from this time on. */
      since?: string | undefined;
      /** Only events up to this time. */
      until?: string | undefined;
      /** Only say how many events it would be. */
      dry_run?: boolean | undefined;
    }
  | {
      /** Events that were passed over without an attempt. */
      mode: 'missing';
      /** Only events from this time on. */
      since?: string | undefined;
      /** Only events up to this time. */
      until?: string | undefined;
      /** Only say how many events it would be. */
      dry_run?: boolean | undefined;
    }
  | {
      /** All events of a range. */
      mode: 'range';
      /** The first event. */
      from_sequence?: number | undefined;
      /** The last event. */
      to_sequence?: number | undefined;
      /** Events from this time on. */
      from?: string | undefined;
      /** Events up to this time. */
      to?: string | undefined;
      /** Only say how many events it would be. */
      dry_run?: boolean | undefined;
    };

/** A kind of resource (RFC 7643, section 6). */
export interface ResourceType {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'];
  id: string;
  name: string;
  endpoint: string;
  description: string;
  schema: string;
  schemaExtensions: {
    schema: string;
    required: boolean;
  }[];
  meta: {
    resourceType: 'ResourceType';
    /** Its address. */
    location: string;
  };
}

/** A page of resources (RFC 7644, section 3.4.2). */
export interface ResourceTypeList {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  /** How many there are on all pages. */
  totalResults?: number;
  /** The place of the first one, counted from 1. */
  startIndex?: number;
  /** How many are here. */
  itemsPerPage: number;
  /** The cursor of the next page, of pages by cursor. */
  nextCursor?: string;
  Resources: ResourceType[];
}

/** Where to go on. */
export interface ResumeRequest {
  /** With everything that waits, or only with what comes from now on. */
  from?: 'backlog' | 'now' | undefined;
}

/** How a SCIM secret is rotated. */
export interface RotateScimSecretRequest {
  /** The new secret; one is made if none is given. */
  secret?: string | undefined;
  /** How long the former secret stays valid; 0 ends it at once. */
  overlap_seconds?: number | undefined;
  /** Until when the new secret is valid; without it, as long as it is not rotated. */
  expires_at?: string | undefined;
}

/** How a webhook secret is rotated. */
export interface RotateWebhookSecretRequest {
  /** The new secret; one is made if none is given. */
  secret?: string | undefined;
  /** How long the former secret signs beside it; 0 ends it at once. */
  overlap_seconds?: number | undefined;
}

/** A new SCIM secret. */
export interface RotatedScimSecret {
  /** The new bearer token of the provider. */
  secret: string;
  /** Until when it is valid; null: as long as it is not rotated. */
  expires_at: string | null;
  /** Until when the former one stays valid; null: it is so no more. */
  previous_valid_until: string | null;
}

/** A new webhook secret. */
export interface RotatedWebhookSecret {
  /** What webhooks are signed with from now on. */
  secret: string;
  /** Until when the former one signs beside it. */
  previous_valid_until: string | null;
  /** What should be changed; absent if there is nothing. */
  warnings?: Warning[];
}

/** The attributes of a resource (RFC 7643, section 7). */
export interface Schema {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'];
  id: string;
  name: string;
  description: string;
  attributes: {
    name: string;
    type: 'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'reference' | 'binary' | 'complex';
    multiValued: boolean;
    description: string;
    required: boolean;
    caseExact: boolean;
    mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
    returned: 'always' | 'never' | 'default' | 'request';
    uniqueness: 'none' | 'server' | 'global';
    canonicalValues?: string[];
    referenceTypes?: string[];
    subAttributes?: {
      name: string;
      type: 'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'reference' | 'binary' | 'complex';
      multiValued: boolean;
      description: string;
      required: boolean;
      caseExact: boolean;
      mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
      returned: 'always' | 'never' | 'default' | 'request';
      uniqueness: 'none' | 'server' | 'global';
      canonicalValues?: string[];
      referenceTypes?: string[];
    }[];
  }[];
  meta: {
    resourceType: 'Schema';
    /** Its address. */
    location: string;
  };
}

/** A page of resources (RFC 7644, section 3.4.2). */
export interface SchemaList {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  /** How many there are on all pages. */
  totalResults?: number;
  /** The place of the first one, counted from 1. */
  startIndex?: number;
  /** How many are here. */
  itemsPerPage: number;
  /** The cursor of the next page, of pages by cursor. */
  nextCursor?: string;
  Resources: Schema[];
}

/** A refusal in SCIM (RFC 7644, section 3.12). */
export interface ScimError {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'];
  /** The status, as text. */
  status: string;
  /** SCIM's word for what is wrong. */
  scimType?: string;
  /** A sentence for a person. */
  detail: string;
}

/** A group as SCIM shows it. `attributes` and `excludedAttributes` choose what is in it. */
export interface ScimGroup {
  /** The group's name; unique in its directory. */
  displayName?: string;
  /** Users and groups that belong to the group. */
  members?: {
    /** The member's id. */
    value?: string;
    /** The member's address. */
    $ref?: string;
    /** The member's name, as the provider gave it. */
    display?: string;
    /** What the member is. */
    type?: string;
    [name: string]: unknown;
  }[];
  /** The schemas that it follows. */
  schemas: string[];
  /** Given by this service. */
  id: string;
  /** The id that the identity provider gave it. */
  externalId?: string;
  meta?: {
    resourceType?: 'Group';
    /** When it was made. */
    created?: string;
    /** When it was changed last. */
    lastModified?: string;
    /** Its address. */
    location?: string;
    /** Its version. */
    version?: string;
    [name: string]: unknown;
  };
  [name: string]: unknown;
}

/** A page of resources (RFC 7644, section 3.4.2). */
export interface ScimGroupList {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  /** How many there are on all pages. */
  totalResults?: number;
  /** The place of the first one, counted from 1. */
  startIndex?: number;
  /** How many are here. */
  itemsPerPage: number;
  /** The cursor of the next page, of pages by cursor. */
  nextCursor?: string;
  Resources: ScimGroup[];
}

/** A group as a provider sends it. A PUT without `members` leaves those that are there. */
export interface ScimGroupRequest {
  /** The group's name; unique in its directory. */
  displayName: string;
  /** Users and groups that belong to the group. */
  members?: {
    /** The member's id. */
    value?: string;
    /** The member's address. */
    $ref?: string;
    /** The member's name, as the provider gave it. */
    display?: string;
    /** What the member is. */
    type?: string;
    [name: string]: unknown;
  }[];
  /** The schemas that it follows. */
  schemas?: string[];
  /** The id that the identity provider gave it. */
  externalId?: string;
  [name: string]: unknown;
}

/** A user as SCIM shows it. `attributes` and `excludedAttributes` choose what is in it. */
export interface ScimUser {
  /** The name by which the identity provider knows the user; unique in its directory. */
  userName?: string;
  /** The parts of the user's name. */
  name?: {
    /** The whole name, as it is to be shown. */
    formatted?: string;
    /** The family name. */
    familyName?: string;
    /** The given name. */
    givenName?: string;
    /** Middle names. */
    middleName?: string;
    /** A title before the name. */
    honorificPrefix?: string;
    /** A suffix after the name. */
    honorificSuffix?: string;
    [name: string]: unknown;
  };
  /** The name to show for the user. */
  displayName?: string;
  /** What the user is casually called. */
  nickName?: string;
  /** The address of the user's profile. */
  profileUrl?: string;
  /** The position, such as "Vice President". */
  title?: string;
  /** The relation to the organisation, such as "Employee". */
  userType?: string;
  /** Preferred languages, as in the HTTP header Accept-Language. */
  preferredLanguage?: string;
  /** Where formats of dates, numbers and money come from. */
  locale?: string;
  /** The time zone, as in the IANA database. */
  timezone?: string;
  /** Whether the user may use the application. */
  active?: boolean;
  /** E-mail addresses. */
  emails?: {
    /** The address. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Telephone numbers. */
  phoneNumbers?: {
    /** The number. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Instant messaging addresses. */
  ims?: {
    /** The address. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Addresses of pictures. */
  photos?: {
    /** The address of the picture. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Postal addresses. */
  addresses?: {
    /** The whole address, as it is to be shown. */
    formatted?: string;
    /** Street, house number, apartment. */
    streetAddress?: string;
    /** City or place. */
    locality?: string;
    /** State or region. */
    region?: string;
    /** Postal code. */
    postalCode?: string;
    /** Country, by its two letters. */
    country?: string;
    /** What the address is for. */
    type?: string;
    /** Whether this is the preferred address; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** The groups that the user is a direct member of. */
  groups?: {
    value?: string;
    $ref?: string;
    display?: string;
    type?: string;
    [name: string]: unknown;
  }[];
  /** What the user is entitled to. */
  entitlements?: {
    /** The entitlement. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** What the user is. */
  roles?: {
    /** The role. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Certificates. */
  x509Certificates?: {
    /** The certificate in DER form and base64. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** What an organisation says of a user. */
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'?: {
    /** A number or name given by the organisation. */
    employeeNumber?: string;
    /** The cost centre. */
    costCenter?: string;
    /** The organisation. */
    organization?: string;
    /** The division. */
    division?: string;
    /** The department. */
    department?: string;
    /** The user's manager. */
    manager?: {
      /** The manager's id. */
      value?: string;
      /** The manager's address. */
      $ref?: string;
      /** The manager's name. */
      displayName?: string;
      [name: string]: unknown;
    };
    [name: string]: unknown;
  };
  /** The schemas that it follows. */
  schemas: string[];
  /** Given by this service. */
  id: string;
  /** The id that the identity provider gave it. */
  externalId?: string;
  meta?: {
    resourceType?: 'User';
    /** When it was made. */
    created?: string;
    /** When it was changed last. */
    lastModified?: string;
    /** Its address. */
    location?: string;
    /** Its version. */
    version?: string;
    [name: string]: unknown;
  };
  [name: string]: unknown;
}

/** A page of resources (RFC 7644, section 3.4.2). */
export interface ScimUserList {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  /** How many there are on all pages. */
  totalResults?: number;
  /** The place of the first one, counted from 1. */
  startIndex?: number;
  /** How many are here. */
  itemsPerPage: number;
  /** The cursor of the next page, of pages by cursor. */
  nextCursor?: string;
  Resources: ScimUser[];
}

/**
 * A user as a provider sends it. What no schema names is kept as it was sent, and known deviations are taken too: names in
 * any case, null, text for booleans.
 */
export interface ScimUserRequest {
  /** The name by which the identity provider knows the user; unique in its directory. */
  userName: string;
  /** The parts of the user's name. */
  name?: {
    /** The whole name, as it is to be shown. */
    formatted?: string;
    /** The family name. */
    familyName?: string;
    /** The given name. */
    givenName?: string;
    /** Middle names. */
    middleName?: string;
    /** A title before the name. */
    honorificPrefix?: string;
    /** A suffix after the name. */
    honorificSuffix?: string;
    [name: string]: unknown;
  };
  /** The name to show for the user. */
  displayName?: string;
  /** What the user is casually called. */
  nickName?: string;
  /** The address of the user's profile. */
  profileUrl?: string;
  /** The position, such as "Vice President". */
  title?: string;
  /** The relation to the organisation, such as "Employee". */
  userType?: string;
  /** Preferred languages, as in the HTTP header Accept-Language. */
  preferredLanguage?: string;
  /** Where formats of dates, numbers and money come from. */
  locale?: string;
  /** The time zone, as in the IANA database. */
  timezone?: string;
  /** Whether the user may use the application. */
  active?: boolean;
  /** Accepted, and never kept. */
  password?: string;
  /** E-mail addresses. */
  emails?: {
    /** The address. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Telephone numbers. */
  phoneNumbers?: {
    /** The number. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Instant messaging addresses. */
  ims?: {
    /** The address. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Addresses of pictures. */
  photos?: {
    /** The address of the picture. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Postal addresses. */
  addresses?: {
    /** The whole address, as it is to be shown. */
    formatted?: string;
    /** Street, house number, apartment. */
    streetAddress?: string;
    /** City or place. */
    locality?: string;
    /** State or region. */
    region?: string;
    /** Postal code. */
    postalCode?: string;
    /** Country, by its two letters. */
    country?: string;
    /** What the address is for. */
    type?: string;
    /** Whether this is the preferred address; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** What the user is entitled to. */
  entitlements?: {
    /** The entitlement. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** What the user is. */
  roles?: {
    /** The role. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Certificates. */
  x509Certificates?: {
    /** The certificate in DER form and base64. */
    value?: string;
    /** A name for people to read. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the preferred value; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** What an organisation says of a user. */
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'?: {
    /** A number or name given by the organisation. */
    employeeNumber?: string;
    /** The cost centre. */
    costCenter?: string;
    /** The organisation. */
    organization?: string;
    /** The division. */
    division?: string;
    /** The department. */
    department?: string;
    /** The user's manager. */
    manager?: {
      /** The manager's id. */
      value?: string;
      /** The manager's address. */
      $ref?: string;
      [name: string]: unknown;
    };
    [name: string]: unknown;
  };
  /** The schemas that it follows. */
  schemas?: string[];
  /** The id that the identity provider gave it. */
  externalId?: string;
  [name: string]: unknown;
}

/** A query that is too long for an address (RFC 7644, section 3.4.3). */
export interface SearchRequest {
  schemas: string[];
  /** Which resources. */
  filter?: string;
  /** In which order. */
  sortBy?: string;
  /** `ascending` or `descending`. */
  sortOrder?: string;
  /** The place of the first one, counted from 1. */
  startIndex?: number | string;
  /** How many at most. */
  count?: number | string;
  /** Asks for pages by cursor (RFC 9865); empty: the first one. */
  cursor?: string;
  /** Only these. */
  attributes?: string[] | string;
  /** All but these. */
  excludedAttributes?: string[] | string;
  [name: string]: unknown;
}

/** What came of a test event. */
export interface SentTest {
  /** The `webhook-id` of the test. */
  id: string;
  /** Where it went, without the query of the address. */
  url: string;
  /** What came of it. */
  outcome: 'success' | 'http_error' | 'timeout' | 'dns' | 'tls' | 'connect' | 'blocked' | 'aborted';
  /** The status that the receiver answered; null: no answer. */
  status_code: number | null;
  /** A sentence about what went wrong. */
  error: string | null;
  /** The address that was reached. */
  address: string | null;
  /** What was sent beside the body. */
  request_headers: Record<string, string>;
  /** What was sent. */
  request_body: string;
  /** The headers of the answer. */
  response_headers: Record<string, string> | null;
  /** The first 16 KiB of the answer. */
  response_body: string | null;
  /** Whether the answer was longer. */
  response_truncated: boolean | null;
  /** How long it took; null in what was not needed. */
  timings: {
    /** Looking up the name. */
    dns_ms: number | null;
    /** Making the connection. */
    connect_ms: number | null;
    /** Until the answer began. */
    first_byte_ms: number | null;
    /** All together. */
    total_ms: number;
  } | null;
}

/** What this service can do (RFC 7643, section 5). */
export interface ServiceProviderConfig {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'];
  patch: {
    supported: boolean;
  };
  bulk: {
    supported: boolean;
    maxOperations: number;
    maxPayloadSize: number;
  };
  filter: {
    supported: boolean;
    maxResults: number;
  };
  changePassword: {
    supported: boolean;
  };
  sort: {
    supported: boolean;
  };
  etag: {
    supported: boolean;
  };
  pagination: {
    cursor: boolean;
    index: boolean;
    defaultPaginationMethod: string;
    defaultPageSize: number;
    maxPageSize: number;
    cursorTimeout: number;
  };
  authenticationSchemes: {
    type: string;
    name: string;
    description: string;
    specUri: string;
    primary: boolean;
  }[];
  meta: {
    resourceType: 'ServiceProviderConfig';
    /** Its address. */
    location: string;
  };
}

/** Which directories are read now. */
export interface StartedSyncs {
  message: 'Sync started';
  directories: {
    /** The directory. */
    directory_id: string;
    /** Its run. */
    run_id: string;
    /** Whether the run was begun now, or goes on already. */
    status: 'started' | 'running';
  }[];
}

/** Counts, in the ancestor's form. */
export interface Stats {
  /** There are none here. */
  sso_connections: number;
  /** Directories. */
  dsync_connections: number;
  /** There are none here. */
  identity_federation_apps: number;
}

/** What is to be counted. */
export interface StatsRequest {
  /** Whose directories are counted. */
  products: string[];
  /** What is counted; only dsync is there. */
  type?: 'sso' | 'dsync' | 'identityFederation' | undefined;
}

/** How often each kind of change is made. */
export interface SyncCounts {
  users: {
    created: number;
    updated: number;
    deleted: number;
  };
  groups: {
    created: number;
    updated: number;
    deleted: number;
  };
  members: {
    added: number;
    removed: number;
  };
}

/** What is to be confirmed, if anything. */
export interface SyncRequest {
  /** The run that waits for its removals to be confirmed. */
  confirm?: string | undefined;
}

/** One reading of a hosted directory. */
export interface SyncRun {
  /** Its id. */
  id: string;
  /** The directory. */
  directory_id: string;
  /** How it stands. */
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'needs_confirmation' | 'canceled';
  /** What it is doing, while it runs. */
  phase: 'users' | 'groups' | 'members' | 'comparing' | 'applying' | null;
  /** What began it. */
  trigger: 'schedule' | 'cron' | 'request' | 'authorization';
  /** The run whose removals it confirms. */
  confirms: string | null;
  /** How many pages were read. */
  pages: number;
  /** What was read. */
  seen: {
    users: number;
    groups: number;
    members: number;
  };
  /** What is to be changed; null as long as nothing was compared. */
  planned: SyncCounts | null;
  changed: SyncCounts;
  /** Changes that could not be made. */
  refused: number;
  /** Why the first of them could not be made. */
  refusals: {
    external_id: string;
    reason: string;
  }[];
  /** What it waits for. */
  notice: string | null;
  /** Why it did not succeed. */
  error: {
    code:
      | 'needs_authorization'
      | 'needs_confirmation'
      | 'provider_unavailable'
      | 'provider_refused'
      | 'provider_answer'
      | 'wrong_workspace'
      | 'quota_exceeded'
      | 'deactivated'
      | 'replaced'
      | 'canceled'
      | 'internal';
    message: string;
  } | null;
  /** When it was asked for. */
  requested_at: string | null;
  /** When it began. */
  started_at: string | null;
  /** When it ended. */
  finished_at: string | null;
  /** How long it took, or has taken so far. */
  duration_ms: number | null;
}

/** What a test of the webhook sends: verify it, answer, and do nothing. */
export interface TestEvent {
  /** That it is a test. */
  event: 'webhook.test';
  /** A sentence for people. */
  data: {
    message: string;
  };
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The directory. */
  directory_id: string;
  /** The event. */
  id: string;
  /** When it was sent. */
  occurred_at: string;
}

/** What is answered to what is no request: an error in both forms. */
export interface Unreadable {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'];
  /** The status, as text. */
  status: string;
  /** SCIM's word for what is wrong. */
  scimType?: string;
  /** A sentence for a person. */
  detail: string;
  data: null;
  error: Problem;
}

/** What is to be different. What is not given stays. */
export interface UpdateDirectoryRequest {
  /** A name for people. */
  name?: string | undefined;
  /** Whether everything of each webhook is kept for a while. */
  log_webhook_events?: boolean | 'true' | 'false' | undefined;
  /** While true, the provider gets 403. */
  deactivated?: boolean | 'true' | 'false' | undefined;
  /** Where events go; empty: the webhook is taken away. */
  webhook_url?: string | undefined;
  /** What webhooks are signed with; one is made if none is given. */
  webhook_secret?: string | undefined;
  /** The same two as they are answered, so that a directory can be sent back as it was read. */
  webhook?:
    | {
        endpoint?: string | undefined;
        secret?: string | undefined;
      }
    | undefined;
  /** Whether webhooks carry the ancestor's signatures too. */
  webhook_legacy_signatures?: boolean | 'true' | 'false' | undefined;
  /** Limits of this directory, in place of the deployment's. The object replaces the former one; null removes all. */
  quotas?: Quotas | null | undefined;
  /** Only the users of this domain; empty: all. */
  google_domain?: string | undefined;
  /** An access token that was obtained elsewhere. */
  google_access_token?: string | undefined;
  /** The refresh token that belongs to it. */
  google_refresh_token?: string | undefined;
  /** The administrator in whose name a service account reads. */
  google_admin_email?: string | undefined;
  /** The text of the service account's key file; empty: the deployment's own. */
  google_service_account_key?: string | undefined;
  /** Only these groups, by address or id; empty: all. */
  google_groups?: string[] | undefined;
  /** Only these organisational units, with what is below them; empty: all. */
  google_org_units?: string[] | undefined;
  /** Fixed when the directory was created; the same value is let pass. */
  tenant?: string | undefined;
  /** Fixed when the directory was created; the same value is let pass. */
  product?: string | undefined;
  /** Fixed when the directory was created; the same value is let pass. */
  type?: string | undefined;
}

/** A user of a directory. */
export interface User {
  /** Its id. */
  id: string;
  /** The given name; empty when there is none. */
  first_name: string;
  /** The family name; empty when there is none. */
  last_name: string;
  /** The primary address, else the first one, else the user name. */
  email: string;
  /** True unless the provider said otherwise. */
  active: boolean;
  /** The SCIM resource as pushed, with the id that it was given here. */
  raw: Record<string, unknown>;
}

/** Somebody joined, changed or left. */
export interface UserEvent {
  /** What happened. */
  event: 'user.created' | 'user.updated' | 'user.deleted';
  /** The user after the change, or before the deletion. Null when the content is no longer kept. */
  data: User | null;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The directory. */
  directory_id: string;
  /** The event. */
  id: string;
  /** Its place in its directory, without gaps. */
  sequence: number;
  /** When it happened. */
  occurred_at: string;
}

/** A user, and the group that it is about. */
export interface UserInGroup {
  /** Its id. */
  id: string;
  /** The given name; empty when there is none. */
  first_name: string;
  /** The family name; empty when there is none. */
  last_name: string;
  /** The primary address, else the first one, else the user name. */
  email: string;
  /** True unless the provider said otherwise. */
  active: boolean;
  /** The SCIM resource as pushed, with the id that it was given here. */
  raw: Record<string, unknown>;
  group: Group;
}

/** The request was accepted, and something in it should be changed. */
export interface Warning {
  /** What it is about. */
  code: 'short_webhook_secret';
  /** The field of the request that it is about. */
  field: string;
  /** A sentence about it. */
  message: string;
}

/** A delivery in the ancestor's form. */
export interface WebhookEvent {
  /** The `webhook-id`. */
  id: string;
  /** Where it went, without the query of the address. */
  webhook_endpoint: string;
  /** When it was put together. */
  created_at: string | null;
  /** The status of the last attempt; 500 where no answer came. */
  status_code: number;
  /** Whether it was taken. */
  delivered: boolean;
  /** The event, or the array of a batch; null when it is not kept. */
  payload: unknown;
}

/** What `directories.list` takes. */
export interface DirectoriesListQuery {
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** How many to leave out at the beginning. */
  pageOffset?: number | undefined;
  /** Another name of `pageOffset`. */
  offset?: number | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  pageLimit?: number | undefined;
  /** Another name of `pageLimit`. */
  limit?: number | undefined;
}

/** What `directories.listOfProduct` takes. */
export interface DirectoriesListOfProductQuery {
  /** The application. */
  product: string;
  /** How many to leave out at the beginning. */
  pageOffset?: number | undefined;
  /** Another name of `pageOffset`. */
  offset?: number | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  pageLimit?: number | undefined;
  /** Another name of `pageLimit`. */
  limit?: number | undefined;
}

/** What `directories.listAll` takes. */
export interface DirectoriesListAllQuery {
  /** How many to leave out at the beginning. */
  pageOffset?: number | undefined;
  /** Another name of `pageOffset`. */
  offset?: number | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  pageLimit?: number | undefined;
  /** Another name of `pageLimit`. */
  limit?: number | undefined;
}

/** What `directories.requests` takes. */
export interface DirectoriesRequestsQuery {
  /** How many to leave out at the beginning. */
  pageOffset?: number | undefined;
  /** Another name of `pageOffset`. */
  offset?: number | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  pageLimit?: number | undefined;
  /** Another name of `pageLimit`. */
  limit?: number | undefined;
}

/** What `users.list` takes. */
export interface UsersListQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directoryId?: string | undefined;
  /** How many to leave out at the beginning. */
  pageOffset?: number | undefined;
  /** Another name of `pageOffset`. */
  offset?: number | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  pageLimit?: number | undefined;
  /** Another name of `pageLimit`. */
  limit?: number | undefined;
}

/** What `users.get` takes. */
export interface UsersGetQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directoryId?: string | undefined;
}

/** What `groups.list` takes. */
export interface GroupsListQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directoryId?: string | undefined;
  /** How many to leave out at the beginning. */
  pageOffset?: number | undefined;
  /** Another name of `pageOffset`. */
  offset?: number | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  pageLimit?: number | undefined;
  /** Another name of `pageLimit`. */
  limit?: number | undefined;
}

/** What `groups.get` takes. */
export interface GroupsGetQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directoryId?: string | undefined;
}

/** What `groups.members` takes. */
export interface GroupsMembersQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directoryId?: string | undefined;
  /** How many to leave out at the beginning. */
  pageOffset?: number | undefined;
  /** Another name of `pageOffset`. */
  offset?: number | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  pageLimit?: number | undefined;
  /** Another name of `pageLimit`. */
  limit?: number | undefined;
}

/** What `groups.nestedGroups` takes. */
export interface GroupsNestedGroupsQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directoryId?: string | undefined;
  /** How many to leave out at the beginning. */
  pageOffset?: number | undefined;
  /** Another name of `pageOffset`. */
  offset?: number | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  pageLimit?: number | undefined;
  /** Another name of `pageLimit`. */
  limit?: number | undefined;
}

/** What `events.list` takes. */
export interface EventsListQuery {
  /** Only events of this directory. */
  directory_id?: string | undefined;
  /** Another name of `directory_id`. */
  directoryId?: string | undefined;
  /** Only events of this customer; with `product`. */
  tenant?: string | undefined;
  /** Only events of this application; with `tenant`. */
  product?: string | undefined;
  /**
   * Only events of these types, by comma or given several times: user.created, user.updated, user.deleted, group.created,
   * group.updated, group.deleted, group.user_added, group.user_removed.
   */
  events?: string | string[] | undefined;
  /** Another name of `events`. */
  'events[]'?: string | string[] | undefined;
  /** The cursor that the last page gave; empty: from the beginning. */
  after?: string | undefined;
  /** Only events from this time on; not together with `after`. */
  range_start?: string | undefined;
  /** Only events before this time. */
  range_end?: string | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  limit?: number | undefined;
  /** Oldest first, or newest first. */
  order?: 'asc' | 'desc' | undefined;
  /** How many seconds to wait for an event if there is none. */
  wait?: number | undefined;
}

/** What `deliveries.list` takes. */
export interface DeliveriesListQuery {
  /** Only those of this status. */
  status?: 'pending' | 'delivered' | 'exhausted' | 'split' | 'skipped' | 'replayed' | 'canceled' | undefined;
  /** Only new ones, or only those of replays. */
  kind?: 'live' | 'replay' | undefined;
  /** How many to leave out at the beginning. */
  pageOffset?: number | undefined;
  /** Another name of `pageOffset`. */
  offset?: number | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  pageLimit?: number | undefined;
  /** Another name of `pageLimit`. */
  limit?: number | undefined;
}

/** What `deliveries.processQueued` answers. */
export interface DeliveriesProcessQueuedData {
  message: 'Processing started';
  directory_ids: string[];
}

/** What `replays.list` takes. */
export interface ReplaysListQuery {
  /** How many to leave out at the beginning. */
  pageOffset?: number | undefined;
  /** Another name of `pageOffset`. */
  offset?: number | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  pageLimit?: number | undefined;
  /** Another name of `pageLimit`. */
  limit?: number | undefined;
}

/** What `webhookEvents.list` takes. */
export interface WebhookEventsListQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directoryId?: string | undefined;
  /** How many to leave out at the beginning. */
  pageOffset?: number | undefined;
  /** Another name of `pageOffset`. */
  offset?: number | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  pageLimit?: number | undefined;
  /** Another name of `pageLimit`. */
  limit?: number | undefined;
}

/** What `webhookEvents.delete` takes. */
export interface WebhookEventsDeleteQuery {
  /** The directory. */
  directoryId: string;
}

/** What `webhookEvents.get` takes. */
export interface WebhookEventsGetQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directoryId?: string | undefined;
}

/** What `syncs.list` takes. */
export interface SyncsListQuery {
  /** How many to leave out at the beginning. */
  pageOffset?: number | undefined;
  /** Another name of `pageOffset`. */
  offset?: number | undefined;
  /** How many at most: 50 if nothing is said, or 0; never more than 1000. */
  pageLimit?: number | undefined;
  /** Another name of `pageLimit`. */
  limit?: number | undefined;
}

/** What `limits.get` takes. */
export interface LimitsGetQuery {
  /** The project; without it, the deployment’s own. */
  project?: string | undefined;
}

/** What `health.live` answers. */
export interface HealthLiveData {
  status: 'live';
}

/** What `health.ready` answers. */
export interface HealthReadyData {
  status: 'ready';
}

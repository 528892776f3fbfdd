// Generated from the OpenAPI document by `npm run client`.
/** An access token for the SCIM address of one directory. */
export interface AccessToken {
  /** The access token. */
  access_token: string;
  /** How the token is sent. */
  token_type: 'Bearer';
  /** The seconds until the token expires. */
  expires_in: number;
  /** What the token is for. */
  scope: 'scim';
}

/** Why a request failed. */
export interface ApiError {
  /** Stable. Programs can rely on it. */
  code:
    | 'invalid_request'
    | 'invalid_files'
    | 'unauthorized'
    | 'key_malformed'
    | 'key_expired'
    | 'key_revoked'
    | 'key_network'
    | 'key_narrowed'
    | 'insufficient_scope'
    | 'session_unknown'
    | 'session_ended'
    | 'session_expired'
    | 'foreign_origin'
    | 'login_link_invalid'
    | 'sign_in_state_missing'
    | 'sign_in_state_mismatch'
    | 'sign_in_other_browser'
    | 'sign_in_expired'
    | 'sign_in_denied'
    | 'sign_in_code_invalid'
    | 'sign_in_audience'
    | 'sign_in_clock'
    | 'sign_in_token_invalid'
    | 'sign_in_no_role'
    | 'issuer_unavailable'
    | 'forbidden'
    | 'not_found'
    | 'method_not_allowed'
    | 'confirmation_required'
    | 'cursor_expired'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'rate_limited'
    | 'internal'
    | 'unavailable';
  /** A human-readable message; its wording may change. */
  message: string;
  /** The HTTP status of the response, which is the `code` of an error of Polis. */
  status: number;
  /** The invalid field of the request, where there is one. */
  field?: string;
  /** For a rate-limited request: the kind of limit. */
  layer?: string;
  /** For a rate-limited request: the bucket or rule. */
  bucket?: string;
  /** For a request to be confirmed: the number of events that it would send, by type. */
  events?: Record<string, number>;
  /** For a request to be confirmed: the value to send as `confirm`. */
  confirm?: number;
  /** For files that were not accepted: the first places where they are wrong. */
  problems?: {
    /** The file. */
    file: string;
    /** The line of the file; the first is 1. Null: the whole file. */
    line: number | null;
    /** The number of the field within the line; the first is 1. Null: the whole line. */
    column: number | null;
    /** What is wrong there. */
    message: string;
  }[];
  /** For files that were not accepted: how many more such places there are. */
  more_problems?: number;
}

/** A key for the JSON API. */
export interface ApiKey {
  /** The API key's ID. */
  id: string;
  /** What the key is for. */
  name: string;
  /** What the key may do. */
  scopes: (
    | 'directories:read'
    | 'directories:write'
    | 'directories:delete'
    | 'secrets:read'
    | 'people:read'
    | 'people:write'
    | 'events:read'
    | 'deliveries:read'
    | 'deliveries:write'
    | 'syncs:read'
    | 'syncs:write'
    | 'files:write'
    | 'setup_links:write'
    | 'keys:write'
    | 'audit:read'
    | 'metrics:read'
    | 'limits:read'
  )[];
  /** The only customer that the key can access; null: all. */
  tenant: string | null;
  /** The only application that the key can access; null: all. */
  product: string | null;
  /** The only directory that the key can access; null: all. */
  directory_id: string | null;
  /** The networks that the key may be used from; null: all. */
  allowed_networks: string[] | null;
  /** When the key expires; null: never. */
  expires_at: string | null;
  /** When the key was last used, to the minute. */
  last_used_at: string | null;
  /** When the key was created. */
  created_at: string | null;
  /** The ID of the key or person that created it. `root_1` is the first key of `API_KEYS`. */
  created_by: string;
  /** When the key was revoked; null: it was not. */
  revoked_at: string | null;
  /** The first characters of the key, to recognize it. */
  prefix: string;
}

/** A page of API keys. */
export interface ApiKeyPage {
  /** The API keys. */
  data: ApiKey[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** Where the attributes of a directory come from. */
export interface AttributeMapping {
  /** Sources by the name of the attribute. Null: no value. A predefined attribute that is left out has its default source. */
  attributes: Record<string, AttributeSource | null>;
  /** All attributes of the product, with their sources in this directory. */
  effective: {
    /** What applications see it as. */
    name: string;
    /** The type of the value, or of each value of a list. */
    type: 'string' | 'number' | 'boolean' | 'date' | 'object';
    /** Whether it is a list of all values. */
    multi_valued: boolean;
    /** Whether users without it are counted in the health of their directory. */
    required: boolean;
    /** Where the value comes from. Null: nowhere. */
    source: AttributeSource | null;
    /** Whether that is the default source of the kind of identity provider. */
    is_default: boolean;
  }[];
  /** The last recomputation of users. Null before the first one. */
  recompute: {
    /** The recomputation's ID. */
    id: string;
    /** Whether it has ended. */
    state: 'running' | 'done';
    /** The users that were computed. */
    done: number;
    /** The users of the directory. A change of groups computes only some of them. */
    total: number;
    /** When the schema, the mapping, the role table or a group changed. */
    requested_at: string;
    /** When it ended. */
    finished_at: string | null;
  } | null;
}

/** Where the attributes of a directory come from. */
export interface AttributeMappingRequest {
  /** Sources by the name of the attribute. Null: no value. A predefined attribute that is left out has its default source. */
  attributes: Record<string, AttributeSource | null>;
  /** Whether all users are computed again even if nothing changes, for example after an upgrade; default: false. */
  recompute?: boolean | undefined;
}

/** The attributes of the users of a product. */
export interface AttributeSchema {
  /** The application. */
  product: string;
  /** The attributes. Empty: users have no `custom_attributes`. */
  attributes: {
    /** What applications see it as. */
    name: string;
    /** The type of the value, or of each value of a list. */
    type: 'string' | 'number' | 'boolean' | 'date' | 'object';
    /** Whether it is a list of all values. */
    multi_valued: boolean;
    /** Whether users without it are counted in the health of their directory. */
    required: boolean;
  }[];
}

/** The attributes of the users of a product. */
export interface AttributeSchemaRequest {
  /** The application. */
  product: string;
  /** The attributes, in the order in which they are shown. Empty: users have no `custom_attributes`. */
  attributes: {
    /** What applications see it as. A predefined name needs nothing else. */
    name: string;
    /** Required unless the attribute is predefined. */
    type?: 'string' | 'number' | 'boolean' | 'date' | 'object' | undefined;
    /** Whether it is a list of all values; default: false. */
    multi_valued?: boolean | undefined;
    /** Whether users without it are counted in the health of their directory; default: false. */
    required?: boolean | undefined;
  }[];
  /** Whether all users are computed again even if nothing changes, for example after an upgrade; default: false. */
  recompute?: boolean | undefined;
}

/** Where the value of an attribute comes from. */
export interface AttributeSource {
  /** Where the value is in the user, as SCIM writes it. */
  path?: string | undefined;
  /** The value of all users. */
  constant?: string | number | boolean | undefined;
  /** The first of these that has a value. */
  first_of?:
    | {
        /** Where the value is in the user, as SCIM writes it. */
        path?: string | undefined;
        /** The value of all users. */
        constant?: string | number | boolean | undefined;
      }[]
    | undefined;
  /** Folds the letters of a string. */
  case?: 'lower' | 'upper' | undefined;
}

/** Who acted. */
export interface AuditActor {
  /** The kind of actor. */
  type: 'root_key' | 'api_key' | 'upload_token' | 'person' | 'library' | 'command_line' | 'administrator' | 'service' | 'anonymous';
  /** The actor's ID: of an API key, or `root_1` for the first key of `API_KEYS`. */
  id: string;
  /** The name of an API key, the first characters of a key of `API_KEYS`, or a command. */
  name: string;
}

/** Both ends of the chain. */
export interface AuditChain {
  /** The newest entry. */
  head: AuditChainLink;
  /** The newest entry that was deleted after its retention. */
  anchor: AuditChainLink;
}

/** A place in the chain, with its hash. */
export interface AuditChainLink {
  /** The place in the chain. */
  position: number;
  /** The hash. */
  hash: string;
}

/** Where the actor sent the request from. Null if there was no request. */
export interface AuditContext {
  /** The client's address. */
  location: string | null;
  /** The client's `User-Agent`, cut to 500 characters. */
  user_agent: string | null;
  /** The ID of the request in the log. */
  request_id: string | null;
}

/** An entry of the audit log. */
export interface AuditEntry {
  /** The place in the chain, without gaps. Null for a key that sees only a part of the log. */
  position: number | null;
  /** The SHA-256 of the previous hash, the position and the entry. */
  hash: string | null;
  /** The entry's ID. */
  id: string;
  /** The action. */
  action:
    | 'directory.created'
    | 'directory.updated'
    | 'directory.mapping_updated'
    | 'directory.roles_updated'
    | 'attribute_schema.updated'
    | 'directory.deleted'
    | 'directory.authorized'
    | 'directory.authorization_started'
    | 'directory.code_exchanged'
    | 'directory.authorization_lost'
    | 'directory.exported'
    | 'directory.secrets_read'
    | 'directory.scim_secret_rotated'
    | 'scim_client.created'
    | 'scim_client.updated'
    | 'scim_client.revoked'
    | 'scim_client.tokens_revoked'
    | 'webhook.secret_rotated'
    | 'webhook.tested'
    | 'delivery.paused'
    | 'delivery.resumed'
    | 'delivery.retried'
    | 'delivery.disabled'
    | 'delivery_log.deleted'
    | 'replay.started'
    | 'replay.canceled'
    | 'directory.files_uploaded'
    | 'upload_token.created'
    | 'upload_token.revoked'
    | 'sync.started'
    | 'sync.confirmed'
    | 'sync.canceled'
    | 'sync.failed'
    | 'sync.confirmation_needed'
    | 'mutation.rejected'
    | 'sign_in.succeeded'
    | 'sign_in.refused'
    | 'session.ended'
    | 'login_link.created'
    | 'api_key.created'
    | 'api_key.updated'
    | 'api_key.rotated'
    | 'api_key.revoked'
    | 'setup_link.created'
    | 'setup_link.secrets_read'
    | 'setup_link.opened'
    | 'setup_link.completed'
    | 'setup_link.revoked'
    | 'user.exported'
    | 'user.erasure_requested'
    | 'user.erased'
    | 'keys.rewrap_started'
    | 'keys.rewrapped'
    | 'database.migrated'
    | 'database.backed_up'
    | 'database.restored'
    | 'audit_log.exported';
  /** When it happened. */
  occurred_at: string;
  actor: AuditActor;
  /** The targets of the action. */
  targets: AuditTarget[];
  context: AuditContext;
  /** Settings with their old and new values, secrets that changed, and details of the action. */
  changes: Record<
    string,
    | {
        from: unknown;
        to: unknown;
      }
    | {
        changed: true;
      }
    | string
    | number
    | boolean
    | null
  > | null;
  /** `refused` for rejected credentials, otherwise `success`. */
  result: 'success' | 'refused';
}

/** A page of the audit log. */
export interface AuditPage {
  data: AuditEntry[];
  error: null;
  list_metadata: {
    /** The cursor of the next page: send it as `after`. */
    after: string | null;
    /** Whether more entries can be read now. */
    has_more: boolean;
  };
}

/** A target of an action. */
export interface AuditTarget {
  /** The kind of target. */
  type:
    | 'directory'
    | 'delivery'
    | 'replay'
    | 'sync_run'
    | 'mutation'
    | 'api_key'
    | 'scim_client'
    | 'upload_token'
    | 'session'
    | 'setup_link'
    | 'encryption_key'
    | 'user'
    | 'attribute_schema';
  /** The target's ID. */
  id: string;
  /** The customer of a directory. */
  tenant?: string;
  /** The application of a directory. */
  product?: string;
}

/** A Bulk request: several changes in one request (RFC 7644, section 3.7). */
export interface BulkRequest {
  schemas: string[];
  /** Stop after this number of errors. */
  failOnErrors?: number | string;
  Operations: {
    /** POST, PUT, PATCH or DELETE. */
    method?: string;
    /** The path of the resource. */
    path?: string;
    /** A name for the new resource, which other operations can refer to. */
    bulkId?: string;
    /** Fail with 412 unless the resource has this version. */
    version?: string;
    /** The body of the operation. */
    data?: unknown;
    [name: string]: unknown;
  }[];
  [name: string]: unknown;
}

/** The result of each operation. */
export interface BulkResponse {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'];
  Operations: {
    /** As in the request. */
    method?: string;
    /** As in the request. */
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

/** A new API key. With a tenant, product or directory, the key can access nothing else. */
export interface CreateApiKeyRequest {
  /** What the key is for. */
  name: string;
  /** What the key may do. Either this or `preset`. */
  scopes?:
    | (
        | 'directories:read'
        | 'directories:write'
        | 'directories:delete'
        | 'secrets:read'
        | 'people:read'
        | 'people:write'
        | 'events:read'
        | 'deliveries:read'
        | 'deliveries:write'
        | 'syncs:read'
        | 'syncs:write'
        | 'files:write'
        | 'setup_links:write'
        | 'keys:write'
        | 'audit:read'
        | 'metrics:read'
        | 'limits:read'
      )[]
    | undefined;
  /**
   * A named list of scopes. `admin`: directories:read, directories:write, directories:delete, secrets:read, people:read,
   * people:write, events:read, deliveries:read, deliveries:write, syncs:read, syncs:write, files:write, setup_links:write,
   * keys:write, audit:read, metrics:read, limits:read. `application`: directories:read, directories:write,
   * directories:delete, secrets:read, people:read, events:read, deliveries:read, deliveries:write, syncs:read, syncs:write,
   * files:write, setup_links:write. `read-only`: directories:read, people:read, events:read, deliveries:read, syncs:read,
   * metrics:read, limits:read. `support`: directories:read, people:read, events:read, deliveries:read, deliveries:write,
   * syncs:read, syncs:write. A narrowed key gets no metrics:read and limits:read.
   */
  preset?: 'admin' | 'application' | 'read-only' | 'support' | undefined;
  /** The only tenant that the key can access. */
  tenant?: string | undefined;
  /** The only product that the key can access. */
  product?: string | undefined;
  /** The ID of the only directory that the key can access. */
  directory_id?: string | undefined;
  /** The networks that the key may be used from; null: all. */
  allowed_networks?: string[] | null | undefined;
  /** When the key expires; null: never. */
  expires_at?: string | null | undefined;
}

/** A new directory. Unknown fields are ignored, and named in `warnings` of the response. */
export interface CreateDirectoryRequest {
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The kind of identity provider. */
  type?:
    | 'azure-scim-v2'
    | 'onelogin-scim-v2'
    | 'okta-scim-v2'
    | 'jumpcloud-scim-v2'
    | 'generic-scim-v2'
    | 'google'
    | 'entra'
    | 'csv'
    | undefined;
  /** Display name; empty or null: `scim-<tenant>-<product>`. */
  name?: string | null | undefined;
  /** Whether event bodies are kept after delivery, so that they can be read and replayed. */
  log_webhook_events?: boolean | 'true' | 'false' | undefined;
  /** Whether a change of `active` is `user.deactivated` or `user.reactivated`. */
  user_state_events?: boolean | 'true' | 'false' | undefined;
  /**
   * With `delete`, a deactivation emits `user.deleted` and a reactivation `user.created`; default: `keep`. A change that
   * would send events fails with `confirmation_required`.
   */
  inactive_users?: 'keep' | 'delete' | undefined;
  /**
   * With `events`, the deletion of the directory emits the removals of all users and groups first, and they are delivered
   * before it is gone; default: `silent`.
   */
  on_directory_delete?: 'silent' | 'events' | undefined;
  /** While true, requests of the identity provider fail with 403. */
  deactivated?: boolean | 'true' | 'false' | undefined;
  /** Whether the SCIM secret is accepted beside access tokens of OAuth clients. Without it, only access tokens are. */
  accept_scim_secret?: boolean | 'true' | 'false' | undefined;
  /** The address of the webhook; empty or null removes the webhook. */
  webhook_url?: string | null | undefined;
  /** The secret that webhooks are signed with; default, empty and null: the current one, or a new one. */
  webhook_secret?: string | null | undefined;
  /** The same two values as in a response, so that a directory can be sent back as it was read. */
  webhook?:
    | {
        endpoint?: string | null | undefined;
        secret?: string | null | undefined;
      }
    | null
    | undefined;
  /** Whether webhooks also carry the signatures of Ory Polis; default and null: `WEBHOOK_LEGACY_SIGNATURES`. */
  webhook_legacy_signatures?: boolean | 'true' | 'false' | null | undefined;
  /** Limits of this directory, in place of the deployment's. The object replaces the previous one; null removes all. */
  quotas?: Quotas | null | undefined;
  /** Sync only the users of this domain; empty: all. */
  google_domain?: string | undefined;
  /** An access token that was obtained elsewhere; null: the current one. */
  google_access_token?: string | null | undefined;
  /** The refresh token that belongs to it; null: the current one. */
  google_refresh_token?: string | null | undefined;
  /** The administrator that a service account acts for. */
  google_admin_email?: string | undefined;
  /** The content of the service account's key file; empty: the deployment's own. */
  google_service_account_key?: string | undefined;
  /** Sync only these groups, by address or ID; empty: all. */
  google_groups?: string[] | undefined;
  /** Sync only these organizational units and those below them; empty: all. */
  google_org_units?: string[] | undefined;
  /** The ID of the Entra tenant; empty: the tenant whose administrator gives consent. */
  entra_tenant_id?: string | undefined;
  /** Sync only these groups, by ID, with the groups and users in them at any depth; empty: all. */
  entra_groups?: string[] | undefined;
  /** Sync only the users and groups that are assigned to the enterprise application. */
  entra_assigned_only?: boolean | 'true' | 'false' | undefined;
}

/** A new OAuth client. */
export interface CreateScimClientRequest {
  /** What the client is for. */
  name: string;
  /** When the client expires, at most three years from now; default: in 365 days. */
  expires_at?: string | undefined;
}

/** The identity provider. */
export interface CreateSetupDirectoryRequest {
  /** The identity provider. */
  type: 'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google' | 'entra' | 'csv';
}

/** A new setup link. */
export interface CreateSetupLinkRequest {
  /** The customer. Required. */
  tenant?: string | undefined;
  /** The application. Required. */
  product?: string | undefined;
  /** The webhook address of the new directory. Required. */
  webhook_url?: string | undefined;
  /** The secret that signs its webhooks. Required. */
  webhook_secret?: string | undefined;
  /** The name of the new directory; default: `scim-<tenant>-<product>`. */
  name?: string | undefined;
  /** How many days the link works, at least a minute; 0 or less: the default, `SETUP_LINK_EXPIRY_DAYS`. */
  expiryDays?: number | undefined;
  /** Whether to create a new link even if there is a valid one, which then no longer works. */
  regenerate?: boolean | 'true' | 'false' | undefined;
  /** The only identity provider that the link offers; default: all. */
  provider?:
    | 'azure-scim-v2'
    | 'onelogin-scim-v2'
    | 'okta-scim-v2'
    | 'jumpcloud-scim-v2'
    | 'generic-scim-v2'
    | 'google'
    | 'entra'
    | 'csv'
    | undefined;
  /** Where the administrator goes at the end. */
  return_url?: string | undefined;
  /** Whether the link ends when the administrator has finished. */
  revoke_on_completion?: boolean | 'true' | 'false' | undefined;
  /** The roles that the administrator may give to groups, strongest first; default: none, and the pages do not offer it. */
  roles?: string[] | undefined;
  /** The people to whom you send the link, for your own records: Rollcall sends no email. */
  admin_emails?: string[] | undefined;
}

/** A new upload token. */
export interface CreateUploadTokenRequest {
  /** What the token is for. */
  name: string;
  /** When the token expires, at most three years from now; default: in 365 days. */
  expires_at?: string | undefined;
}

/** An API key with its value. */
export interface CreatedApiKey {
  /** The API key's ID. */
  id: string;
  /** What the key is for. */
  name: string;
  /** What the key may do. */
  scopes: (
    | 'directories:read'
    | 'directories:write'
    | 'directories:delete'
    | 'secrets:read'
    | 'people:read'
    | 'people:write'
    | 'events:read'
    | 'deliveries:read'
    | 'deliveries:write'
    | 'syncs:read'
    | 'syncs:write'
    | 'files:write'
    | 'setup_links:write'
    | 'keys:write'
    | 'audit:read'
    | 'metrics:read'
    | 'limits:read'
  )[];
  /** The only customer that the key can access; null: all. */
  tenant: string | null;
  /** The only application that the key can access; null: all. */
  product: string | null;
  /** The only directory that the key can access; null: all. */
  directory_id: string | null;
  /** The networks that the key may be used from; null: all. */
  allowed_networks: string[] | null;
  /** When the key expires; null: never. */
  expires_at: string | null;
  /** When the key was last used, to the minute. */
  last_used_at: string | null;
  /** When the key was created. */
  created_at: string | null;
  /** The ID of the key or person that created it. `root_1` is the first key of `API_KEYS`. */
  created_by: string;
  /** When the key was revoked; null: it was not. */
  revoked_at: string | null;
  /** The first characters of the key, to recognize it. */
  prefix: string;
  /** The key. It cannot be read again. */
  key: string;
}

/** A new directory with its secrets. */
export interface CreatedDirectory {
  /** The directory's ID. */
  id: string;
  /** Display name. */
  name: string;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The kind of identity provider. */
  type: 'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google' | 'entra' | 'csv';
  /** Whether event bodies are kept after delivery. */
  log_webhook_events: boolean;
  /** Whether a change of `active` is `user.deactivated` or `user.reactivated`. */
  user_state_events: boolean;
  /** With `delete`, a deactivation emits `user.deleted` and a reactivation `user.created`. */
  inactive_users: 'keep' | 'delete';
  /** The events of a change of `inactive_users` are still emitted, in batches. Missing otherwise. */
  inactive_users_change?: 'in_progress';
  /** With `events`, a deletion emits the removals of all users and groups first. */
  on_directory_delete: 'silent' | 'events';
  /** While true, requests of the identity provider fail with 403. */
  deactivated: boolean;
  /**
   * Whether the identity provider can change the directory: `needs_authorization` is for one that Rollcall reads;
   * `deleting`: it is gone once its events are delivered.
   */
  state: 'active' | 'deactivated' | 'needs_authorization' | 'deleting';
  /** When it was created. */
  created_at: string;
  /** When a setting last changed. Changes of users and groups do not count. */
  updated_at: string;
  /** Whether the SCIM secret is accepted beside access tokens of OAuth clients. Missing for a pulled directory. */
  accept_scim_secret?: boolean;
  /** What to configure at the identity provider. All strings are empty for a pulled directory. */
  scim: {
    /** The path of the SCIM address. */
    path: string;
    /** The SCIM address. */
    endpoint: string;
    /** The bearer token for the identity provider. */
    secret: string;
  };
  /** Where events are sent. */
  webhook: {
    /** The address that events are sent to; empty: none. */
    endpoint: string;
    /** The secret that webhooks are signed with. */
    secret: string;
  };
  /** Whether webhooks also carry the signatures of Ory Polis. Missing if the deployment's default applies. */
  webhook_legacy_signatures?: boolean;
  /** The domain whose users are synced; empty: all domains of the workspace. */
  google_domain?: string;
  /**
   * The access token; empty if none was given. Null if the API key lacks the scope `secrets:read`, or with
   * `SECRETS_SHOWN_ONCE`.
   */
  google_access_token?: string | null;
  /**
   * The refresh token; empty if none was given. Null if the API key lacks the scope `secrets:read`, or with
   * `SECRETS_SHOWN_ONCE`.
   */
  google_refresh_token?: string | null;
  /** The administrator that the service account acts for. */
  google_admin_email?: string;
  /** The groups that are synced; empty: all. */
  google_groups?: string[];
  /** The organizational units that are synced; empty: all. */
  google_org_units?: string[];
  /** The address at which an administrator authorizes the directory. */
  google_authorization_url?: string;
  /** Whether the directory is authorized. */
  google_authorization?: 'authorized' | 'needs_authorization';
  /** Why Google no longer accepts the authorization. */
  google_authorization_error?: string | null;
  /** The ID of the Entra tenant; empty: no administrator has given consent yet. */
  entra_tenant_id?: string;
  /** The groups that are synced, by ID; empty: all. */
  entra_groups?: string[];
  /** Whether only users and groups that are assigned to the enterprise application are synced. */
  entra_assigned_only?: boolean;
  /** The address at which an administrator gives consent. */
  entra_authorization_url?: string;
  /** Whether the tenant is known and its consent was not revoked. */
  entra_authorization?: 'authorized' | 'needs_authorization';
  /** Why Microsoft no longer allows the application to read the tenant. */
  entra_authorization_error?: string | null;
  /** Values that may be a mistake. Missing if there are none. */
  warnings?: Warning[];
}

/** An OAuth client with its secret. */
export interface CreatedScimClient {
  /** The ID that the identity provider sends. */
  client_id: string;
  /** What the client is for. */
  name: string;
  /** When the client was created. */
  created_at: string;
  /** When the client expires, and with it its access tokens. */
  expires_at: string;
  /** When the client last got an access token. */
  last_used_at: string | null;
  /** When the client was revoked; null: it was not. */
  revoked_at: string | null;
  /** Values that may be a mistake. Missing if there are none. */
  warnings?: Warning[];
  /** The secret of the client. It cannot be read again. */
  client_secret: string;
  /** Where the identity provider gets access tokens. */
  token_endpoint: string;
}

/** A new directory, with its secret. */
export interface CreatedSetupDirectory {
  /** The directory's ID. */
  id: string;
  scim: {
    /** The path of the SCIM address. */
    path: string;
    /** The SCIM address. */
    endpoint: string;
    /** The secret, in the response that has created it; otherwise null. */
    secret: string | null;
  };
}

/** An upload token with its value. */
export interface CreatedUploadToken {
  /** The token's ID. */
  id: string;
  /** What the token is for. */
  name: string;
  /** When the token was created. */
  created_at: string;
  /** When the token expires. */
  expires_at: string;
  /** When the token was last used, to the minute; null: never. */
  last_used_at: string | null;
  /** When the token was revoked; null: it was not. */
  revoked_at: string | null;
  /** The value of the token. It cannot be read again. */
  token: string;
  /** Where the files are uploaded. */
  upload_endpoint: string;
}

/** The bytes of the file, with the names of the columns in its first line. */
export type CsvFile = string;

/** The files of the set, each in a part with its name. */
export interface CsvFiles {
  /** The bytes of the file of this name. */
  'users.csv'?: string;
  /** The bytes of the file of this name. */
  'groups.csv'?: string;
  /** The bytes of the file of this name. */
  'user_groups.csv'?: string;
}

/** Empty if the directory is gone. */
export interface DeletedDirectory {
  /** The events of its deletion are delivered first. Missing if the directory is gone. */
  state?: 'deleting';
}

/** Whether a directory is gone. */
export interface DeletedSetupDirectory {
  /** The events of its deletion are delivered first. Missing if the directory is gone. */
  state?: 'deleting';
}

/** A page of deliveries. */
export interface DeliveriesOfDirectoriesPage {
  /** The deliveries. */
  data: DeliveryOfDirectory[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** A webhook request body under one `webhook-id`. */
export interface Delivery {
  /** The `webhook-id` of the delivery. */
  id: string;
  /** The directory's ID. */
  directory_id: string;
  /** Whether it delivers new events (`live`) or belongs to a replay. */
  kind: 'live' | 'replay';
  /** The replay that it belongs to. */
  replay_id: string | null;
  /** The status of the delivery. */
  status: 'pending' | 'delivered' | 'exhausted' | 'split' | 'skipped' | 'replayed' | 'canceled';
  /** The sequence of its first event. */
  from_sequence: number;
  /** The sequence of its last event. */
  to_sequence: number;
  /** The number of events. */
  event_count: number;
  /** The different types of its first 20 events, without those whose rows are deleted. */
  event_types: string[];
  /** The number of attempts. */
  attempts: number;
  /** The number of failed attempts. */
  failures: number;
  /** When the next attempt is due, if it is pending. */
  next_attempt_at: string | null;
  /** The size of the body. */
  bytes: number;
  /** The SHA-256 hash of the body. */
  sha256: string | null;
  /** When it was created. */
  created_at: string | null;
  /** When the first attempt began. */
  first_attempt_at: string | null;
  /** When it reached a final status. */
  done_at: string | null;
}

/** One attempt: a POST to the webhook. */
export interface DeliveryAttempt {
  /** The number of the attempt, from 1. */
  number: number;
  /** What caused the attempt. */
  trigger: 'auto' | 'replay';
  /** The outcome. */
  outcome: 'success' | 'http_error' | 'timeout' | 'dns' | 'tls' | 'connect' | 'blocked' | 'aborted' | 'in_flight';
  /** The status of the response; null: there was no response. */
  status_code: number | null;
  /** Why it failed. */
  error: string | null;
  /** The address that it was sent to, without the query. */
  url: string;
  /** The IP address that was reached. */
  address: string | null;
  /** The IDs of the secrets that signed it. */
  secret_ids: string[] | null;
  /** The headers of the request. */
  request_headers: Record<string, string> | null;
  /** The headers of the response. */
  response_headers: Record<string, string> | null;
  /** The first 16 KiB of the response body. */
  response_body: string | null;
  /** Whether the response body was longer. */
  response_truncated: boolean | null;
  /** Durations in milliseconds; null for steps that were not needed. */
  timings: {
    /** DNS lookup. */
    dns_ms: number | null;
    /** Connection set-up. */
    connect_ms: number | null;
    /** Time to the first byte of the response. */
    first_byte_ms: number | null;
    /** Total time of the attempt. */
    total_ms: number;
  } | null;
  /** When the attempt began. */
  started_at: string | null;
  /** When the attempt ended. */
  ended_at: string | null;
}

/** A delivery with the name and the owner of its directory. */
export interface DeliveryOfDirectory {
  /** The `webhook-id` of the delivery. */
  id: string;
  /** The directory's ID. */
  directory_id: string;
  /** Whether it delivers new events (`live`) or belongs to a replay. */
  kind: 'live' | 'replay';
  /** The replay that it belongs to. */
  replay_id: string | null;
  /** The status of the delivery. */
  status: 'pending' | 'delivered' | 'exhausted' | 'split' | 'skipped' | 'replayed' | 'canceled';
  /** The sequence of its first event. */
  from_sequence: number;
  /** The sequence of its last event. */
  to_sequence: number;
  /** The number of events. */
  event_count: number;
  /** The different types of its first 20 events, without those whose rows are deleted. */
  event_types: string[];
  /** The number of attempts. */
  attempts: number;
  /** The number of failed attempts. */
  failures: number;
  /** When the next attempt is due, if it is pending. */
  next_attempt_at: string | null;
  /** The size of the body. */
  bytes: number;
  /** The SHA-256 hash of the body. */
  sha256: string | null;
  /** When it was created. */
  created_at: string | null;
  /** When the first attempt began. */
  first_attempt_at: string | null;
  /** When it reached a final status. */
  done_at: string | null;
  /** The directory of the delivery. */
  directory: {
    /** Display name. */
    name: string;
    /** The customer. */
    tenant: string;
    /** The application. */
    product: string;
  };
}

/** A page of deliveries. */
export interface DeliveryPage {
  /** The deliveries. */
  data: Delivery[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** The state of the delivery of a directory. */
export interface DeliveryState {
  /** The delivery state. */
  status: 'active' | 'failing' | 'paused' | 'disabled' | 'misconfigured' | 'no_webhook';
  /** Why the delivery is paused, disabled or misconfigured. */
  reason: string | null;
  /** The address that events are sent to, without its query; null: none. */
  url: string | null;
  /** The number of events that are neither delivered nor skipped. */
  backlog: number;
  /** The sequence up to which all events are delivered or skipped. */
  acked_sequence: number;
  /** The sequence of the last event. */
  last_sequence: number;
  /** When the oldest undelivered event was created. */
  oldest_pending_at: string | null;
  /** The delivery that all later events wait for. */
  open: {
    /** The `webhook-id` of the delivery. */
    id: string;
    status: 'pending' | 'delivered' | 'exhausted' | 'split' | 'skipped' | 'replayed' | 'canceled';
    /** The number of attempts. */
    attempts: number;
    /** The number of failed attempts. */
    failures: number;
    /** When the next attempt is due. */
    next_attempt_at: string | null;
  } | null;
  /** The newest failed attempt, while deliveries fail; null otherwise. */
  last_error: {
    /** When the attempt ended. */
    at: string;
    /** The outcome. */
    outcome: 'http_error' | 'timeout' | 'dns' | 'tls' | 'connect' | 'blocked';
    /** The status of the response; null: there was no response. */
    status_code: number | null;
    /** Why it failed. */
    error: string | null;
    /** The ID of the delivery, a slash, and the number of the attempt. */
    attempt_id: string;
  } | null;
  /** The first failure since the last success. */
  first_failure_at: string | null;
  /** The same, while the state is `failing`; null otherwise. */
  failing_since: string | null;
  /** The number of failed attempts since the last success. */
  consecutive_failures: number;
  /** When the next attempt is due, while the state is `failing`; null otherwise. */
  next_attempt_at: string | null;
  /** When a webhook was last acknowledged. */
  last_success_at: string | null;
  /** Whether webhooks also carry the signatures of Ory Polis. */
  legacy_signatures: boolean;
  /** The secrets that sign webhooks, newest first. */
  secrets: {
    /** The secret's ID. The secret itself is not shown. */
    id: string;
    /** When it was created. */
    created_at: string | null;
    /** Until when it signs webhooks; null: until it is rotated. */
    expires_at: string | null;
    /** When it last signed a webhook. */
    last_used_at: string | null;
  }[];
  /** The replay that is running. */
  replay: {
    /** The replay's ID. */
    id: string;
    /** How the events were selected. */
    mode: 'single' | 'failed' | 'missing' | 'range';
    /** The number of events to send. */
    total: number;
    /** The number of acknowledged events. */
    done: number;
  } | null;
}

/** A delivery with its body and every attempt. */
export interface DeliveryWithAttempts {
  /** The `webhook-id` of the delivery. */
  id: string;
  /** The directory's ID. */
  directory_id: string;
  /** Whether it delivers new events (`live`) or belongs to a replay. */
  kind: 'live' | 'replay';
  /** The replay that it belongs to. */
  replay_id: string | null;
  /** The status of the delivery. */
  status: 'pending' | 'delivered' | 'exhausted' | 'split' | 'skipped' | 'replayed' | 'canceled';
  /** The sequence of its first event. */
  from_sequence: number;
  /** The sequence of its last event. */
  to_sequence: number;
  /** The number of events. */
  event_count: number;
  /** The different types of its first 20 events, without those whose rows are deleted. */
  event_types: string[];
  /** The number of attempts. */
  attempts: number;
  /** The number of failed attempts. */
  failures: number;
  /** When the next attempt is due, if it is pending. */
  next_attempt_at: string | null;
  /** The size of the body. */
  bytes: number;
  /** The SHA-256 hash of the body. */
  sha256: string | null;
  /** When it was created. */
  created_at: string | null;
  /** When the first attempt began. */
  first_attempt_at: string | null;
  /** When it reached a final status. */
  done_at: string | null;
  /** The body exactly as it was sent; null if it is not kept. */
  body: string | null;
  /** All attempts, oldest first. */
  attempt_log: DeliveryAttempt[];
}

/** The connection of one tenant and one product to an identity provider. */
export interface Directory {
  /** The directory's ID. */
  id: string;
  /** Display name. */
  name: string;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The kind of identity provider. */
  type: 'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google' | 'entra' | 'csv';
  /** Whether event bodies are kept after delivery. */
  log_webhook_events: boolean;
  /** Whether a change of `active` is `user.deactivated` or `user.reactivated`. */
  user_state_events: boolean;
  /** With `delete`, a deactivation emits `user.deleted` and a reactivation `user.created`. */
  inactive_users: 'keep' | 'delete';
  /** The events of a change of `inactive_users` are still emitted, in batches. Missing otherwise. */
  inactive_users_change?: 'in_progress';
  /** With `events`, a deletion emits the removals of all users and groups first. */
  on_directory_delete: 'silent' | 'events';
  /** While true, requests of the identity provider fail with 403. */
  deactivated: boolean;
  /**
   * Whether the identity provider can change the directory: `needs_authorization` is for one that Rollcall reads;
   * `deleting`: it is gone once its events are delivered.
   */
  state: 'active' | 'deactivated' | 'needs_authorization' | 'deleting';
  /** When it was created. */
  created_at: string;
  /** When a setting last changed. Changes of users and groups do not count. */
  updated_at: string;
  /** Whether the SCIM secret is accepted beside access tokens of OAuth clients. Missing for a pulled directory. */
  accept_scim_secret?: boolean;
  /** What to configure at the identity provider. All strings are empty for a pulled directory. */
  scim: {
    /** The path of the SCIM address. */
    path: string;
    /** The SCIM address. */
    endpoint: string;
    /**
     * The bearer token for the identity provider. Null if the API key lacks the scope `secrets:read`, or with
     * `SECRETS_SHOWN_ONCE`.
     */
    secret: string | null;
    /** The last four characters of a secret that is not shown. */
    secret_hint?: string;
  };
  /** Where events are sent. */
  webhook: {
    /** The address that events are sent to; empty: none. */
    endpoint: string;
    /**
     * The secret that webhooks are signed with. Null if the API key lacks the scope `secrets:read`, or with
     * `SECRETS_SHOWN_ONCE`.
     */
    secret: string | null;
    /** The last four characters of a secret that is not shown. */
    secret_hint?: string;
  };
  /** Whether webhooks also carry the signatures of Ory Polis. Missing if the deployment's default applies. */
  webhook_legacy_signatures?: boolean;
  /** The domain whose users are synced; empty: all domains of the workspace. */
  google_domain?: string;
  /**
   * The access token; empty if none was given. Null if the API key lacks the scope `secrets:read`, or with
   * `SECRETS_SHOWN_ONCE`.
   */
  google_access_token?: string | null;
  /**
   * The refresh token; empty if none was given. Null if the API key lacks the scope `secrets:read`, or with
   * `SECRETS_SHOWN_ONCE`.
   */
  google_refresh_token?: string | null;
  /** The administrator that the service account acts for. */
  google_admin_email?: string;
  /** The groups that are synced; empty: all. */
  google_groups?: string[];
  /** The organizational units that are synced; empty: all. */
  google_org_units?: string[];
  /** The address at which an administrator authorizes the directory. */
  google_authorization_url?: string;
  /** Whether the directory is authorized. */
  google_authorization?: 'authorized' | 'needs_authorization';
  /** Why Google no longer accepts the authorization. */
  google_authorization_error?: string | null;
  /** The ID of the Entra tenant; empty: no administrator has given consent yet. */
  entra_tenant_id?: string;
  /** The groups that are synced, by ID; empty: all. */
  entra_groups?: string[];
  /** Whether only users and groups that are assigned to the enterprise application are synced. */
  entra_assigned_only?: boolean;
  /** The address at which an administrator gives consent. */
  entra_authorization_url?: string;
  /** Whether the tenant is known and its consent was not revoked. */
  entra_authorization?: 'authorized' | 'needs_authorization';
  /** Why Microsoft no longer allows the application to read the tenant. */
  entra_authorization_error?: string | null;
  /** Values that may be a mistake. Missing if there are none. */
  warnings?: Warning[];
}

/** An event: one change of a directory. */
export type DirectoryEvent = UserEvent | GroupEvent | MembershipEvent;

/** The health of a directory. */
export interface DirectoryHealth {
  /**
   * The health in one word. If several apply, it is the first of: `deactivated`, `disabled`, `needs_authorization`,
   * `needs_confirmation`, `failing`, `paused`, `stale`, `waiting_for_first_push`, `healthy`.
   */
  status:
    | 'deactivated'
    | 'disabled'
    | 'needs_authorization'
    | 'needs_confirmation'
    | 'failing'
    | 'paused'
    | 'stale'
    | 'waiting_for_first_push'
    | 'healthy';
  /** A sentence that says what to do. */
  advice: string;
  /** When the identity provider last made a change. */
  last_push_at: string | null;
  /** The last request with a valid secret that failed. */
  last_error: {
    /** When the request arrived. */
    at: string;
    /** The HTTP method. */
    method: string;
    /** The path below the directory's address. */
    path: string;
    /** The status of the response. */
    status: number;
    /** The `detail` of the error. */
    detail: string;
  } | null;
  /** When a request last had a wrong SCIM secret. */
  secret_rejected_at: string | null;
  /** The number of users. */
  users: number;
  /** The number of groups. */
  groups: number;
  /** How many users lack a required attribute of the product; 10001 means more than 10,000. */
  users_missing_attributes: number;
  quotas: QuotaUse;
  /** Why only deletions are accepted while the disk is low. Null: all changes are. */
  only_deletions: string | null;
  /** The valid SCIM secrets. */
  scim_secrets: {
    /** The secret's ID. The secret itself is not shown. */
    id: string;
    /** When it was created. */
    created_at: string | null;
    /** When it expires; null: when it is rotated. */
    expires_at: string | null;
    /** When it was last used, to the minute. */
    last_used_at: string | null;
  }[];
  /** The last sync run of a pulled directory. Missing before the first run. */
  sync?: {
    /** The sync run's ID. */
    run_id: string;
    /** The run's state. */
    state: string;
    /** When the run ended; when it started, if it is in progress. */
    at: string | null;
    /** When a run last succeeded. */
    last_success_at: string | null;
    /** Why the run failed. */
    error: string | null;
  };
  delivery: {
    /** The delivery state. */
    status: 'active' | 'failing' | 'paused' | 'disabled' | 'misconfigured' | 'no_webhook';
    /** Why the delivery is paused, disabled or misconfigured. */
    reason: string | null;
    /** The number of events that are not delivered yet. */
    backlog: number;
    /** When a webhook was last acknowledged. */
    last_success_at: string | null;
    /** The first failure since the last success; null: the last attempt succeeded. */
    failing_since: string | null;
    /** The number of failed attempts since the last success. */
    consecutive_failures: number;
    /** When the next attempt is due; null: there is no automatic one. */
    next_attempt_at: string | null;
    /** The newest failed attempt since the last success. */
    last_error: {
      /** When the attempt ended. */
      at: string;
      /** Why it failed. */
      message: string | null;
      /** The status of the response; null: there was no response. */
      status: number | null;
      /** The ID of the delivery, a slash, and the number of the attempt. */
      attempt_id: string;
    } | null;
  };
}

/** A page of directories. */
export interface DirectoryPage {
  /** The directories. */
  data: ListedDirectory[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** A directory with its health. */
export interface DirectoryWithHealth {
  /** The directory's ID. */
  id: string;
  /** Display name. */
  name: string;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The kind of identity provider. */
  type: 'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google' | 'entra' | 'csv';
  /** Whether event bodies are kept after delivery. */
  log_webhook_events: boolean;
  /** Whether a change of `active` is `user.deactivated` or `user.reactivated`. */
  user_state_events: boolean;
  /** With `delete`, a deactivation emits `user.deleted` and a reactivation `user.created`. */
  inactive_users: 'keep' | 'delete';
  /** The events of a change of `inactive_users` are still emitted, in batches. Missing otherwise. */
  inactive_users_change?: 'in_progress';
  /** With `events`, a deletion emits the removals of all users and groups first. */
  on_directory_delete: 'silent' | 'events';
  /** While true, requests of the identity provider fail with 403. */
  deactivated: boolean;
  /**
   * Whether the identity provider can change the directory: `needs_authorization` is for one that Rollcall reads;
   * `deleting`: it is gone once its events are delivered.
   */
  state: 'active' | 'deactivated' | 'needs_authorization' | 'deleting';
  /** When it was created. */
  created_at: string;
  /** When a setting last changed. Changes of users and groups do not count. */
  updated_at: string;
  /** Whether the SCIM secret is accepted beside access tokens of OAuth clients. Missing for a pulled directory. */
  accept_scim_secret?: boolean;
  /** What to configure at the identity provider. All strings are empty for a pulled directory. */
  scim: {
    /** The path of the SCIM address. */
    path: string;
    /** The SCIM address. */
    endpoint: string;
    /**
     * The bearer token for the identity provider. Null if the API key lacks the scope `secrets:read`, or with
     * `SECRETS_SHOWN_ONCE`.
     */
    secret: string | null;
    /** The last four characters of a secret that is not shown. */
    secret_hint?: string;
  };
  /** Where events are sent. */
  webhook: {
    /** The address that events are sent to; empty: none. */
    endpoint: string;
    /**
     * The secret that webhooks are signed with. Null if the API key lacks the scope `secrets:read`, or with
     * `SECRETS_SHOWN_ONCE`.
     */
    secret: string | null;
    /** The last four characters of a secret that is not shown. */
    secret_hint?: string;
  };
  /** Whether webhooks also carry the signatures of Ory Polis. Missing if the deployment's default applies. */
  webhook_legacy_signatures?: boolean;
  /** The domain whose users are synced; empty: all domains of the workspace. */
  google_domain?: string;
  /**
   * The access token; empty if none was given. Null if the API key lacks the scope `secrets:read`, or with
   * `SECRETS_SHOWN_ONCE`.
   */
  google_access_token?: string | null;
  /**
   * The refresh token; empty if none was given. Null if the API key lacks the scope `secrets:read`, or with
   * `SECRETS_SHOWN_ONCE`.
   */
  google_refresh_token?: string | null;
  /** The administrator that the service account acts for. */
  google_admin_email?: string;
  /** The groups that are synced; empty: all. */
  google_groups?: string[];
  /** The organizational units that are synced; empty: all. */
  google_org_units?: string[];
  /** The address at which an administrator authorizes the directory. */
  google_authorization_url?: string;
  /** Whether the directory is authorized. */
  google_authorization?: 'authorized' | 'needs_authorization';
  /** Why Google no longer accepts the authorization. */
  google_authorization_error?: string | null;
  /** The ID of the Entra tenant; empty: no administrator has given consent yet. */
  entra_tenant_id?: string;
  /** The groups that are synced, by ID; empty: all. */
  entra_groups?: string[];
  /** Whether only users and groups that are assigned to the enterprise application are synced. */
  entra_assigned_only?: boolean;
  /** The address at which an administrator gives consent. */
  entra_authorization_url?: string;
  /** Whether the tenant is known and its consent was not revoked. */
  entra_authorization?: 'authorized' | 'needs_authorization';
  /** Why Microsoft no longer allows the application to read the tenant. */
  entra_authorization_error?: string | null;
  /** Values that may be a mistake. Missing if there are none. */
  warnings?: Warning[];
  health: DirectoryHealth;
  /**
   * Where Temporal's UI lists the workflows of the directory. Missing if `TEMPORAL_UI_URL` is not set, and for callers that
   * are narrowed or lack a scope.
   */
  temporal_workflows_url?: string;
}

/** The differences between an application and a directory. */
export interface Drift {
  /** IDs that you lack. At most 500. */
  missing: string[];
  /** IDs that the directory lacks. */
  unknown: string[];
  /** IDs with another hash. */
  different: string[];
  /** Where the next request begins: send it as `after`, with the items after it. Null if everything was compared. */
  next_after: string | null;
}

/** The number of sessions that ended. */
export interface EndedSessions {
  /** The number of sessions that ended. */
  ended: number;
}

/** The address at which an administrator of the tenant gives consent. */
export interface EntraAuthorizationUrl {
  /** The address to send the administrator to. */
  authorizationUrl: string;
}

/** The parameters that Microsoft sent back. */
export interface EntraTenantRequest {
  /** The `tenant` that Microsoft sent back. */
  tenant: string;
  /** The `state` that Microsoft sent back. It serves once. */
  state: string;
}

/** The erasure of a person. */
export interface Erasure {
  /** The erasure's ID. The audit log has it too. */
  id: string;
  /** The user's ID. */
  user_id: string;
  /** Whether it has ended. */
  status: 'running' | 'done';
  /** When it was requested. */
  requested_at: string;
  /** When it ended; null: it is in progress. */
  finished_at: string | null;
  /** The number of records erased so far, by kind. */
  erased: {
    /** How many users were deleted. */
    users?: number;
    /** How many memberships were removed. */
    memberships?: number;
    /** How many groups waited for the person. */
    pending_members?: number;
    /** How many events lost their bodies. */
    events?: number;
    /** How many of these were not delivered, and kept the ID. */
    undelivered_events?: number;
    /** How many large documents of events were deleted. */
    documents?: number;
    /** How many deliveries lost their bodies. */
    deliveries?: number;
    /** How many recorded requests were deleted. */
    requests?: number;
  };
}

/** The response to a request that failed. */
export interface ErrorResponse {
  data: null;
  error: ApiError;
}

/** A page of the event feed. */
export interface EventPage {
  data: DirectoryEvent[];
  error: null;
  list_metadata: {
    /** The cursor of the next page: send it as `after`. */
    after: string | null;
    /** Whether more events can be read now. */
    has_more: boolean;
  };
}

/** A delivery of an event about the person. */
export interface ExportedDelivery {
  kind: 'delivery';
  /** The `webhook-id`. */
  id: string;
  /** The status of the delivery. */
  status: string;
  /** When it was created. */
  created_at: string | null;
  /** When it was settled. */
  done_at: string | null;
  /** The sequence of its first event. */
  from_sequence: number;
  /** The sequence of its last event. */
  to_sequence: number;
  /** The number of events, with those of other people. */
  event_count: number;
  /** Whether its body is not kept, so that `payloads` is empty. */
  body_deleted: boolean;
  /** The events of the delivery that are about the person, as they were sent. */
  payloads: unknown[];
  /** The newest 20 attempts. Without responses if the delivery has events of other people. */
  attempts: {
    /** The number of the attempt. */
    number: number;
    /** When it began. */
    started_at: string;
    /** The outcome. */
    outcome: string;
    /** The status of the response, if there was one. */
    status_code: number | null;
    /** The first 16384 characters of the response, if they are kept. */
    response_body: string | null;
  }[];
}

/** An event about the person. Its `data` is null if its body was deleted. */
export interface ExportedEvent {
  kind: 'event';
  event: DirectoryEvent;
}

/** A record about a person. */
export type ExportedItem = ExportedUser | ExportedMembership | ExportedEvent | ExportedDelivery | ExportedRequest;

/** A group of which the person is a direct member. */
export interface ExportedMembership {
  kind: 'membership';
  group: GroupReference;
  /** The person's name, as the identity provider sent it with the group. */
  display: string | null;
  /** Whether the person is a pending member, because the user does not exist yet. */
  pending: boolean;
}

/** A recorded SCIM request that names the person. */
export interface ExportedRequest {
  kind: 'request';
  /** The record's ID. */
  id: string;
  /** When the request arrived. */
  at: string;
  /** The HTTP method. */
  method: string;
  /** The path below the directory's address. Without its query, if that does not name the person. */
  path: string;
  /** The status of the response. */
  status: number;
  /** The `detail` of the error, if there was one. */
  detail: string | null;
  /**
   * The body, without passwords, if the request is to the person's own address or creates the person. Any other may name
   * others.
   */
  body: string | null;
}

/** The user. Missing if it was deleted. */
export interface ExportedUser {
  kind: 'user';
  user: User;
}

/** The address at which an administrator authorizes a directory. */
export interface GoogleAuthorizationUrl {
  /** The address to send the administrator to. */
  authorizationUrl: string;
}

/** The parameters that Google sent back. */
export interface GoogleCodeRequest {
  /** The `code` that Google sent back. */
  code: string;
  /** The `state` that Google sent back; default: any authorization of this directory that began within the last ten minutes. */
  state?: string | undefined;
}

/** The tokens of a directory. */
export interface GoogleTokenRequest {
  /** The access token. */
  accessToken?: string | undefined;
  /** The refresh token. */
  refreshToken?: string | undefined;
  /** Alias of `accessToken`. */
  access_token?: string | undefined;
  /** Alias of `refreshToken`. */
  refresh_token?: string | undefined;
  /** When the access token expires, in milliseconds since 1970. */
  expiry_date?: number | undefined;
  /** Ignored. Accepted so that the tokens of `google.getAccessToken` can be sent as they are. */
  scope?: string | undefined;
  /** Ignored. Accepted so that the tokens of `google.getAccessToken` can be sent as they are. */
  token_type?: string | undefined;
}

/** The tokens that Google returned for a code. */
export interface GoogleTokens {
  /** The access token. */
  access_token: string;
  /** The refresh token. */
  refresh_token: string;
  /** The scopes of the access token. */
  scope: string;
  /** The type of the access token. */
  token_type: string;
  /** When the access token expires, in milliseconds since 1970. */
  expiry_date: number;
}

/** A group of a directory, without its members. */
export interface Group {
  /** The group's ID. */
  id: string;
  /** The group's name. */
  name: string;
  /** The document as the identity provider pushed or returned it, with this service's ID and without members. */
  raw: Record<string, unknown>;
}

/** A group was created, updated or deleted. */
export interface GroupEvent {
  /** The type of the event. */
  event: 'group.created' | 'group.updated' | 'group.deleted';
  /** The group after the change, or before the deletion. Null after the event body was deleted. */
  data: Group | null;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The directory's ID. */
  directory_id: string;
  /** The event's ID. */
  id: string;
  /** The position of the event in its directory, without gaps. */
  sequence: number;
  /** When the change was made. */
  occurred_at: string;
  /**
   * The cause: a request of the identity provider (`scim`), a sync, an import, an erasure, or, of a delivery, a replay. Null
   * after the event body was deleted, and in events from before Rollcall stored it.
   */
  reason: 'scim' | 'sync' | 'import' | 'erasure' | 'setting' | 'mapping' | 'deletion' | 'replay' | null;
  /**
   * Of an update: the names of the attributes of `data` that changed. Null after the event body was deleted, in announced
   * imports, and in events from before Rollcall stored it.
   */
  changes?: string[] | null;
  /**
   * Of an update: the attributes of `data` that changed, with their former values; null if there was none. Null after the
   * event body was deleted, in announced imports, and in events from before Rollcall stored it.
   */
  previous_attributes?: Record<string, unknown> | null;
}

/** A page of groups. */
export interface GroupPage {
  /** The groups. */
  data: ListedGroup[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** A group. */
export interface GroupReference {
  /** The group's ID. */
  id: string;
  /** The group's name. */
  name: string;
}

/** A group of a directory, with its members. */
export interface GroupWithMembers {
  /** The group's ID. */
  id: string;
  /** The group's name. */
  name: string;
  /** The document as the identity provider pushed or returned it, with this service's ID and without members. */
  raw: Record<string, unknown>;
  /** The identity provider's ID (`externalId`); null if it sent none. */
  idp_id: string | null;
  /** The number of users and groups that are direct members. */
  member_count: number;
  /** When the group was created. */
  created_at: string;
  /** When the group or its members last changed. */
  updated_at: string;
  /** The users in the group. */
  members: {
    /** The group's ID. */
    group_id: string;
    /** The user's ID. */
    user_id: string;
  }[];
}

/** The health of a directory in one word, and a sentence that says what to do. */
export interface HealthSummary {
  /**
   * The health in one word. If several apply, it is the first of: `deactivated`, `disabled`, `needs_authorization`,
   * `needs_confirmation`, `failing`, `paused`, `stale`, `waiting_for_first_push`, `healthy`.
   */
  status:
    | 'deactivated'
    | 'disabled'
    | 'needs_authorization'
    | 'needs_confirmation'
    | 'failing'
    | 'paused'
    | 'stale'
    | 'waiting_for_first_push'
    | 'healthy';
  /** A sentence that says what to do. */
  advice: string;
}

/** What happened to a directory within an hour. */
export interface HourOfActivity {
  /** When the hour begins. */
  starts_at: string;
  /**
   * Requests of the identity provider. They are counted in the background, every two seconds: a crash loses what is not
   * counted yet, and a connection to Postgres that breaks may count some twice.
   */
  pushes: number;
  /** Those of them that got an error. */
  rejected_pushes: number;
  /** Events. */
  events: number;
  /** Attempts of deliveries that failed. */
  failed_attempts: number;
}

/** The request may pass. */
export interface LimitDecision {
  allowed: true;
  /** Release it when the request is done. */
  lease: string | null;
}

/** A page of resources (RFC 7644, section 3.4.2). */
export interface ListResponse {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  /** The number of resources on all pages. */
  totalResults?: number;
  /** The position of the first resource, from 1. */
  startIndex?: number;
  /** The number of resources on this page. */
  itemsPerPage: number;
  /** The cursor of the next page, when paging by cursor. */
  nextCursor?: string;
  Resources: {
    /** The URIs of its schemas. */
    schemas: string[];
    id: string;
    [name: string]: unknown;
  }[];
}

/** A directory in a list, with its health in one word. */
export interface ListedDirectory {
  /** The directory's ID. */
  id: string;
  /** Display name. */
  name: string;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The kind of identity provider. */
  type: 'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google' | 'entra' | 'csv';
  /** Whether event bodies are kept after delivery. */
  log_webhook_events: boolean;
  /** Whether a change of `active` is `user.deactivated` or `user.reactivated`. */
  user_state_events: boolean;
  /** With `delete`, a deactivation emits `user.deleted` and a reactivation `user.created`. */
  inactive_users: 'keep' | 'delete';
  /** The events of a change of `inactive_users` are still emitted, in batches. Missing otherwise. */
  inactive_users_change?: 'in_progress';
  /** With `events`, a deletion emits the removals of all users and groups first. */
  on_directory_delete: 'silent' | 'events';
  /** While true, requests of the identity provider fail with 403. */
  deactivated: boolean;
  /**
   * Whether the identity provider can change the directory: `needs_authorization` is for one that Rollcall reads;
   * `deleting`: it is gone once its events are delivered.
   */
  state: 'active' | 'deactivated' | 'needs_authorization' | 'deleting';
  /** When it was created. */
  created_at: string;
  /** When a setting last changed. Changes of users and groups do not count. */
  updated_at: string;
  /** Whether the SCIM secret is accepted beside access tokens of OAuth clients. Missing for a pulled directory. */
  accept_scim_secret?: boolean;
  /** What to configure at the identity provider. All strings are empty for a pulled directory. */
  scim: {
    /** The path of the SCIM address. */
    path: string;
    /** The SCIM address. */
    endpoint: string;
    /**
     * The bearer token for the identity provider. Null if the API key lacks the scope `secrets:read`, or with
     * `SECRETS_SHOWN_ONCE`.
     */
    secret: string | null;
    /** The last four characters of a secret that is not shown. */
    secret_hint?: string;
  };
  /** Where events are sent. */
  webhook: {
    /** The address that events are sent to; empty: none. */
    endpoint: string;
    /**
     * The secret that webhooks are signed with. Null if the API key lacks the scope `secrets:read`, or with
     * `SECRETS_SHOWN_ONCE`.
     */
    secret: string | null;
    /** The last four characters of a secret that is not shown. */
    secret_hint?: string;
  };
  /** Whether webhooks also carry the signatures of Ory Polis. Missing if the deployment's default applies. */
  webhook_legacy_signatures?: boolean;
  /** The domain whose users are synced; empty: all domains of the workspace. */
  google_domain?: string;
  /**
   * The access token; empty if none was given. Null if the API key lacks the scope `secrets:read`, or with
   * `SECRETS_SHOWN_ONCE`.
   */
  google_access_token?: string | null;
  /**
   * The refresh token; empty if none was given. Null if the API key lacks the scope `secrets:read`, or with
   * `SECRETS_SHOWN_ONCE`.
   */
  google_refresh_token?: string | null;
  /** The administrator that the service account acts for. */
  google_admin_email?: string;
  /** The groups that are synced; empty: all. */
  google_groups?: string[];
  /** The organizational units that are synced; empty: all. */
  google_org_units?: string[];
  /** The address at which an administrator authorizes the directory. */
  google_authorization_url?: string;
  /** Whether the directory is authorized. */
  google_authorization?: 'authorized' | 'needs_authorization';
  /** Why Google no longer accepts the authorization. */
  google_authorization_error?: string | null;
  /** The ID of the Entra tenant; empty: no administrator has given consent yet. */
  entra_tenant_id?: string;
  /** The groups that are synced, by ID; empty: all. */
  entra_groups?: string[];
  /** Whether only users and groups that are assigned to the enterprise application are synced. */
  entra_assigned_only?: boolean;
  /** The address at which an administrator gives consent. */
  entra_authorization_url?: string;
  /** Whether the tenant is known and its consent was not revoked. */
  entra_authorization?: 'authorized' | 'needs_authorization';
  /** Why Microsoft no longer allows the application to read the tenant. */
  entra_authorization_error?: string | null;
  /** Values that may be a mistake. Missing if there are none. */
  warnings?: Warning[];
  health: HealthSummary;
}

/** A group of a directory, with the number of its members. */
export interface ListedGroup {
  /** The group's ID. */
  id: string;
  /** The group's name. */
  name: string;
  /** The document as the identity provider pushed or returned it, with this service's ID and without members. */
  raw: Record<string, unknown>;
  /** The identity provider's ID (`externalId`); null if it sent none. */
  idp_id: string | null;
  /** The number of users and groups that are direct members. */
  member_count: number;
  /** When the group was created. */
  created_at: string;
  /** When the group or its members last changed. */
  updated_at: string;
}

/** An address that signs in once. */
export interface LoginLink {
  /** Opened in a browser, it signs in once. */
  url: string;
  /** When the link expires. */
  expires_at: string;
}

/** What a mapping would change. */
export interface MappingPreview {
  /** The users of the directory. */
  users: number;
  /** How many of them were looked at, newest first: at most 1,000, and fewer if they take too much work. */
  checked: number;
  /** Whether there are users that were not looked at. */
  is_partial: boolean;
  /** How many of these would be told by a `user.updated`. */
  would_update: number;
  /** How many of all users would be told, if the others are like those that were looked at. */
  estimated_updates: number;
  /** How many of these have no value, by attribute. */
  missing: Record<string, number>;
  /** Some of the users. */
  samples: {
    /** The user's ID. */
    id: string;
    /** What the user would have. */
    custom_attributes: Record<string, unknown>;
    /** What the user has now. Null: none were computed. */
    present_attributes: Record<string, unknown> | null;
  }[];
}

/** A mapping to try; default: the present one. */
export interface MappingPreviewRequest {
  /** Sources by the name of the attribute. Null: no value. A predefined attribute that is left out has its default source. */
  attributes?: Record<string, AttributeSource | null> | undefined;
  /** How many users to show. */
  limit?: number | undefined;
}

/** A user in a group. */
export interface Member {
  /** The user's ID. */
  user_id: string;
}

/** A user was added to a group or removed from it. */
export interface MembershipEvent {
  /** The type of the event. */
  event: 'group.user_added' | 'group.user_removed';
  /** The user and the group. Null after the event body was deleted. */
  data: UserInGroup | null;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The directory's ID. */
  directory_id: string;
  /** The event's ID. */
  id: string;
  /** The position of the event in its directory, without gaps. */
  sequence: number;
  /** When the change was made. */
  occurred_at: string;
  /**
   * The cause: a request of the identity provider (`scim`), a sync, an import, an erasure, or, of a delivery, a replay. Null
   * after the event body was deleted, and in events from before Rollcall stored it.
   */
  reason: 'scim' | 'sync' | 'import' | 'erasure' | 'setting' | 'mapping' | 'deletion' | 'replay' | null;
}

/** A group that is a member of another group. */
export interface NestedGroup {
  /** The nested group's ID. */
  id: string;
  /** The group's name. */
  name: string;
}

/** A page of nested groups. */
export interface NestedGroupPage {
  /** The nested groups. */
  data: NestedGroup[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** The process is not ready. */
export interface NotReady {
  data: null;
  error: NotReadyError;
}

/** Why the process is not ready. */
export interface NotReadyError {
  /** Stable. Programs can rely on it. */
  code:
    | 'invalid_request'
    | 'invalid_files'
    | 'unauthorized'
    | 'key_malformed'
    | 'key_expired'
    | 'key_revoked'
    | 'key_network'
    | 'key_narrowed'
    | 'insufficient_scope'
    | 'session_unknown'
    | 'session_ended'
    | 'session_expired'
    | 'foreign_origin'
    | 'login_link_invalid'
    | 'sign_in_state_missing'
    | 'sign_in_state_mismatch'
    | 'sign_in_other_browser'
    | 'sign_in_expired'
    | 'sign_in_denied'
    | 'sign_in_code_invalid'
    | 'sign_in_audience'
    | 'sign_in_clock'
    | 'sign_in_token_invalid'
    | 'sign_in_no_role'
    | 'issuer_unavailable'
    | 'forbidden'
    | 'not_found'
    | 'method_not_allowed'
    | 'confirmation_required'
    | 'cursor_expired'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'rate_limited'
    | 'internal'
    | 'unavailable';
  /** A human-readable message; its wording may change. */
  message: string;
  /** The HTTP status of the response, which is the `code` of an error of Polis. */
  status: number;
  /** The invalid field of the request, where there is one. */
  field?: string;
  /** For a rate-limited request: the kind of limit. */
  layer?: string;
  /** For a rate-limited request: the bucket or rule. */
  bucket?: string;
  /** For a request to be confirmed: the number of events that it would send, by type. */
  events?: Record<string, number>;
  /** For a request to be confirmed: the value to send as `confirm`. */
  confirm?: number;
  /** For files that were not accepted: the first places where they are wrong. */
  problems?: {
    /** The file. */
    file: string;
    /** The line of the file; the first is 1. Null: the whole file. */
    line: number | null;
    /** The number of the field within the line; the first is 1. Null: the whole line. */
    column: number | null;
    /** What is wrong there. */
    message: string;
  }[];
  /** For files that were not accepted: how many more such places there are. */
  more_problems?: number;
  /** The reasons, one sentence each. */
  missing: string[];
}

/** A setup link, as its holder sees it. */
export interface OpenedSetupLink {
  /** The link's ID. */
  setupID: string;
  /** What is set up. */
  service: 'dsync';
  /** The name of the new directory, if one was given. */
  name?: string;
  /** When the link ends, in milliseconds since 1970. */
  validTill: number;
  /** The address of the link. */
  url: string;
  /** The only identity provider that the link offers; null: all. */
  provider:
    'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google' | 'entra' | 'csv' | null;
  /** Where the administrator goes at the end. */
  return_url: string | null;
  /** The name that the pages show. */
  companyName: string;
  /** The logo that the pages show, as a `data:` address. */
  logoUrl: string;
  /** Always empty. */
  faviconUrl: string;
  /** The color of the pages. */
  primaryColor: string;
}

/** The directories that need attention. */
export interface Overview {
  /** The number of directories. */
  directories: number;
  /** The number of directories by health. A directory counts once. */
  by_health: {
    /** Directories whose health is `deactivated`. */
    deactivated: number;
    /** Directories whose health is `disabled`. */
    disabled: number;
    /** Directories whose health is `needs_authorization`. */
    needs_authorization: number;
    /** Directories whose health is `needs_confirmation`. */
    needs_confirmation: number;
    /** Directories whose health is `failing`. */
    failing: number;
    /** Directories whose health is `paused`. */
    paused: number;
    /** Directories whose health is `stale`. */
    stale: number;
    /** Directories whose health is `waiting_for_first_push`. */
    waiting_for_first_push: number;
    /** Directories whose health is `healthy`. */
    healthy: number;
  };
  /** The undelivered events of directories with a webhook. */
  backlog: {
    /** The number of undelivered events. */
    events: number;
    /** The number of directories with undelivered events. */
    directories: number;
    /** When the oldest undelivered event was created; null: there is none. */
    oldest_at: string | null;
  };
  /**
   * The first 50 directories that need attention: failing ones, then disabled ones, then those that need an authorization or
   * a confirmation, are paused or stale.
   */
  unhealthy: UnhealthyDirectory[];
}

/** A PATCH request (RFC 7644, section 3.5.2). */
export interface PatchRequest {
  schemas?: string[];
  Operations: {
    /** `add`, `replace` or `remove`, in any case. */
    op: string;
    /** The attribute to change; default: the attributes in `value`. */
    path?: string;
    /** The new value. */
    value?: unknown;
    [name: string]: unknown;
  }[];
  [name: string]: unknown;
}

/** The state of the delivery after it was paused. */
export interface PausedDelivery {
  /** The delivery state. */
  status: 'active' | 'failing' | 'paused' | 'disabled' | 'misconfigured' | 'no_webhook';
  /** Why the delivery is paused, disabled or misconfigured. */
  reason: string | null;
  /** The address that events are sent to, without its query; null: none. */
  url: string | null;
  /** The number of events that are neither delivered nor skipped. */
  backlog: number;
  /** The sequence up to which all events are delivered or skipped. */
  acked_sequence: number;
  /** The sequence of the last event. */
  last_sequence: number;
  /** When the oldest undelivered event was created. */
  oldest_pending_at: string | null;
  /** The delivery that all later events wait for. */
  open: {
    /** The `webhook-id` of the delivery. */
    id: string;
    status: 'pending' | 'delivered' | 'exhausted' | 'split' | 'skipped' | 'replayed' | 'canceled';
    /** The number of attempts. */
    attempts: number;
    /** The number of failed attempts. */
    failures: number;
    /** When the next attempt is due. */
    next_attempt_at: string | null;
  } | null;
  /** The newest failed attempt, while deliveries fail; null otherwise. */
  last_error: {
    /** When the attempt ended. */
    at: string;
    /** The outcome. */
    outcome: 'http_error' | 'timeout' | 'dns' | 'tls' | 'connect' | 'blocked';
    /** The status of the response; null: there was no response. */
    status_code: number | null;
    /** Why it failed. */
    error: string | null;
    /** The ID of the delivery, a slash, and the number of the attempt. */
    attempt_id: string;
  } | null;
  /** The first failure since the last success. */
  first_failure_at: string | null;
  /** The same, while the state is `failing`; null otherwise. */
  failing_since: string | null;
  /** The number of failed attempts since the last success. */
  consecutive_failures: number;
  /** When the next attempt is due, while the state is `failing`; null otherwise. */
  next_attempt_at: string | null;
  /** When a webhook was last acknowledged. */
  last_success_at: string | null;
  /** Whether webhooks also carry the signatures of Ory Polis. */
  legacy_signatures: boolean;
  /** The secrets that sign webhooks, newest first. */
  secrets: {
    /** The secret's ID. The secret itself is not shown. */
    id: string;
    /** When it was created. */
    created_at: string | null;
    /** Until when it signs webhooks; null: until it is rotated. */
    expires_at: string | null;
    /** When it last signed a webhook. */
    last_used_at: string | null;
  }[];
  /** The replay that is running. */
  replay: {
    /** The replay's ID. */
    id: string;
    /** How the events were selected. */
    mode: 'single' | 'failed' | 'missing' | 'range';
    /** The number of events to send. */
    total: number;
    /** The number of acknowledged events. */
    done: number;
  } | null;
  /** Whether no attempt is in flight any more. */
  settled: boolean;
}

/** The rate limits of a project. */
export interface ProjectLimits {
  /** The project. */
  project: string;
  /** The project's plan. */
  plan: 'developer' | 'production' | 'growth' | 'enterprise' | 'essential' | 'scale';
  /** The project's environment. */
  environment: 'production' | 'staging' | 'development';
  buckets: {
    /** The requests that the bucket counts. */
    bucket: string;
    /** The limit per second. */
    rps: number;
    /** The limit per minute. */
    rpm: number;
  }[];
}

/**
 * The directory's use of its limits. A request that would exceed a limit fails with 403. Exceptions: changes beyond
 * `undelivered_bytes` fail with 503; replays, searches and hourly changes fail with 429; beyond `history_bytes` the oldest
 * entries are deleted; beyond `staged_bytes` the sync fails.
 */
export interface QuotaUse {
  /** Users. */
  users: {
    /** The current use. */
    used: number;
    /** The limit. */
    limit: number;
  };
  /** Groups. */
  groups: {
    /** The current use. */
    used: number;
    /** The limit. */
    limit: number;
  };
  /** Members of one group, pending members included. */
  group_members: {
    /** The members of the largest group; null in a directory with more than 1,000 groups. */
    used: number | null;
    /** The limit. */
    limit: number;
  };
  /** Groups that one user or group is a direct member of. */
  groups_per_member: {
    /** The highest current use; null in a directory with more than 10,000 memberships. */
    used: number | null;
    /** The limit. */
    limit: number;
  };
  /** Memberships of all groups together. */
  memberships: {
    /** The current use. */
    used: number;
    /** The limit. */
    limit: number;
  };
  /** Bytes of all users and groups, as JSON. */
  resource_bytes: {
    /** The current use. */
    used: number;
    /** The limit. */
    limit: number;
  };
  /** Bytes of undelivered events; without a webhook, of events in the feed. */
  undelivered_bytes: {
    /** The current use. */
    used: number;
    /** The limit. */
    limit: number;
  };
  /**
   * Bytes kept of delivered events, of the delivery log and of the results of changes. `used` is for the largest of the
   * three.
   */
  history_bytes: {
    /** The current use. */
    used: number;
    /** The limit. */
    limit: number;
  };
  /** Bytes that sync runs have read from the provider and not deleted yet. Only for a pulled directory. */
  staged_bytes: {
    /** The current use. */
    used: number;
    /** The limit. */
    limit: number;
  };
  /** Replays that are running or queued. */
  replays: {
    /** The current use. */
    used: number;
    /** The limit. */
    limit: number;
  };
  /** Searches without an index that run now, in the process that responds. */
  searches: {
    /** The current use. */
    used: number;
    /** The limit. */
    limit: number;
  };
  /**
   * Changes that the responding process has accepted within the last hour. Each 64 KiB of a change counts as one more.
   * Missing in library mode.
   */
  hourly_changes?: {
    /** The current use. */
    used: number;
    /** The limit. */
    limit: number;
  };
}

/** The limits of one directory. The defaults are those of the deployment. */
export interface Quotas {
  /** The maximum of users. */
  users?: number | undefined;
  /** The maximum of groups. */
  groups?: number | undefined;
  /** The maximum of members in a group. */
  group_members?: number | undefined;
  /** The maximum of groups with the same member. */
  groups_per_member?: number | undefined;
  /** The maximum of memberships in all groups together. */
  memberships?: number | undefined;
  /** The maximum of bytes of users and groups. */
  resource_bytes?: number | undefined;
  /** The maximum of bytes of undelivered events. */
  undelivered_bytes?: number | undefined;
  /** The maximum of bytes of history. */
  history_bytes?: number | undefined;
  /** The maximum of bytes staged by a sync. */
  staged_bytes?: number | undefined;
  /** The maximum of replays that are running or queued. */
  replays?: number | undefined;
  /** The maximum of concurrent searches. */
  searches?: number | undefined;
}

/** The replica at DATABASE_READ_URL. It is missing without this setting. */
export interface ReadReplica {
  /** Whether lists and the feed are read from it. `unfit`: it is not a replica of this database. */
  status: 'used' | 'lagging' | 'away' | 'unfit';
  /** How far it is behind the database, in milliseconds. Null if that is unknown. */
  lag_ms: number | null;
}

/** A page of what an application has. */
export interface ReconcileRequest {
  /** The kind of items to compare. */
  type: 'users' | 'groups' | 'members';
  /** The group whose members are compared. Only for `members`. */
  group_id?: string | undefined;
  /** The `next_after` of the previous response; empty at first. */
  after?: string | undefined;
  /** Your items after `after`, in the order of the bytes of the IDs. */
  items: {
    /** The ID in your tables. */
    id: string;
    /** The SHA-256 of your fields. Without it, only the ID is compared. */
    hash?: string | undefined;
  }[];
  /** Whether you have nothing after these items. */
  last?: boolean | undefined;
}

/** A request that the identity provider sent, and its response. */
export interface RecordedRequest {
  /** The record's ID. */
  id: string;
  /** When the request arrived. */
  at: string;
  /** The HTTP method. */
  method: string;
  /** The path below the directory's address, with its query. */
  path: string;
  /** The status of the response. */
  status: number;
  /** The `scimType` of the error, if there was one. */
  scim_type: string | null;
  /** The `detail` of the error, if there was one. */
  detail: string | null;
  /** How long the request took, in milliseconds. */
  duration_ms: number;
  /** The `X-Request-Id`, under which the log has the request. */
  request_id: string;
  /** The identity provider's `User-Agent`. */
  user_agent: string;
  /** The `Content-Type` of the request. */
  content_type: string;
  /** The body of the request, without passwords. */
  body: string | null;
  /**
   * How much of the body was recorded. `expired`: it is not kept any more, nor are `scim_type`, `user_agent` and
   * `content_type`.
   */
  body_state: 'none' | 'complete' | 'truncated' | 'unread' | 'redacted' | 'expired';
  /** The size of the body in bytes, if known. */
  body_bytes: number | null;
  /** Up to ten attributes in a complete body that no SCIM schema of this service defines. They are stored and have no effect. */
  unknown_attributes: {
    /** The attribute as it was sent. */
    name: string;
    /** A known attribute with a similar name. */
    suggestion: string | null;
  }[];
}

/** A page of requests. */
export interface RecordedRequestPage {
  /** The requests. */
  data: RecordedRequest[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** Events that are sent again. */
export interface Replay {
  /** The replay's ID. */
  id: string;
  /** The directory's ID. */
  directory_id: string;
  /** How the events were selected. */
  mode: 'single' | 'failed' | 'missing' | 'range';
  /** The first and last sequence of each range of events. */
  ranges: [number, number][];
  /** The status of the replay. */
  status: 'running' | 'done' | 'canceled' | 'failed';
  /** Why it failed. */
  reason: string | null;
  /** The number of events to send. */
  total: number;
  /** The number of acknowledged events. */
  done: number;
  /** When it was created. */
  created_at: string | null;
  /** When it ended. */
  finished_at: string | null;
}

/** The result of a dry run. */
export interface ReplayDryRun {
  dry_run: true;
  /** The number of events that would be sent. */
  total: number;
}

/** A page of replays. */
export interface ReplayPage {
  /** The replays. */
  data: Replay[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** The events to send again. */
export type ReplayRequest =
  | {
      /** One event, or the events of one delivery. */
      mode: 'single';
      /** The event's ID. */
      event_id?: string | undefined;
      /** The event's sequence. */
      sequence?: number | undefined;
      /** The `webhook-id` of a delivery: all of its events. */
      delivery_id?: string | undefined;
      /** Only count the events, and send nothing. */
      dry_run?: boolean | undefined;
    }
  | {
      /** Events that were skipped after failed attempts. */
      mode: 'failed';
      /** Only events from this time on. */
      since?: string | undefined;
      /** Only events up to this time. */
      until?: string | undefined;
      /** Only count the events, and send nothing. */
      dry_run?: boolean | undefined;
    }
  | {
      /** Events that were skipped without an attempt. */
      mode: 'missing';
      /** Only events from this time on. */
      since?: string | undefined;
      /** Only events up to this time. */
      until?: string | undefined;
      /** Only count the events, and send nothing. */
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
      /** Only count the events, and send nothing. */
      dry_run?: boolean | undefined;
    };

/** A resource type (RFC 7643, section 6). */
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
    /** The address of the resource. */
    location: string;
  };
}

/** A page of resources (RFC 7644, section 3.4.2). */
export interface ResourceTypeList {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  /** The number of resources on all pages. */
  totalResults?: number;
  /** The position of the first resource, from 1. */
  startIndex?: number;
  /** The number of resources on this page. */
  itemsPerPage: number;
  /** The cursor of the next page, when paging by cursor. */
  nextCursor?: string;
  Resources: ResourceType[];
}

/** Where to resume. */
export interface ResumeRequest {
  /** `backlog` delivers all pending events; `now` skips them. */
  from?: 'backlog' | 'now' | undefined;
}

/** What a role table, or its removal, would change. */
export interface RolePreview {
  /** The users of the directory. */
  users: number;
  /** How many of them were looked at, newest first: at most 1,000, and fewer if they take too much work. */
  checked: number;
  /** Whether there are users that were not looked at. */
  is_partial: boolean;
  /** How many of these would be told by a `user.updated`. */
  would_update: number;
  /** How many of all users would be told, if the others are like those that were looked at. */
  estimated_updates: number;
  /** The rows whose group does not exist, strongest first, counted from 0. */
  unmatched: number[];
  /** Some of the users. */
  samples: {
    /** The user's ID. */
    id: string;
    /** The strongest role that the user would have. Null: none, or no role table. */
    role: string | null;
    /** All roles that the user would have: those of the table, or without one, the pushed ones. */
    roles: (string | Record<string, unknown>)[];
    /** The role that the user has now. Null: none, or there is no role table. */
    present_role: string | null;
    /** The roles that the user has now: those of the present table, or the pushed ones. */
    present_roles: (string | Record<string, unknown>)[];
  }[];
}

/** A role table to try. Without `groups`: the present one. */
export interface RolePreviewRequest {
  /** Which roles follow from which groups. Null: what removing the role table would change. */
  groups?:
    | {
        /** The group's ID. */
        group_id?: string | undefined;
        /** The display name of the group, ignoring case. The group may come later. */
        group_name?: string | undefined;
        /** The role of the direct members of the group. */
        role: string;
        /** 1 is the strongest. Given in all rows, or in none: then it is the order of the rows. */
        priority?: number | undefined;
      }[]
    | null
    | undefined;
  /** The role of users who have no other; default: null, which is none. */
  default_role?: string | null | undefined;
  /** Whether users have all their roles, or only the strongest one; default: false. */
  multiple?: boolean | undefined;
  /**
   * Whether the roles that the identity provider pushes count, after those of groups; with one role per user, only if no
   * group gives one. Default: `ignore`.
   */
  pushed_roles?: 'ignore' | 'include' | undefined;
  /** How many users to show. */
  limit?: number | undefined;
}

/** Which roles the users of a directory have. */
export interface RoleTable {
  /** Whether the directory has a role table. Without one, users have the roles that are pushed. */
  is_set: boolean;
  /** The rows, the strongest first. */
  groups: {
    /** The group's ID, if the row names it by that. */
    group_id: string | null;
    /** The display name of the group, if the row names it by that. */
    group_name: string | null;
    /** The role of its members. */
    role: string;
    /** 1 is the strongest. */
    priority: number;
    /** The group that the row names now. Null: there is none. Of several with one name, the oldest. */
    group: {
      /** The group's ID. */
      id: string;
      /** Its display name. */
      name: string;
    } | null;
  }[];
  /** The role of users who have no other. Null: none. */
  default_role: string | null;
  /** Whether users have all their roles, or only the strongest one. */
  multiple: boolean;
  /** Whether the roles that the identity provider pushes count. */
  pushed_roles: 'ignore' | 'include';
  /** The last recomputation of users. Null before the first one. */
  recompute: {
    /** The recomputation's ID. */
    id: string;
    /** Whether it has ended. */
    state: 'running' | 'done';
    /** The users that were computed. */
    done: number;
    /** The users of the directory. A change of groups computes only some of them. */
    total: number;
    /** When the schema, the mapping, the role table or a group changed. */
    requested_at: string;
    /** When it ended. */
    finished_at: string | null;
  } | null;
}

/** Which roles the users of a directory have. */
export interface RoleTableRequest {
  /** Which roles follow from which groups. */
  groups: {
    /** The group's ID. */
    group_id?: string | undefined;
    /** The display name of the group, ignoring case. The group may come later. */
    group_name?: string | undefined;
    /** The role of the direct members of the group. */
    role: string;
    /** 1 is the strongest. Given in all rows, or in none: then it is the order of the rows. */
    priority?: number | undefined;
  }[];
  /** The role of users who have no other; default: null, which is none. */
  default_role?: string | null | undefined;
  /** Whether users have all their roles, or only the strongest one; default: false. */
  multiple?: boolean | undefined;
  /**
   * Whether the roles that the identity provider pushes count, after those of groups; with one role per user, only if no
   * group gives one. Default: `ignore`.
   */
  pushed_roles?: 'ignore' | 'include' | undefined;
  /** Whether all users are computed again even if nothing changes, for example after an upgrade; default: false. */
  recompute?: boolean | undefined;
}

/** How to rotate an API key. */
export interface RotateApiKeyRequest {
  /** How long the previous value stays valid, in seconds; 0: not at all. */
  overlap_seconds?: number | undefined;
}

/** How to rotate a SCIM secret. */
export interface RotateScimSecretRequest {
  /** The new secret; default: a random one. */
  secret?: string | undefined;
  /** How long the previous secret stays valid, in seconds; 0: not at all. */
  overlap_seconds?: number | undefined;
  /** When the new secret expires; default: when it is rotated. */
  expires_at?: string | undefined;
}

/** How to rotate a webhook secret. */
export interface RotateWebhookSecretRequest {
  /** The new secret; default: a random one. */
  secret?: string | undefined;
  /** How long the previous secret also signs, in seconds; 0: not at all. */
  overlap_seconds?: number | undefined;
}

/** An API key with its new value. */
export interface RotatedApiKey {
  /** The API key's ID. */
  id: string;
  /** What the key is for. */
  name: string;
  /** What the key may do. */
  scopes: (
    | 'directories:read'
    | 'directories:write'
    | 'directories:delete'
    | 'secrets:read'
    | 'people:read'
    | 'people:write'
    | 'events:read'
    | 'deliveries:read'
    | 'deliveries:write'
    | 'syncs:read'
    | 'syncs:write'
    | 'files:write'
    | 'setup_links:write'
    | 'keys:write'
    | 'audit:read'
    | 'metrics:read'
    | 'limits:read'
  )[];
  /** The only customer that the key can access; null: all. */
  tenant: string | null;
  /** The only application that the key can access; null: all. */
  product: string | null;
  /** The only directory that the key can access; null: all. */
  directory_id: string | null;
  /** The networks that the key may be used from; null: all. */
  allowed_networks: string[] | null;
  /** When the key expires; null: never. */
  expires_at: string | null;
  /** When the key was last used, to the minute. */
  last_used_at: string | null;
  /** When the key was created. */
  created_at: string | null;
  /** The ID of the key or person that created it. `root_1` is the first key of `API_KEYS`. */
  created_by: string;
  /** When the key was revoked; null: it was not. */
  revoked_at: string | null;
  /** The first characters of the key, to recognize it. */
  prefix: string;
  /** The key. It cannot be read again. */
  key: string;
  /** Until when the previous value stays valid; null: it is no longer valid. */
  previous_valid_until: string | null;
}

/** A new SCIM secret. */
export interface RotatedScimSecret {
  /** The new bearer token for the identity provider. */
  secret: string;
  /** When the new secret expires; null: never. */
  expires_at: string | null;
  /** Until when the previous secret stays valid; null: it is no longer valid. */
  previous_valid_until: string | null;
}

/** A new webhook secret. */
export interface RotatedWebhookSecret {
  /** The secret that webhooks are signed with from now on. */
  secret: string;
  /** Until when the previous secret also signs. */
  previous_valid_until: string | null;
  /** Values that may be a mistake. Missing if there are none. */
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
    /** The address of the resource. */
    location: string;
  };
}

/** A page of resources (RFC 7644, section 3.4.2). */
export interface SchemaList {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  /** The number of resources on all pages. */
  totalResults?: number;
  /** The position of the first resource, from 1. */
  startIndex?: number;
  /** The number of resources on this page. */
  itemsPerPage: number;
  /** The cursor of the next page, when paging by cursor. */
  nextCursor?: string;
  Resources: Schema[];
}

/** An OAuth client, with which an identity provider gets access tokens for one directory. */
export interface ScimClient {
  /** The ID that the identity provider sends. */
  client_id: string;
  /** What the client is for. */
  name: string;
  /** When the client was created. */
  created_at: string;
  /** When the client expires, and with it its access tokens. */
  expires_at: string;
  /** When the client last got an access token. */
  last_used_at: string | null;
  /** When the client was revoked; null: it was not. */
  revoked_at: string | null;
  /** Values that may be a mistake. Missing if there are none. */
  warnings?: Warning[];
}

/** A page of OAuth clients. */
export interface ScimClientPage {
  /** The OAuth clients. */
  data: ScimClient[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** A SCIM error (RFC 7644, section 3.12). */
export interface ScimError {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'];
  /** The status code, as a string. */
  status: string;
  /** The kind of error. */
  scimType?: string;
  /** A human-readable message. */
  detail: string;
}

/** A group in SCIM. `attributes` and `excludedAttributes` select its attributes. */
export interface ScimGroup {
  /** The group's name; unique in its directory. */
  displayName?: string;
  /** Users and groups that belong to the group. */
  members?: {
    /** The member's ID. */
    value?: string;
    /** The member's address. */
    $ref?: string;
    /** The member's name, as the identity provider sent it. */
    display?: string;
    /** The type of the member. */
    type?: string;
    [name: string]: unknown;
  }[];
  /** The URIs of its schemas. */
  schemas: string[];
  /** The ID that this service assigned. */
  id: string;
  /** The ID that the identity provider assigned. */
  externalId?: string;
  meta?: {
    resourceType?: 'Group';
    /** When it was created. */
    created?: string;
    /** When it was last changed. */
    lastModified?: string;
    /** The address of the resource. */
    location?: string;
    /** The version of the resource, as in `ETag`. */
    version?: string;
    [name: string]: unknown;
  };
  [name: string]: unknown;
}

/** A page of resources (RFC 7644, section 3.4.2). */
export interface ScimGroupList {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  /** The number of resources on all pages. */
  totalResults?: number;
  /** The position of the first resource, from 1. */
  startIndex?: number;
  /** The number of resources on this page. */
  itemsPerPage: number;
  /** The cursor of the next page, when paging by cursor. */
  nextCursor?: string;
  Resources: ScimGroup[];
}

/** A group as identity providers send it. A PUT without `members` keeps the members. */
export interface ScimGroupRequest {
  /** The group's name; unique in its directory. */
  displayName: string;
  /** Users and groups that belong to the group. */
  members?: {
    /** The member's ID. */
    value?: string;
    /** The member's address. */
    $ref?: string;
    /** The member's name, as the identity provider sent it. */
    display?: string;
    /** The type of the member. */
    type?: string;
    [name: string]: unknown;
  }[];
  /** The URIs of its schemas. */
  schemas?: string[];
  /** The ID that the identity provider assigned. */
  externalId?: string;
  [name: string]: unknown;
}

/** A user in SCIM. `attributes` and `excludedAttributes` select its attributes. */
export interface ScimUser {
  /** The login name at the identity provider; unique in the directory. */
  userName?: string;
  /** The parts of the user's name. */
  name?: {
    /** The full name, formatted for display. */
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
  /** The display name. */
  displayName?: string;
  /** The nickname. */
  nickName?: string;
  /** The address of the user's profile. */
  profileUrl?: string;
  /** The position, such as "Vice President". */
  title?: string;
  /** The relation to the organization, such as "Employee". */
  userType?: string;
  /** Preferred languages, as in the HTTP header Accept-Language. */
  preferredLanguage?: string;
  /** The locale for formatting dates, numbers and currencies. */
  locale?: string;
  /** The IANA time zone. */
  timezone?: string;
  /** Whether the user may use the application. */
  active?: boolean;
  /** E-mail addresses. */
  emails?: {
    /** The address. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Telephone numbers. */
  phoneNumbers?: {
    /** The number. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Instant messaging addresses. */
  ims?: {
    /** The address. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Addresses of pictures. */
  photos?: {
    /** The address of the picture. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Postal addresses. */
  addresses?: {
    /** The full address, formatted for display. */
    formatted?: string;
    /** Street, house number, apartment. */
    streetAddress?: string;
    /** City or place. */
    locality?: string;
    /** State or region. */
    region?: string;
    /** Postal code. */
    postalCode?: string;
    /** Two-letter country code. */
    country?: string;
    /** The type of the address. */
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
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** The roles of the user. */
  roles?: {
    /** The role. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Certificates. */
  x509Certificates?: {
    /** The DER-encoded certificate in base64. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Enterprise user attributes. */
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'?: {
    /** A number or name given by the organization. */
    employeeNumber?: string;
    /** The cost center. */
    costCenter?: string;
    /** The organization. */
    organization?: string;
    /** The division. */
    division?: string;
    /** The department. */
    department?: string;
    /** The user's manager. */
    manager?: {
      /** The manager's ID. */
      value?: string;
      /** The manager's address. */
      $ref?: string;
      /** The manager's name. */
      displayName?: string;
      [name: string]: unknown;
    };
    [name: string]: unknown;
  };
  /** The URIs of its schemas. */
  schemas: string[];
  /** The ID that this service assigned. */
  id: string;
  /** The ID that the identity provider assigned. */
  externalId?: string;
  meta?: {
    resourceType?: 'User';
    /** When it was created. */
    created?: string;
    /** When it was last changed. */
    lastModified?: string;
    /** The address of the resource. */
    location?: string;
    /** The version of the resource, as in `ETag`. */
    version?: string;
    [name: string]: unknown;
  };
  [name: string]: unknown;
}

/** A page of resources (RFC 7644, section 3.4.2). */
export interface ScimUserList {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  /** The number of resources on all pages. */
  totalResults?: number;
  /** The position of the first resource, from 1. */
  startIndex?: number;
  /** The number of resources on this page. */
  itemsPerPage: number;
  /** The cursor of the next page, when paging by cursor. */
  nextCursor?: string;
  Resources: ScimUser[];
}

/**
 * A user as identity providers send it. Attributes that no schema defines are stored as they are. Known deviations from
 * the standard are accepted: names in any case, null, strings for booleans.
 */
export interface ScimUserRequest {
  /** The login name at the identity provider; unique in the directory. */
  userName: string;
  /** The parts of the user's name. */
  name?: {
    /** The full name, formatted for display. */
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
  /** The display name. */
  displayName?: string;
  /** The nickname. */
  nickName?: string;
  /** The address of the user's profile. */
  profileUrl?: string;
  /** The position, such as "Vice President". */
  title?: string;
  /** The relation to the organization, such as "Employee". */
  userType?: string;
  /** Preferred languages, as in the HTTP header Accept-Language. */
  preferredLanguage?: string;
  /** The locale for formatting dates, numbers and currencies. */
  locale?: string;
  /** The IANA time zone. */
  timezone?: string;
  /** Whether the user may use the application. */
  active?: boolean;
  /** Accepted, but never stored. */
  password?: string;
  /** E-mail addresses. */
  emails?: {
    /** The address. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Telephone numbers. */
  phoneNumbers?: {
    /** The number. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Instant messaging addresses. */
  ims?: {
    /** The address. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Addresses of pictures. */
  photos?: {
    /** The address of the picture. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Postal addresses. */
  addresses?: {
    /** The full address, formatted for display. */
    formatted?: string;
    /** Street, house number, apartment. */
    streetAddress?: string;
    /** City or place. */
    locality?: string;
    /** State or region. */
    region?: string;
    /** Postal code. */
    postalCode?: string;
    /** Two-letter country code. */
    country?: string;
    /** The type of the address. */
    type?: string;
    /** Whether this is the preferred address; one at most is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** What the user is entitled to. */
  entitlements?: {
    /** The entitlement. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** The roles of the user. */
  roles?: {
    /** The role. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Certificates. */
  x509Certificates?: {
    /** The DER-encoded certificate in base64. */
    value?: string;
    /** A human-readable name. */
    display?: string;
    /** What the value is for. */
    type?: string;
    /** Whether this is the primary value; at most one is. */
    primary?: boolean;
    [name: string]: unknown;
  }[];
  /** Enterprise user attributes. */
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'?: {
    /** A number or name given by the organization. */
    employeeNumber?: string;
    /** The cost center. */
    costCenter?: string;
    /** The organization. */
    organization?: string;
    /** The division. */
    division?: string;
    /** The department. */
    department?: string;
    /** The user's manager. */
    manager?: {
      /** The manager's ID. */
      value?: string;
      /** The manager's address. */
      $ref?: string;
      [name: string]: unknown;
    };
    [name: string]: unknown;
  };
  /** The URIs of its schemas. */
  schemas?: string[];
  /** The ID that the identity provider assigned. */
  externalId?: string;
  [name: string]: unknown;
}

/** A query in a body (RFC 7644, section 3.4.3). */
export interface SearchRequest {
  schemas: string[];
  /** Only resources that match this filter. */
  filter?: string;
  /** The attribute to sort by. */
  sortBy?: string;
  /** `ascending` or `descending`. */
  sortOrder?: string;
  /** The position of the first resource, from 1. */
  startIndex?: number | string;
  /** The maximum number of resources. */
  count?: number | string;
  /** Page by cursor (RFC 9865); empty: the first page. */
  cursor?: string;
  /** Only these attributes. */
  attributes?: string[] | string;
  /** All attributes except these. */
  excludedAttributes?: string[] | string;
  [name: string]: unknown;
}

/** The result of a webhook test. */
export interface SentTest {
  /** The `webhook-id` of the test. */
  id: string;
  /** The address that it was sent to, without the query. */
  url: string;
  /** The outcome. */
  outcome: 'success' | 'http_error' | 'timeout' | 'dns' | 'tls' | 'connect' | 'blocked' | 'aborted';
  /** The status of the response; null: there was no response. */
  status_code: number | null;
  /** Why it failed. */
  error: string | null;
  /** The IP address that was reached. */
  address: string | null;
  /** The headers of the request. */
  request_headers: Record<string, string>;
  /** The body of the request. */
  request_body: string;
  /** The headers of the response. */
  response_headers: Record<string, string> | null;
  /** The first 16 KiB of the response body. */
  response_body: string | null;
  /** Whether the response body was longer. */
  response_truncated: boolean | null;
  /** Durations in milliseconds; null for steps that were not needed. */
  timings: {
    /** DNS lookup. */
    dns_ms: number | null;
    /** Connection set-up. */
    connect_ms: number | null;
    /** Time to the first byte of the response. */
    first_byte_ms: number | null;
    /** Total time of the attempt. */
    total_ms: number;
  } | null;
}

/** The SCIM features of this service (RFC 7643, section 5). */
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
    /** The address of the resource. */
    location: string;
  };
}

/** A person who is signed in with a browser. */
export interface Session {
  /** The session's ID. */
  id: string;
  /** Who is signed in. */
  actor: {
    /** Whether a person signed in with OpenID Connect, or a key was used. */
    type: 'person' | 'api_key' | 'root_key';
    /** As in the audit log: with the issuer and the subject at the OpenID provider, or the ID of the key. */
    id: string;
    /** The name of the person or of the key. */
    name: string;
  };
  /** How they signed in. */
  method: 'api_key' | 'login_link' | 'oidc';
  /** The role; null with a key. */
  role: 'viewer' | 'operator' | 'admin' | null;
  /** What the session may do. */
  scopes: (
    | 'directories:read'
    | 'directories:write'
    | 'directories:delete'
    | 'secrets:read'
    | 'people:read'
    | 'people:write'
    | 'events:read'
    | 'deliveries:read'
    | 'deliveries:write'
    | 'syncs:read'
    | 'syncs:write'
    | 'files:write'
    | 'setup_links:write'
    | 'keys:write'
    | 'audit:read'
    | 'metrics:read'
    | 'limits:read'
  )[];
  /** The only customer that the session can access; null: all. */
  tenant: string | null;
  /** The only application that the session can access; null: all. */
  product: string | null;
  /** The only directory that the session can access; null: all. */
  directory_id: string | null;
  /** When they signed in. */
  created_at: string;
  /** When the session ends at the latest. */
  expires_at: string;
}

/** The forms of the page of a directory. */
export interface SetupActionForm {
  /** What to do. */
  action: 'secret' | 'finish';
}

/** A directory of the tenant and product of a setup link. */
export interface SetupDirectory {
  /** The directory's ID. */
  id: string;
  /** The identity provider. */
  type: 'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google' | 'entra' | 'csv';
  /** Its name. */
  name: string;
  /** Whether it is off. */
  deactivated: boolean;
  /** The events of its deletion are delivered first. Missing unless it is being deleted. */
  state?: 'deleting';
}

/** What an administrator enters at the identity provider. */
export interface SetupDirectoryDetails {
  /** The directory's ID. */
  id: string;
  /** The identity provider. */
  type: 'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google' | 'entra' | 'csv';
  /** Its name. */
  name: string;
  /** Whether it is off. */
  deactivated: boolean;
  /** The events of its deletion are delivered first. Missing unless it is being deleted. */
  state?: 'deleting';
  scim: {
    /** The path of the SCIM address. */
    path: string;
    /** The SCIM address. */
    endpoint: string;
    /** The secret, in the response that has created it; otherwise null. */
    secret: string | null;
  };
  /** Whether a directory of type `google` is authorized. */
  google_authorized: boolean;
  /** Where an administrator authorizes it; empty for other types. */
  google_authorization_url: string;
}

/** A setup link of a tenant and product. */
export interface SetupLink {
  /** The ID: the RIPEMD-160 of tenant, product and service. */
  setupID: string;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** What is set up. */
  service: 'dsync';
  /** The name of the new directory, if one was given. */
  name?: string;
  /** When the link ends, in milliseconds since 1970. */
  validTill: number;
  /**
   * The address for the customer’s administrator. Anyone who has it can set up the directory. Null if secrets are shown only
   * once, or if the link has more rights than the API key.
   */
  url: string | null;
  /** The webhook address of the new directory. */
  webhook_url: string;
  /** The secret that signs its webhooks. Null unless secrets are shown to the API key. */
  webhook_secret: string | null;
  /** The only identity provider that the link offers; null: all. */
  provider:
    'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google' | 'entra' | 'csv' | null;
  /** Where the administrator goes at the end. */
  return_url: string | null;
  /** Whether the link ends when the administrator has finished. */
  revoke_on_completion: boolean;
  /** The roles that the administrator may give to groups, strongest first. */
  roles: string[];
  /** The people to whom you send the link. */
  admin_emails: string[];
  /** When the link was created. */
  created_at: string;
  /** When it was first opened. */
  opened_at: string | null;
  /** When the administrator finished. */
  completed_at: string | null;
}

/** A page of setup links. */
export interface SetupLinkPage {
  /** The setup links. */
  data: SetupLink[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** The form of the first page. */
export interface SetupProviderForm {
  /** The identity provider. */
  type: 'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google' | 'entra' | 'csv';
}

/** The forms of the page of roles. */
export interface SetupRoleForm {
  /** What to do. */
  action: 'give' | 'take';
  /** To give a role: the display name of the group. */
  group?: string;
  /** One of those that the link offers. */
  role?: string;
  /** To take a role: the row, as the page names it. */
  ref?: string;
}

/** The credentials of a sign-in. */
export interface SignInRequest {
  /** An API key. The session has the rights of the key, and ends with it. */
  api_key: string;
}

/** The directories that are being synced. */
export interface StartedSyncs {
  message: 'Sync started';
  directories: {
    /** The directory's ID. */
    directory_id: string;
    /** The sync run's ID. */
    run_id: string;
    /** Whether the run was started now or was already running. */
    status: 'started' | 'running';
  }[];
}

/** Counts in the form of Ory Polis. */
export interface Stats {
  /** Always 0. */
  sso_connections: number;
  /** The number of directories. */
  dsync_connections: number;
  /** Always 0. */
  identity_federation_apps: number;
}

/** What to count. */
export interface StatsRequest {
  /** The products whose directories are counted. */
  products: string[];
  /** What is counted; all counts but `dsync` are 0. */
  type?: 'sso' | 'dsync' | 'identityFederation' | undefined;
}

/** The number of changes of each kind. */
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

/** The run to confirm, if there is one. */
export interface SyncRequest {
  /** The run that waits for confirmation of its removals. */
  confirm?: string | undefined;
}

/** A sync run: one pass over a pulled directory. */
export interface SyncRun {
  /** The sync run's ID. */
  id: string;
  /** The directory's ID. */
  directory_id: string;
  /** The state of the run. */
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'needs_confirmation' | 'canceled';
  /** The current step, while it runs. */
  phase: 'users' | 'groups' | 'members' | 'comparing' | 'applying' | null;
  /** What started the run. */
  trigger: 'schedule' | 'cron' | 'request' | 'authorization' | 'upload';
  /** The run whose removals it confirms. */
  confirms: string | null;
  /** The number of pages read from the provider. */
  pages: number;
  /** The number of users, groups and members read from the provider. */
  seen: {
    users: number;
    groups: number;
    members: number;
  };
  /** The changes to make; null before the comparison. */
  planned: SyncCounts | null;
  changed: SyncCounts;
  /** The number of changes that failed. */
  failed: number;
  /**
   * The differences that a comparison of everything found, although changes had been followed until then. Null for other
   * runs.
   */
  drift: number | null;
  /** The first failed changes, with the reason. */
  failures: {
    external_id: string;
    reason: string;
  }[];
  /** What the run is waiting for. */
  notice: string | null;
  /** Why the run did not succeed. */
  error: {
    code:
      | 'needs_authorization'
      | 'needs_confirmation'
      | 'refused'
      | 'provider_unavailable'
      | 'provider_rejected'
      | 'invalid_provider_response'
      | 'wrong_workspace'
      | 'quota_exceeded'
      | 'deactivated'
      | 'replaced'
      | 'canceled'
      | 'dry_run'
      | 'internal';
    message: string;
  } | null;
  /** When it was requested. */
  requested_at: string | null;
  /** When it started. */
  started_at: string | null;
  /** When it ended. */
  finished_at: string | null;
  /** The duration so far, in milliseconds. */
  duration_ms: number | null;
}

/** A page of sync runs. */
export interface SyncRunPage {
  /** The sync runs. */
  data: SyncRun[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** The event that a webhook test sends. Verify it, acknowledge it, and change nothing. */
export interface TestEvent {
  /** The type of the event. */
  event: 'webhook.test';
  /** A human-readable message. */
  data: {
    message: string;
  };
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The directory's ID. */
  directory_id: string;
  /** The event's ID. */
  id: string;
  /** When the test was sent. */
  occurred_at: string;
}

/** Why no access token was issued (RFC 6749, section 5.2). */
export interface TokenError {
  /** The error code. */
  error: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'temporarily_unavailable' | 'server_error';
  /** A human-readable message; its wording may change. */
  error_description: string;
}

/** A request for an access token (RFC 6749, section 4.4.2). */
export interface TokenRequest {
  /** The grant. */
  grant_type: 'client_credentials';
  /** The ID of the client, unless it is sent by HTTP Basic. */
  client_id?: string;
  /** The secret of the client, unless it is sent by HTTP Basic. */
  client_secret?: string;
  /** Ignored: an access token is for SCIM requests to the directory of the client. */
  scope?: string;
}

/** A directory that needs attention. */
export interface UnhealthyDirectory {
  /** The directory's ID. */
  id: string;
  /** Display name. */
  name: string;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The kind of identity provider. */
  type: 'azure-scim-v2' | 'onelogin-scim-v2' | 'okta-scim-v2' | 'jumpcloud-scim-v2' | 'generic-scim-v2' | 'google' | 'entra' | 'csv';
  health: HealthSummary;
  /** The delivery state, which `health` names only if nothing comes before it. */
  delivery_status: 'active' | 'failing' | 'paused' | 'disabled' | 'misconfigured' | 'no_webhook';
  /** The number of undelivered events. */
  backlog: number;
  /** Why the delivery is paused, disabled or misconfigured. */
  reason: string | null;
  /** The first failure since the last success; null: the last attempt succeeded. */
  failing_since: string | null;
  /** The number of failed attempts since the last success. */
  consecutive_failures: number;
  /** When the next attempt is due; null: there is no automatic one. */
  next_attempt_at: string | null;
  /** The newest failed attempt since the last success. */
  last_error: {
    /** When the attempt ended. */
    at: string;
    /** Why it failed. */
    message: string | null;
    /** The status of the response; null: there was no response. */
    status: number | null;
    /** The ID of the delivery, a slash, and the number of the attempt. */
    attempt_id: string;
  } | null;
}

/** The response to a request that is not valid HTTP: an error in both formats. */
export interface UnreadableRequestError {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'];
  /** The status code, as a string. */
  status: string;
  /** The kind of error. */
  scimType?: string;
  /** A human-readable message. */
  detail: string;
  data: null;
  error: ApiError;
}

/** The fields to change. All others stay as they are. */
export interface UpdateApiKeyRequest {
  /** What the key is for. */
  name?: string | undefined;
  /** What the key may do. The list replaces the previous one. */
  scopes?:
    | (
        | 'directories:read'
        | 'directories:write'
        | 'directories:delete'
        | 'secrets:read'
        | 'people:read'
        | 'people:write'
        | 'events:read'
        | 'deliveries:read'
        | 'deliveries:write'
        | 'syncs:read'
        | 'syncs:write'
        | 'files:write'
        | 'setup_links:write'
        | 'keys:write'
        | 'audit:read'
        | 'metrics:read'
        | 'limits:read'
      )[]
    | undefined;
  /** The networks that the key may be used from; null: all. */
  allowed_networks?: string[] | null | undefined;
  /** When the key expires; null: never. */
  expires_at?: string | null | undefined;
}

/** The fields to change. All others stay as they are. Unknown fields are ignored, and named in `warnings` of the response. */
export interface UpdateDirectoryRequest {
  /** Display name; empty or null: `scim-<tenant>-<product>`. */
  name?: string | null | undefined;
  /** Whether event bodies are kept after delivery, so that they can be read and replayed. */
  log_webhook_events?: boolean | 'true' | 'false' | undefined;
  /** Whether a change of `active` is `user.deactivated` or `user.reactivated`. */
  user_state_events?: boolean | 'true' | 'false' | undefined;
  /**
   * With `delete`, a deactivation emits `user.deleted` and a reactivation `user.created`; default: `keep`. A change that
   * would send events fails with `confirmation_required`.
   */
  inactive_users?: 'keep' | 'delete' | undefined;
  /**
   * With `events`, the deletion of the directory emits the removals of all users and groups first, and they are delivered
   * before it is gone; default: `silent`.
   */
  on_directory_delete?: 'silent' | 'events' | undefined;
  /** While true, requests of the identity provider fail with 403. */
  deactivated?: boolean | 'true' | 'false' | undefined;
  /** Whether the SCIM secret is accepted beside access tokens of OAuth clients. Without it, only access tokens are. */
  accept_scim_secret?: boolean | 'true' | 'false' | undefined;
  /** The address of the webhook; empty or null removes the webhook. */
  webhook_url?: string | null | undefined;
  /** The secret that webhooks are signed with; default, empty and null: the current one, or a new one. */
  webhook_secret?: string | null | undefined;
  /** The same two values as in a response, so that a directory can be sent back as it was read. */
  webhook?:
    | {
        endpoint?: string | null | undefined;
        secret?: string | null | undefined;
      }
    | null
    | undefined;
  /** Whether webhooks also carry the signatures of Ory Polis; default and null: `WEBHOOK_LEGACY_SIGNATURES`. */
  webhook_legacy_signatures?: boolean | 'true' | 'false' | null | undefined;
  /** Limits of this directory, in place of the deployment's. The object replaces the previous one; null removes all. */
  quotas?: Quotas | null | undefined;
  /** Sync only the users of this domain; empty: all. */
  google_domain?: string | undefined;
  /** An access token that was obtained elsewhere; null: the current one. */
  google_access_token?: string | null | undefined;
  /** The refresh token that belongs to it; null: the current one. */
  google_refresh_token?: string | null | undefined;
  /** The administrator that a service account acts for. */
  google_admin_email?: string | undefined;
  /** The content of the service account's key file; empty: the deployment's own. */
  google_service_account_key?: string | undefined;
  /** Sync only these groups, by address or ID; empty: all. */
  google_groups?: string[] | undefined;
  /** Sync only these organizational units and those below them; empty: all. */
  google_org_units?: string[] | undefined;
  /** The ID of the Entra tenant; empty: the tenant whose administrator gives consent. */
  entra_tenant_id?: string | undefined;
  /** Sync only these groups, by ID, with the groups and users in them at any depth; empty: all. */
  entra_groups?: string[] | undefined;
  /** Sync only the users and groups that are assigned to the enterprise application. */
  entra_assigned_only?: boolean | 'true' | 'false' | undefined;
  /** How many events a change of `inactive_users` may send: the `confirm` of its error `confirmation_required`. */
  confirm?: number | undefined;
  /** Cannot be changed. The current value is accepted. */
  tenant?: string | undefined;
  /** Cannot be changed. The current value is accepted. */
  product?: string | undefined;
  /** Cannot be changed. The current value is accepted. */
  type?: string | undefined;
  /** With `false`, the response has no secret but that of a webhook which is new; default: true. It changes nothing. */
  include_secrets?: boolean | 'true' | 'false' | undefined;
}

/** The fields to change. All others stay as they are. */
export interface UpdateScimClientRequest {
  /** What the client is for. */
  name?: string | undefined;
  /** When the client expires, at most three years from now. Its access tokens expire no later. */
  expires_at?: string | undefined;
}

/** Whether the directory is off. Nothing else can be changed. */
export interface UpdateSetupDirectoryRequest {
  /** While true, requests of the identity provider fail with 403. */
  deactivated: boolean | 'true' | 'false';
}

/** A token with which a job uploads the files of one directory, and does nothing else. */
export interface UploadToken {
  /** The token's ID. */
  id: string;
  /** What the token is for. */
  name: string;
  /** When the token was created. */
  created_at: string;
  /** When the token expires. */
  expires_at: string;
  /** When the token was last used, to the minute; null: never. */
  last_used_at: string | null;
  /** When the token was revoked; null: it was not. */
  revoked_at: string | null;
}

/** A page of upload tokens. */
export interface UploadTokenPage {
  /** The upload tokens. */
  data: UploadToken[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** Files that were accepted. */
export interface UploadedFiles {
  /** The sync run that reads the files. Null: another run must end first, or more files must come. */
  run_id: string | null;
  /** Whether the set of files is complete. */
  complete: boolean;
  /** Whether the run only says what it would change. */
  dry_run: boolean;
  users: number | null;
  groups: number | null;
  memberships: number | null;
}

/** A user of a directory. */
export interface User {
  /** The user's ID. */
  id: string;
  /** The given name; empty if there is none. */
  first_name: string;
  /** The family name; empty if there is none. */
  last_name: string;
  /** The primary email address; without one, the first address or the user name. */
  email: string;
  /** False if the identity provider has deactivated the user. */
  active: boolean;
  /**
   * The strongest role of the role table of the directory, as the first of `roles`. Null: none. Missing if the directory has
   * no role table.
   */
  role?: string | null;
  /**
   * The roles by the role table of the directory. Without one, the roles as they were pushed; text with commas as a list.
   * Missing if there are none.
   */
  roles?: (string | Record<string, unknown>)[];
  /** The attributes of the product that have a value. Missing if the product has no attribute schema. */
  custom_attributes?: Record<string, unknown>;
  /** The document as the identity provider pushed or returned it, without passwords and with this service's ID. */
  raw: Record<string, unknown>;
  /** The user's directory. */
  directoryId: string;
  /** The identity provider's ID (`externalId`); null if it sent none. */
  idp_id: string | null;
  /** The `userName`. */
  user_name: string;
  /** `inactive` if the identity provider has deactivated the user. */
  state: 'active' | 'inactive';
  /** When the user was created. */
  created_at: string;
  /** When the user last changed. Groups do not count. */
  updated_at: string;
  /** The groups of which the user is a direct member. Only with `include=groups`. */
  groups?: GroupReference[];
}

/** A user was created, updated or deleted. */
export interface UserEvent {
  /** The type of the event. */
  event: 'user.created' | 'user.updated' | 'user.deleted' | 'user.deactivated' | 'user.reactivated';
  /** The user after the change, or before the deletion. Null after the event body was deleted. */
  data: UserProfile | null;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** The directory's ID. */
  directory_id: string;
  /** The event's ID. */
  id: string;
  /** The position of the event in its directory, without gaps. */
  sequence: number;
  /** When the change was made. */
  occurred_at: string;
  /**
   * The cause: a request of the identity provider (`scim`), a sync, an import, an erasure, or, of a delivery, a replay. Null
   * after the event body was deleted, and in events from before Rollcall stored it.
   */
  reason: 'scim' | 'sync' | 'import' | 'erasure' | 'setting' | 'mapping' | 'deletion' | 'replay' | null;
  /**
   * Of an update: the names of the attributes of `data` that changed. Null after the event body was deleted, in announced
   * imports, and in events from before Rollcall stored it.
   */
  changes?: string[] | null;
  /**
   * Of an update: the attributes of `data` that changed, with their former values; null if there was none. Null after the
   * event body was deleted, in announced imports, and in events from before Rollcall stored it.
   */
  previous_attributes?: Record<string, unknown> | null;
}

/** A page of what is kept about a person. */
export interface UserExportPage {
  /** The what is kept about a person. */
  data: ExportedItem[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** A user and a group. */
export interface UserInGroup {
  /** The user's ID. */
  id: string;
  /** The given name; empty if there is none. */
  first_name: string;
  /** The family name; empty if there is none. */
  last_name: string;
  /** The primary email address; without one, the first address or the user name. */
  email: string;
  /** False if the identity provider has deactivated the user. */
  active: boolean;
  /**
   * The strongest role of the role table of the directory, as the first of `roles`. Null: none. Missing if the directory has
   * no role table.
   */
  role?: string | null;
  /**
   * The roles by the role table of the directory. Without one, the roles as they were pushed; text with commas as a list.
   * Missing if there are none.
   */
  roles?: (string | Record<string, unknown>)[];
  /** The attributes of the product that have a value. Missing if the product has no attribute schema. */
  custom_attributes?: Record<string, unknown>;
  /** The document as the identity provider pushed or returned it, without passwords and with this service's ID. */
  raw: Record<string, unknown>;
  group: Group;
}

/** A page of users. */
export interface UserPage {
  /** The users. */
  data: User[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** A user. */
export interface UserProfile {
  /** The user's ID. */
  id: string;
  /** The given name; empty if there is none. */
  first_name: string;
  /** The family name; empty if there is none. */
  last_name: string;
  /** The primary email address; without one, the first address or the user name. */
  email: string;
  /** False if the identity provider has deactivated the user. */
  active: boolean;
  /**
   * The strongest role of the role table of the directory, as the first of `roles`. Null: none. Missing if the directory has
   * no role table.
   */
  role?: string | null;
  /**
   * The roles by the role table of the directory. Without one, the roles as they were pushed; text with commas as a list.
   * Missing if there are none.
   */
  roles?: (string | Record<string, unknown>)[];
  /** The attributes of the product that have a value. Missing if the product has no attribute schema. */
  custom_attributes?: Record<string, unknown>;
  /** The document as the identity provider pushed or returned it, without passwords and with this service's ID. */
  raw: Record<string, unknown>;
}

/** The request succeeded, but a value in it may be a mistake. */
export interface Warning {
  /** The kind of warning. */
  code: 'short_webhook_secret' | 'empty_webhook_secret' | 'unused_webhook_secret' | 'no_scim_client' | 'unknown_field';
  /** The field of the request. */
  field: string;
  /** A human-readable message. */
  message: string;
}

/** A delivery in the form of Ory Polis. */
export interface WebhookEvent {
  /** The `webhook-id`. */
  id: string;
  /** The address that it was sent to, without the query. */
  webhook_endpoint: string;
  /** When the delivery was created. */
  created_at: string | null;
  /** The status of the last attempt; 500 if there was no response. */
  status_code: number;
  /** Whether the receiver acknowledged it. */
  delivered: boolean;
  /** The event, or the array of events of a batch; null if it is not kept. */
  payload: unknown;
}

/** A page of webhook events. */
export interface WebhookEventPage {
  /** The webhook events. */
  data: WebhookEvent[];
  error: null;
  /** Where the next page begins: send it as `cursor`. Null on the last page. */
  next_cursor: string | null;
}

/** The argument of `directories.list`. */
export interface DirectoriesListQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
  /** The customer. */
  tenant: string;
  /** The application. */
  product: string;
  /** Only directories with this health; `unhealthy`: all that need attention. */
  health?:
    | 'deactivated'
    | 'disabled'
    | 'needs_authorization'
    | 'needs_confirmation'
    | 'failing'
    | 'paused'
    | 'stale'
    | 'waiting_for_first_push'
    | 'healthy'
    | 'unhealthy'
    | undefined;
}

/** The argument of `directories.listOfProduct`. */
export interface DirectoriesListOfProductQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
  /** The application. */
  product: string;
  /** Only directories with this health; `unhealthy`: all that need attention. */
  health?:
    | 'deactivated'
    | 'disabled'
    | 'needs_authorization'
    | 'needs_confirmation'
    | 'failing'
    | 'paused'
    | 'stale'
    | 'waiting_for_first_push'
    | 'healthy'
    | 'unhealthy'
    | undefined;
}

/** The argument of `directories.listAll`. */
export interface DirectoriesListAllQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
  /** Only directories whose name, tenant or product contains this text, ignoring case, or with this ID. */
  search?: string | undefined;
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** Only directories of this kind of identity provider. */
  type?:
    | 'azure-scim-v2'
    | 'onelogin-scim-v2'
    | 'okta-scim-v2'
    | 'jumpcloud-scim-v2'
    | 'generic-scim-v2'
    | 'google'
    | 'entra'
    | 'csv'
    | undefined;
  /** Only directories with this health; `unhealthy`: all that need attention. */
  health?:
    | 'deactivated'
    | 'disabled'
    | 'needs_authorization'
    | 'needs_confirmation'
    | 'failing'
    | 'paused'
    | 'stale'
    | 'waiting_for_first_push'
    | 'healthy'
    | 'unhealthy'
    | undefined;
  /** With `false`, secrets are null, and the audit log has no read of them; default: true. */
  include_secrets?: 'true' | 'false' | undefined;
}

/** The argument of `directories.get`. */
export interface DirectoriesGetQuery {
  /** With `false`, secrets are null, and the audit log has no read of them; default: true. */
  include_secrets?: 'true' | 'false' | undefined;
}

/** The argument of `directories.delete`. */
export interface DirectoriesDeleteQuery {
  /** How many events the deletion may send: the `confirm` of its error `confirmation_required`. */
  confirm?: number | undefined;
  /** With `true`, the directory is gone at once, with events that are not delivered; default: false. */
  force?: 'true' | 'false' | undefined;
}

/** The argument of `directories.requests`. */
export interface DirectoriesRequestsQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
  /**
   * Only requests about the user with this ID, user name, external ID or email address, and those that failed to create such
   * a user.
   */
  user?: string | undefined;
  /** Only requests with an error, or only those without. */
  status?: 'failed' | 'succeeded' | undefined;
  /** With `true`, only requests that change something: all but `GET`; default: false. */
  writes?: 'true' | 'false' | undefined;
  /** With `false`, `body` is null; `body_state` says whether the request has one. Default: true. */
  include_body?: 'true' | 'false' | undefined;
}

/** The response data of `directories.activity`. */
export interface DirectoriesActivityData {
  /** The 24 hours. */
  hours: HourOfActivity[];
}

/** The argument of `scimClients.list`. */
export interface ScimClientsListQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
}

/** The argument of `users.list`. */
export interface UsersListQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directory_id?: string | undefined;
  /** Alias of `directory_id`. */
  directoryId?: string | undefined;
  /**
   * Only users whose name, user name, email address or external ID contains this, in capitals or not. No index serves it, so
   * it is limited like a search over SCIM.
   */
  search?: string | undefined;
  /** Only users with this address, ignoring case. For a user without an address, the user name counts. */
  email?: string | undefined;
  /** Only the user with this user name, ignoring case. */
  user_name?: string | undefined;
  /** Only the user with this ID of the identity provider. */
  idp_id?: string | undefined;
  /** Only direct members of this group. */
  group_id?: string | undefined;
  /** Only active, or only inactive users. */
  state?: 'active' | 'inactive' | undefined;
  /** Only users that were created or changed after this time. */
  updated_after?: string | undefined;
  /** `groups`: each user has its groups. */
  include?: 'groups' | undefined;
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
}

/** The argument of `users.get`. */
export interface UsersGetQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directory_id?: string | undefined;
  /** Alias of `directory_id`. */
  directoryId?: string | undefined;
  /** `groups`: each user has its groups. */
  include?: 'groups' | undefined;
}

/** The argument of `users.groups`. */
export interface UsersGroupsQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directory_id?: string | undefined;
  /** Alias of `directory_id`. */
  directoryId?: string | undefined;
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
}

/** The argument of `users.export`. */
export interface UsersExportQuery {
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
  /** Only records of this kind. */
  only?: 'user' | 'memberships' | 'events' | 'deliveries' | 'requests' | undefined;
  /** Events and deliveries oldest first (`asc`) or newest first (`desc`). */
  order?: 'asc' | 'desc' | undefined;
}

/** The argument of `groups.list`. */
export interface GroupsListQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directory_id?: string | undefined;
  /** Alias of `directory_id`. */
  directoryId?: string | undefined;
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
  /** Only groups of which this user is a direct member. */
  user_id?: string | undefined;
  /** Only the group with this ID of the identity provider. */
  idp_id?: string | undefined;
}

/** The argument of `groups.get`. */
export interface GroupsGetQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directory_id?: string | undefined;
  /** Alias of `directory_id`. */
  directoryId?: string | undefined;
  /** With `false`, `members` is empty, however many there are; default: true. */
  include_members?: 'true' | 'false' | undefined;
}

/** The argument of `groups.members`. */
export interface GroupsMembersQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directory_id?: string | undefined;
  /** Alias of `directory_id`. */
  directoryId?: string | undefined;
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
}

/** The argument of `groups.nestedGroups`. */
export interface GroupsNestedGroupsQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directory_id?: string | undefined;
  /** Alias of `directory_id`. */
  directoryId?: string | undefined;
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
}

/** The argument of `attributes.getSchema`. */
export interface AttributesGetSchemaQuery {
  /** The application. */
  product: string;
}

/** The argument of `events.list`. */
export interface EventsListQuery {
  /** The directory. */
  directory_id?: string | undefined;
  /** Alias of `directory_id`. */
  directoryId?: string | undefined;
  /** Only events of this customer. Requires `product`. */
  tenant?: string | undefined;
  /** Only events of this application. Requires `tenant`. */
  product?: string | undefined;
  /**
   * Only events of these types, separated by commas or given several times: user.created, user.updated, user.deleted,
   * user.deactivated, user.reactivated, group.created, group.updated, group.deleted, group.user_added, group.user_removed.
   */
  events?: string | string[] | undefined;
  /** Alias of `events`. */
  'events[]'?: string | string[] | undefined;
  /** The cursor of the previous page; empty: from the beginning. */
  after?: string | undefined;
  /** Only events from this time on. Cannot be combined with `after`. */
  range_start?: string | undefined;
  /** Only events before this time. */
  range_end?: string | undefined;
  /** The maximum number of events; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Oldest first (`asc`) or newest first (`desc`). */
  order?: 'asc' | 'desc' | undefined;
  /** How many seconds to wait for an event if there is none. */
  wait?: number | undefined;
}

/** The argument of `deliveries.list`. */
export interface DeliveriesListQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
  /** Only deliveries with this status. */
  status?: 'pending' | 'delivered' | 'exhausted' | 'split' | 'skipped' | 'replayed' | 'canceled' | undefined;
  /** Only deliveries of new events (`live`), or only those of replays. */
  kind?: 'live' | 'replay' | undefined;
}

/** The argument of `deliveries.listAll`. */
export interface DeliveriesListAllQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
  /** Only deliveries with this status. */
  status?: 'pending' | 'delivered' | 'exhausted' | 'split' | 'skipped' | 'replayed' | 'canceled' | undefined;
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
}

/** The response data of `deliveries.processQueued`. */
export interface DeliveriesProcessQueuedData {
  message: 'Processing started';
  directory_ids: string[];
}

/** The argument of `replays.list`. */
export interface ReplaysListQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
}

/** The argument of `webhookEvents.list`. */
export interface WebhookEventsListQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directory_id?: string | undefined;
  /** Alias of `directory_id`. */
  directoryId?: string | undefined;
}

/** The argument of `webhookEvents.delete`. */
export interface WebhookEventsDeleteQuery {
  /** The directory. */
  directory_id?: string | undefined;
  /** Alias of `directory_id`. */
  directoryId?: string | undefined;
}

/** The argument of `webhookEvents.get`. */
export interface WebhookEventsGetQuery {
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** The directory. */
  directory_id?: string | undefined;
  /** Alias of `directory_id`. */
  directoryId?: string | undefined;
}

/** The argument of `syncs.list`. */
export interface SyncsListQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
}

/** The argument of `uploadTokens.list`. */
export interface UploadTokensListQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
}

/** The argument of `setupLinks.get`. */
export interface SetupLinksGetQuery {
  /** The link's `setupID`. */
  id?: string | undefined;
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
}

/** The argument of `setupLinks.revoke`. */
export interface SetupLinksRevokeQuery {
  /** The link's `setupID`. */
  id?: string | undefined;
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
}

/** The argument of `setupLinks.listOfProduct`. */
export interface SetupLinksListOfProductQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
  /** The application. */
  product?: string | undefined;
}

/** The argument of `setupLinks.listAll`. */
export interface SetupLinksListAllQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
  /** Only links whose tenant, product or name contains this, in capitals or not. */
  search?: string | undefined;
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** Only links in this state. One that was completed stays so when it has expired. */
  state?: 'not_opened' | 'opened' | 'completed' | 'expired' | undefined;
}

/** The argument of `auditLog.list`. */
export interface AuditLogListQuery {
  /** Only entries of the actor with this ID. */
  actor?: string | undefined;
  /** Only these actions, separated by commas. */
  action?: string | undefined;
  /** Only entries about the target with this ID. */
  target?: string | undefined;
  /** Only entries about this directory, even after it was deleted. */
  directory_id?: string | undefined;
  /** The customer. */
  tenant?: string | undefined;
  /** The application. */
  product?: string | undefined;
  /** Only entries from this time on. */
  range_start?: string | undefined;
  /** Only entries before this time. */
  range_end?: string | undefined;
  /** The cursor of the previous page. */
  after?: string | undefined;
  /** The maximum number of entries; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Newest first (`desc`) or oldest first (`asc`). */
  order?: 'asc' | 'desc' | undefined;
}

/** The argument of `limits.get`. */
export interface LimitsGetQuery {
  /** The project; default: the deployment's own. */
  project?: string | undefined;
}

/** The argument of `apiKeys.list`. */
export interface ApiKeysListQuery {
  /** The number of items to skip. */
  offset?: number | undefined;
  /** The maximum number of items; default: 50, maximum: 1000. */
  limit?: number | undefined;
  /** Alias of `offset`. */
  pageOffset?: number | undefined;
  /** Alias of `limit`. */
  pageLimit?: number | undefined;
  /** Ignored, because pages are numbered. Polis has it for some databases. */
  pageToken?: string | undefined;
  /** The `next_cursor` of the previous page. Cannot be combined with `offset`. */
  cursor?: string | undefined;
}

/** The response data of `health.live`. */
export interface HealthLiveData {
  status: 'live';
}

/** The response data of `health.ready`. */
export interface HealthReadyData {
  status: 'ready';
  read_replica?: ReadReplica;
}

// Generated from the OpenAPI document by `npm run client`.
import type { CallOptions, Result } from '../result.ts';
import type {
  ApiKey,
  ApiKeyPage,
  AttributeMapping,
  AttributeMappingRequest,
  AttributeSchema,
  AttributeSchemaRequest,
  AuditChain,
  AuditEntry,
  AuditPage,
  CreateApiKeyRequest,
  CreateDirectoryRequest,
  CreateScimClientRequest,
  CreateSetupLinkRequest,
  CreateUploadTokenRequest,
  CreatedApiKey,
  CreatedDirectory,
  CreatedScimClient,
  CreatedUploadToken,
  DeletedDirectory,
  DeliveriesOfDirectoriesPage,
  Delivery,
  DeliveryOfDirectory,
  DeliveryPage,
  DeliveryState,
  DeliveryWithAttempts,
  Directory,
  DirectoryEvent,
  DirectoryPage,
  DirectoryWithHealth,
  Drift,
  EndedSessions,
  EntraAuthorizationUrl,
  EntraTenantRequest,
  Erasure,
  EventPage,
  ExportedItem,
  GoogleAuthorizationUrl,
  GoogleCodeRequest,
  GoogleTokenRequest,
  GoogleTokens,
  GroupPage,
  GroupWithMembers,
  ListedDirectory,
  ListedGroup,
  LoginLink,
  MappingPreview,
  MappingPreviewRequest,
  Member,
  NestedGroup,
  NestedGroupPage,
  Overview,
  PausedDelivery,
  ProjectLimits,
  ReconcileRequest,
  RecordedRequest,
  RecordedRequestPage,
  Replay,
  ReplayDryRun,
  ReplayPage,
  ReplayRequest,
  ResumeRequest,
  RolePreview,
  RolePreviewRequest,
  RoleTable,
  RoleTableRequest,
  RotateApiKeyRequest,
  RotateScimSecretRequest,
  RotateWebhookSecretRequest,
  RotatedApiKey,
  RotatedScimSecret,
  RotatedWebhookSecret,
  ScimClient,
  ScimClientPage,
  SentTest,
  SetupLink,
  SetupLinkPage,
  StartedSyncs,
  Stats,
  StatsRequest,
  SyncRequest,
  SyncRun,
  SyncRunPage,
  UpdateApiKeyRequest,
  UpdateDirectoryRequest,
  UpdateScimClientRequest,
  UploadToken,
  UploadTokenPage,
  User,
  UserExportPage,
  UserPage,
  WebhookEvent,
  WebhookEventPage,
  DirectoriesListQuery,
  DirectoriesListOfProductQuery,
  DirectoriesListAllQuery,
  DirectoriesGetQuery,
  DirectoriesDeleteQuery,
  DirectoriesRequestsQuery,
  DirectoriesActivityData,
  ScimClientsListQuery,
  UsersListQuery,
  UsersGetQuery,
  UsersGroupsQuery,
  UsersExportQuery,
  GroupsListQuery,
  GroupsGetQuery,
  GroupsMembersQuery,
  GroupsNestedGroupsQuery,
  AttributesGetSchemaQuery,
  EventsListQuery,
  DeliveriesListQuery,
  DeliveriesListAllQuery,
  DeliveriesProcessQueuedData,
  ReplaysListQuery,
  WebhookEventsListQuery,
  WebhookEventsDeleteQuery,
  WebhookEventsGetQuery,
  SyncsListQuery,
  UploadTokensListQuery,
  SetupLinksGetQuery,
  SetupLinksRevokeQuery,
  SetupLinksListOfProductQuery,
  SetupLinksListAllQuery,
  AuditLogListQuery,
  LimitsGetQuery,
  ApiKeysListQuery,
  HealthLiveData,
  HealthReadyData,
} from './types.ts';

/** The operations of the service, by area. The arguments of a call are the names in its path, then its body or query, then options. */
export interface Client {
  directories: {
    /**
     * List directories
     *
     * Lists the directories of a tenant and product, newest first.
     *
     * `GET /api/v1/directory-sync`
     */
    list(query: DirectoriesListQuery, options?: CallOptions): Promise<Result<ListedDirectory[], Pick<DirectoryPage, 'next_cursor'>>>;

    /**
     * Create a directory
     *
     * The response contains the SCIM address and the secret for the identity provider, and the secret that webhooks are signed
     * with.
     *
     * `POST /api/v1/directory-sync`
     */
    create(body: CreateDirectoryRequest, options?: CallOptions): Promise<Result<CreatedDirectory>>;

    /**
     * List the directories of a product
     *
     * Lists the directories of all tenants of a product, newest first.
     *
     * `GET /api/v1/directory-sync/product`
     */
    listOfProduct(
      query: DirectoriesListOfProductQuery,
      options?: CallOptions,
    ): Promise<Result<ListedDirectory[], Pick<DirectoryPage, 'next_cursor'>>>;

    /**
     * List all directories
     *
     * Lists the directories of all tenants and products, newest first.
     *
     * `GET /api/v1/directory-sync/all`
     */
    listAll(query?: DirectoriesListAllQuery, options?: CallOptions): Promise<Result<ListedDirectory[], Pick<DirectoryPage, 'next_cursor'>>>;

    /**
     * Get a directory
     *
     * Returns a directory with its health.
     *
     * `GET /api/v1/directory-sync/{directoryId}`
     *
     * @param directoryId The directory's ID.
     */
    get(directoryId: string, query?: DirectoriesGetQuery, options?: CallOptions): Promise<Result<DirectoryWithHealth>>;

    /**
     * Update a directory
     *
     * Changes the given fields. An empty `webhook_url` removes the webhook. `tenant`, `product` and `type` cannot be changed.
     *
     * `PATCH /api/v1/directory-sync/{directoryId}`
     *
     * @param directoryId The directory's ID.
     */
    update(directoryId: string, body: UpdateDirectoryRequest, options?: CallOptions): Promise<Result<Directory>>;

    /**
     * Delete a directory
     *
     * Deletes a directory with its users, groups and events, delivered or not. With `on_directory_delete: events` it is
     * deactivated, its state is `deleting`, and it is gone once the removals of its users and groups are delivered.
     *
     * `DELETE /api/v1/directory-sync/{directoryId}`
     *
     * @param directoryId The directory's ID.
     */
    delete(directoryId: string, query?: DirectoriesDeleteQuery, options?: CallOptions): Promise<Result<DeletedDirectory>>;

    /**
     * Rotate the SCIM secret
     *
     * Creates a new SCIM secret. The previous one stays valid for `overlap_seconds`, while you change it at the identity
     * provider.
     *
     * `POST /api/v1/directory-sync/{directoryId}/scim/secret/rotate`
     *
     * @param directoryId The directory's ID.
     */
    rotateScimSecret(directoryId: string, body?: RotateScimSecretRequest, options?: CallOptions): Promise<Result<RotatedScimSecret>>;

    /**
     * List recorded SCIM requests
     *
     * Lists the last 100 requests of the identity provider, newest first, without passwords, and their responses. With `user`,
     * lists the last 50 requests that concerned this user, however many others came since: those that are not among the last
     * 100 have no body.
     *
     * `GET /api/v1/directory-sync/{directoryId}/requests`
     *
     * @param directoryId The directory's ID.
     */
    requests(
      directoryId: string,
      query?: DirectoriesRequestsQuery,
      options?: CallOptions,
    ): Promise<Result<RecordedRequest[], Pick<RecordedRequestPage, 'next_cursor'>>>;

    /**
     * Get a recorded SCIM request
     *
     * Returns one of the last 100 requests of the identity provider, with its body, without passwords.
     *
     * `GET /api/v1/directory-sync/{directoryId}/requests/{requestId}`
     *
     * @param directoryId The directory's ID.
     * @param requestId The record's ID.
     */
    request(directoryId: string, requestId: string, options?: CallOptions): Promise<Result<RecordedRequest>>;

    /**
     * Count what happened in the last hours
     *
     * Counts pushes, events and failures of each of the last 24 hours, oldest first. The last one is not over.
     *
     * `GET /api/v1/directory-sync/{directoryId}/activity`
     *
     * @param directoryId The directory's ID.
     */
    activity(directoryId: string, options?: CallOptions): Promise<Result<DirectoriesActivityData>>;

    /**
     * Find drift
     *
     * Compares your users, groups or members with those of the directory, and returns the differences. Send your items in
     * pages, in the order of the bytes of the IDs (`order by id collate "C"` in Postgres). A hash is the SHA-256 of fields,
     * joined by newlines: of a user `id`, `email`, `first_name`, `last_name`, and `true` or `false` for `active`; of a group
     * `id` and `name`.
     *
     * `POST /api/v1/directory-sync/{directoryId}/reconcile`
     *
     * @param directoryId The directory's ID.
     */
    reconcile(directoryId: string, body: ReconcileRequest, options?: CallOptions): Promise<Result<Drift>>;
  };

  scimClients: {
    /**
     * List OAuth clients
     *
     * Lists the OAuth clients of a directory, newest first, including revoked and expired ones.
     *
     * `GET /api/v1/directory-sync/{directoryId}/scim/clients`
     *
     * @param directoryId The directory's ID.
     */
    list(
      directoryId: string,
      query?: ScimClientsListQuery,
      options?: CallOptions,
    ): Promise<Result<ScimClient[], Pick<ScimClientPage, 'next_cursor'>>>;

    /**
     * Create an OAuth client
     *
     * Returns the credentials with which the identity provider of the directory gets access tokens. The secret cannot be read
     * again. Create a second client before the first expires: several can be active.
     *
     * `POST /api/v1/directory-sync/{directoryId}/scim/clients`
     *
     * @param directoryId The directory's ID.
     */
    create(directoryId: string, body: CreateScimClientRequest, options?: CallOptions): Promise<Result<CreatedScimClient>>;

    /**
     * Get an OAuth client
     *
     * `GET /api/v1/directory-sync/{directoryId}/scim/clients/{clientId}`
     *
     * @param directoryId The directory's ID.
     * @param clientId The client's `client_id`.
     */
    get(directoryId: string, clientId: string, options?: CallOptions): Promise<Result<ScimClient>>;

    /**
     * Update an OAuth client
     *
     * Changes the name or the expiry. The secret cannot be changed: create another client.
     *
     * `PATCH /api/v1/directory-sync/{directoryId}/scim/clients/{clientId}`
     *
     * @param directoryId The directory's ID.
     * @param clientId The client's `client_id`.
     */
    update(directoryId: string, clientId: string, body: UpdateScimClientRequest, options?: CallOptions): Promise<Result<ScimClient>>;

    /**
     * Revoke an OAuth client
     *
     * Every process rejects the client and its access tokens within a second. It stays in the list. `warnings` says if the
     * directory now rejects every push.
     *
     * `DELETE /api/v1/directory-sync/{directoryId}/scim/clients/{clientId}`
     *
     * @param directoryId The directory's ID.
     * @param clientId The client's `client_id`.
     */
    revoke(directoryId: string, clientId: string, options?: CallOptions): Promise<Result<ScimClient>>;

    /**
     * Revoke the access tokens of an OAuth client
     *
     * Every process rejects the access tokens within a second. The client can get new ones.
     *
     * `DELETE /api/v1/directory-sync/{directoryId}/scim/clients/{clientId}/tokens`
     *
     * @param directoryId The directory's ID.
     * @param clientId The client's `client_id`.
     */
    revokeTokens(directoryId: string, clientId: string, options?: CallOptions): Promise<Result<ScimClient>>;
  };

  users: {
    /**
     * List users
     *
     * Lists users, newest first. All given filters must match. Specify `directory_id`, or `tenant` and `product` for all of
     * their directories. If all three are given, the directory must match.
     *
     * `GET /api/v1/directory-sync/users`
     */
    list(query?: UsersListQuery, options?: CallOptions): Promise<Result<User[], Pick<UserPage, 'next_cursor'>>>;

    /**
     * Get a user
     *
     * Specify `directory_id`, or `tenant` and `product` for all of their directories. If all three are given, the directory
     * must match.
     *
     * `GET /api/v1/directory-sync/users/{userId}`
     *
     * @param userId The user's ID.
     */
    get(userId: string, query?: UsersGetQuery, options?: CallOptions): Promise<Result<User>>;

    /**
     * List the groups of a user
     *
     * Lists the groups of which a user is a direct member, newest first. Specify `directory_id`, or `tenant` and `product` for
     * all of their directories. If all three are given, the directory must match.
     *
     * `GET /api/v1/directory-sync/users/{userId}/groups`
     *
     * @param userId The user's ID.
     */
    groups(userId: string, query?: UsersGroupsQuery, options?: CallOptions): Promise<Result<ListedGroup[], Pick<GroupPage, 'next_cursor'>>>;

    /**
     * Export a user
     *
     * Returns all data about one person: the user, its groups, and its events, deliveries and recorded requests. Send
     * `next_cursor` as `cursor` until it is null: a page may be empty. A deleted user may have events that are still kept.
     *
     * `GET /api/v1/directory-sync/{directoryId}/users/{userId}/export`
     *
     * @param directoryId The directory's ID.
     * @param userId The user's ID.
     */
    export(
      directoryId: string,
      userId: string,
      query?: UsersExportQuery,
      options?: CallOptions,
    ): Promise<Result<ExportedItem[], Pick<UserExportPage, 'next_cursor'>>>;

    /**
     * Get the erasure of a user
     *
     * The progress of the erasure. It is kept for 30 days after its end; the audit log keeps the certificate for longer.
     *
     * `GET /api/v1/directory-sync/{directoryId}/users/{userId}/erase`
     *
     * @param directoryId The directory's ID.
     * @param userId The user's ID.
     */
    getErasure(directoryId: string, userId: string, options?: CallOptions): Promise<Result<Erasure>>;

    /**
     * Erase a user
     *
     * Deletes a user, which emits `user.deleted`. Then erases the bodies of its events and deliveries, and the recorded
     * requests of the directory. The erasure continues in the background, even after a restart. The audit log gets a
     * certificate. An identity provider that pushes the person again creates a new user. If nothing of the person is left, the
     * last erasure is returned.
     *
     * `POST /api/v1/directory-sync/{directoryId}/users/{userId}/erase`
     *
     * @param directoryId The directory's ID.
     * @param userId The user's ID.
     */
    erase(directoryId: string, userId: string, options?: CallOptions): Promise<Result<Erasure>>;
  };

  groups: {
    /**
     * List groups
     *
     * Lists groups without their members, newest first. Specify `directory_id`, or `tenant` and `product` for all of their
     * directories. If all three are given, the directory must match.
     *
     * `GET /api/v1/directory-sync/groups`
     */
    list(query?: GroupsListQuery, options?: CallOptions): Promise<Result<ListedGroup[], Pick<GroupPage, 'next_cursor'>>>;

    /**
     * Get a group
     *
     * Returns a group with its members. A group with more than 100,000 members fails with 400: send `include_members=false`,
     * and list its members by page. Specify `directory_id`, or `tenant` and `product` for all of their directories. If all
     * three are given, the directory must match.
     *
     * `GET /api/v1/directory-sync/groups/{groupId}`
     *
     * @param groupId The group's ID.
     */
    get(groupId: string, query?: GroupsGetQuery, options?: CallOptions): Promise<Result<GroupWithMembers>>;

    /**
     * List the members of a group
     *
     * Lists the users in a group, newest first. The response has no `error`. Specify `directory_id`, or `tenant` and `product`
     * for all of their directories. If all three are given, the directory must match.
     *
     * `GET /api/v1/directory-sync/groups/{groupId}/members`
     *
     * @param groupId The group's ID.
     */
    members(groupId: string, query?: GroupsMembersQuery, options?: CallOptions): Promise<Result<Member[], { next_cursor: string | null }>>;

    /**
     * List the nested groups of a group
     *
     * Lists the groups that are members of a group, in the order in which they were added. Specify `directory_id`, or `tenant`
     * and `product` for all of their directories. If all three are given, the directory must match.
     *
     * `GET /api/v1/directory-sync/groups/{groupId}/nested-groups`
     *
     * @param groupId The group's ID.
     */
    nestedGroups(
      groupId: string,
      query?: GroupsNestedGroupsQuery,
      options?: CallOptions,
    ): Promise<Result<NestedGroup[], Pick<NestedGroupPage, 'next_cursor'>>>;
  };

  attributes: {
    /**
     * Get an attribute schema
     *
     * Returns the attributes that users of a product have in `custom_attributes`.
     *
     * `GET /api/v1/attribute-schemas`
     */
    getSchema(query: AttributesGetSchemaQuery, options?: CallOptions): Promise<Result<AttributeSchema>>;

    /**
     * Replace an attribute schema
     *
     * Replaces the attributes of a product, and computes those of its users in the background. Users whose attributes change
     * are told by `user.updated` with the reason `mapping`. An attribute that a mapping names cannot be removed, nor get
     * another type.
     *
     * `PUT /api/v1/attribute-schemas`
     */
    setSchema(body: AttributeSchemaRequest, options?: CallOptions): Promise<Result<AttributeSchema>>;

    /**
     * Get the mapping of a directory
     *
     * Returns where the attributes of a directory come from, and the progress of the last recomputation of its users.
     *
     * `GET /api/v1/directory-sync/{directoryId}/mapping`
     *
     * @param directoryId The directory's ID.
     */
    getMapping(directoryId: string, options?: CallOptions): Promise<Result<AttributeMapping>>;

    /**
     * Replace the mapping of a directory
     *
     * Replaces where the attributes of a directory come from, and computes those of its users in the background, also after a
     * restart. Users whose attributes change are told by `user.updated` with the reason `mapping`.
     *
     * `PUT /api/v1/directory-sync/{directoryId}/mapping`
     *
     * @param directoryId The directory's ID.
     */
    setMapping(directoryId: string, body: AttributeMappingRequest, options?: CallOptions): Promise<Result<AttributeMapping>>;

    /**
     * Preview a mapping
     *
     * Computes the attributes of the newest users with a mapping, without storing anything: what they are, what is missing,
     * and how many users would change. One preview runs at a time in a process: others wait.
     *
     * `POST /api/v1/directory-sync/{directoryId}/mapping/preview`
     *
     * @param directoryId The directory's ID.
     */
    preview(directoryId: string, body?: MappingPreviewRequest, options?: CallOptions): Promise<Result<MappingPreview>>;
  };

  roles: {
    /**
     * Get the role table of a directory
     *
     * Returns which roles the users of a directory have by their groups, and the progress of the last recomputation of its
     * users.
     *
     * `GET /api/v1/directory-sync/{directoryId}/roles`
     *
     * @param directoryId The directory's ID.
     */
    get(directoryId: string, options?: CallOptions): Promise<Result<RoleTable>>;

    /**
     * Replace the role table of a directory
     *
     * Replaces which roles follow from which groups, and computes those of all users in the background, also after a restart.
     * Users whose roles change are told by `user.updated` with the reason `mapping`. Later changes of groups and their members
     * have the same effect for the users that they concern.
     *
     * `PUT /api/v1/directory-sync/{directoryId}/roles`
     *
     * @param directoryId The directory's ID.
     */
    set(directoryId: string, body: RoleTableRequest, options?: CallOptions): Promise<Result<RoleTable>>;

    /**
     * Remove the role table of a directory
     *
     * Users have the roles again that the identity provider pushes. Those who look different are told by `user.updated` with
     * the reason `mapping`. A preview with `groups: null` says how many those are.
     *
     * `DELETE /api/v1/directory-sync/{directoryId}/roles`
     *
     * @param directoryId The directory's ID.
     */
    delete(directoryId: string, options?: CallOptions): Promise<Result<RoleTable>>;

    /**
     * Preview a role table
     *
     * Computes the roles of the newest users with a role table, or without one, and stores nothing: what they are, which
     * groups do not exist, and how many users would change. One preview runs at a time in a process: others wait.
     *
     * `POST /api/v1/directory-sync/{directoryId}/roles/preview`
     *
     * @param directoryId The directory's ID.
     */
    preview(directoryId: string, body?: RolePreviewRequest, options?: CallOptions): Promise<Result<RolePreview>>;
  };

  events: {
    /**
     * List events
     *
     * Reads the event feed of a directory, of a tenant and product, or of all directories, and can wait for new events. Keep
     * `list_metadata.after`, and send it as `after` in the next request.
     *
     * `GET /api/v1/events`
     */
    list(query?: EventsListQuery, options?: CallOptions): Promise<Result<DirectoryEvent[], Pick<EventPage, 'list_metadata'>>>;
  };

  deliveries: {
    /**
     * Get the delivery state
     *
     * Returns the state of a directory's delivery: its status, its backlog and the delivery that is due next.
     *
     * `GET /api/v1/directory-sync/{directoryId}/delivery`
     *
     * @param directoryId The directory's ID.
     */
    state(directoryId: string, options?: CallOptions): Promise<Result<DeliveryState>>;

    /**
     * Pause delivery
     *
     * Stops sending. Events are kept. Responds when no attempt is in flight any more, or after nine seconds with `settled` set
     * to false.
     *
     * `POST /api/v1/directory-sync/{directoryId}/pause`
     *
     * @param directoryId The directory's ID.
     */
    pause(directoryId: string, options?: CallOptions): Promise<Result<PausedDelivery>>;

    /**
     * Resume delivery
     *
     * Resumes with the pending events (`backlog`), or skips them (`now`). `from` is required when the delivery is disabled.
     *
     * `POST /api/v1/directory-sync/{directoryId}/resume`
     *
     * @param directoryId The directory's ID.
     */
    resume(directoryId: string, body?: ResumeRequest, options?: CallOptions): Promise<Result<DeliveryState>>;

    /**
     * List deliveries
     *
     * Lists the deliveries to a directory's webhook, newest first.
     *
     * `GET /api/v1/directory-sync/{directoryId}/deliveries`
     *
     * @param directoryId The directory's ID.
     */
    list(
      directoryId: string,
      query?: DeliveriesListQuery,
      options?: CallOptions,
    ): Promise<Result<Delivery[], Pick<DeliveryPage, 'next_cursor'>>>;

    /**
     * List the deliveries of all directories
     *
     * Lists the deliveries of all directories, or of a tenant or product. Those that wait for a retry or are given up come
     * first; then all others. Both are newest first. It is limited like a search over SCIM, except for pending deliveries.
     *
     * `GET /api/v1/deliveries`
     */
    listAll(
      query?: DeliveriesListAllQuery,
      options?: CallOptions,
    ): Promise<Result<DeliveryOfDirectory[], Pick<DeliveriesOfDirectoriesPage, 'next_cursor'>>>;

    /**
     * Get a delivery
     *
     * Returns a delivery with its body and all attempts.
     *
     * `GET /api/v1/directory-sync/{directoryId}/deliveries/{deliveryId}`
     *
     * @param directoryId The directory's ID.
     * @param deliveryId The `webhook-id` of the delivery.
     */
    get(directoryId: string, deliveryId: string, options?: CallOptions): Promise<Result<DeliveryWithAttempts>>;

    /**
     * Retry a delivery
     *
     * Retries a pending or exhausted delivery now.
     *
     * `POST /api/v1/directory-sync/{directoryId}/deliveries/{deliveryId}/retry`
     *
     * @param directoryId The directory's ID.
     * @param deliveryId The `webhook-id` of the delivery.
     */
    retry(directoryId: string, deliveryId: string, options?: CallOptions): Promise<Result<Delivery>>;

    /**
     * Wake pending deliveries
     *
     * Starts the delivery of every directory with pending events. In batch mode (`DSYNC_WEBHOOK_BATCH_SIZE`), events wait for
     * this call, or for the schedule of `DSYNC_WEBHOOK_BATCH_CRON_INTERVAL`. Without batch mode, deliveries start
     * automatically. Concurrent calls share the work.
     *
     * `POST /api/v1/directory-sync/cron/process-events`
     */
    processQueued(options?: CallOptions): Promise<Result<DeliveriesProcessQueuedData>>;
  };

  webhooks: {
    /**
     * Send a test event
     *
     * Sends a signed test event immediately, independently of pending events, and returns the response of the receiver.
     *
     * `POST /api/v1/directory-sync/{directoryId}/webhook/test`
     *
     * @param directoryId The directory's ID.
     */
    test(directoryId: string, options?: CallOptions): Promise<Result<SentTest>>;

    /**
     * Rotate the webhook secret
     *
     * Creates a new webhook secret. The previous one also signs for `overlap_seconds`, while you change it at the receiver.
     *
     * `POST /api/v1/directory-sync/{directoryId}/webhook/secret/rotate`
     *
     * @param directoryId The directory's ID.
     */
    rotateSecret(directoryId: string, body?: RotateWebhookSecretRequest, options?: CallOptions): Promise<Result<RotatedWebhookSecret>>;
  };

  replays: {
    /**
     * List replays
     *
     * Lists the replays of a directory, newest first.
     *
     * `GET /api/v1/directory-sync/{directoryId}/replays`
     *
     * @param directoryId The directory's ID.
     */
    list(directoryId: string, query?: ReplaysListQuery, options?: CallOptions): Promise<Result<Replay[], Pick<ReplayPage, 'next_cursor'>>>;

    /**
     * Create a replay
     *
     * Sends events again: one by its ID, sequence or delivery; all that failed or are missing; or a range of sequences or
     * times. New events are delivered first.
     *
     * `POST /api/v1/directory-sync/{directoryId}/replays`
     *
     * @param directoryId The directory's ID.
     */
    create(directoryId: string, body: ReplayRequest, options?: CallOptions): Promise<Result<ReplayDryRun | Replay>>;

    /**
     * Get a replay
     *
     * Returns a replay with its progress.
     *
     * `GET /api/v1/directory-sync/{directoryId}/replays/{replayId}`
     *
     * @param directoryId The directory's ID.
     * @param replayId The replay's ID.
     */
    get(directoryId: string, replayId: string, options?: CallOptions): Promise<Result<Replay>>;

    /**
     * Find a replay
     *
     * Returns a replay with its progress, without the ID of its directory.
     *
     * `GET /api/v1/directory-sync/replays/{replayId}`
     *
     * @param replayId The replay's ID.
     */
    find(replayId: string, options?: CallOptions): Promise<Result<Replay>>;

    /**
     * Cancel a replay
     *
     * Cancels a replay. An attempt in flight may still arrive.
     *
     * `POST /api/v1/directory-sync/{directoryId}/replays/{replayId}/cancel`
     *
     * @param directoryId The directory's ID.
     * @param replayId The replay's ID.
     */
    cancel(directoryId: string, replayId: string, options?: CallOptions): Promise<Result<Replay>>;
  };

  webhookEvents: {
    /**
     * List webhook events
     *
     * Lists the delivery log in the form of Ory Polis, newest first. Specify `directory_id`, or `tenant` and `product` for all
     * of their directories. If all three are given, the directory must match.
     *
     * `GET /api/v1/directory-sync/events`
     */
    list(query?: WebhookEventsListQuery, options?: CallOptions): Promise<Result<WebhookEvent[], Pick<WebhookEventPage, 'next_cursor'>>>;

    /**
     * Delete webhook events
     *
     * Deletes a directory's deliveries that have a final status. `directory_id` is required. Pending, exhausted and skipped
     * deliveries are kept.
     *
     * `DELETE /api/v1/directory-sync/events`
     */
    delete(query?: WebhookEventsDeleteQuery, options?: CallOptions): Promise<Result<null>>;

    /**
     * Get a webhook event
     *
     * Returns one entry of the delivery log in the form of Ory Polis. Specify `directory_id`, or `tenant` and `product` for
     * all of their directories. If all three are given, the directory must match.
     *
     * `GET /api/v1/directory-sync/events/{eventId}`
     *
     * @param eventId The `webhook-id`.
     */
    get(eventId: string, query?: WebhookEventsGetQuery, options?: CallOptions): Promise<Result<WebhookEvent>>;
  };

  syncs: {
    /**
     * Start a sync run
     *
     * Syncs a pulled directory now. `confirm` is the ID of a run whose removals wait for confirmation; you can also send it as
     * a query parameter.
     *
     * `POST /api/v1/directory-sync/{directoryId}/sync`
     *
     * @param directoryId The directory's ID.
     */
    start(directoryId: string, body?: SyncRequest, options?: CallOptions): Promise<Result<SyncRun>>;

    /**
     * List sync runs
     *
     * Lists the sync runs of a pulled directory, newest first.
     *
     * `GET /api/v1/directory-sync/{directoryId}/syncs`
     *
     * @param directoryId The directory's ID.
     */
    list(directoryId: string, query?: SyncsListQuery, options?: CallOptions): Promise<Result<SyncRun[], Pick<SyncRunPage, 'next_cursor'>>>;

    /**
     * Get a sync run
     *
     * Returns a sync run with its progress.
     *
     * `GET /api/v1/directory-sync/{directoryId}/syncs/{runId}`
     *
     * @param directoryId The directory's ID.
     * @param runId The sync run's ID.
     */
    get(directoryId: string, runId: string, options?: CallOptions): Promise<Result<SyncRun>>;

    /**
     * Cancel a sync run
     *
     * Cancels a sync run. Changes that it has made are kept. If the run needs a confirmation, its removals are refused:
     * nothing is changed, and its files, if it has read any, are discarded.
     *
     * `POST /api/v1/directory-sync/{directoryId}/syncs/{runId}/cancel`
     *
     * @param directoryId The directory's ID.
     * @param runId The sync run's ID.
     */
    cancel(directoryId: string, runId: string, options?: CallOptions): Promise<Result<SyncRun>>;

    /**
     * Start all sync runs
     *
     * Syncs every directory of type `google` now.
     *
     * `POST /api/v1/directory-sync/cron/sync-google`
     */
    startAll(options?: CallOptions): Promise<Result<StartedSyncs>>;

    /**
     * Start all sync runs of Entra ID
     *
     * Syncs every directory of type `entra` now.
     *
     * `POST /api/v1/directory-sync/cron/sync-entra`
     */
    startAllEntra(options?: CallOptions): Promise<Result<StartedSyncs>>;
  };

  uploadTokens: {
    /**
     * List upload tokens
     *
     * Lists the upload tokens of a directory, newest first, also those that are revoked or expired.
     *
     * `GET /api/v1/directory-sync/{directoryId}/upload-tokens`
     *
     * @param directoryId The directory's ID.
     */
    list(
      directoryId: string,
      query?: UploadTokensListQuery,
      options?: CallOptions,
    ): Promise<Result<UploadToken[], Pick<UploadTokenPage, 'next_cursor'>>>;

    /**
     * Create an upload token
     *
     * Returns a token with which a job uploads the files of this directory of type `csv`. It can do nothing else, and cannot
     * be read again.
     *
     * `POST /api/v1/directory-sync/{directoryId}/upload-tokens`
     *
     * @param directoryId The directory's ID.
     */
    create(directoryId: string, body: CreateUploadTokenRequest, options?: CallOptions): Promise<Result<CreatedUploadToken>>;

    /**
     * Revoke an upload token
     *
     * Every process rejects the token from now on. It stays in the list.
     *
     * `DELETE /api/v1/directory-sync/{directoryId}/upload-tokens/{tokenId}`
     *
     * @param directoryId The directory's ID.
     * @param tokenId The token's ID.
     */
    revoke(directoryId: string, tokenId: string, options?: CallOptions): Promise<Result<UploadToken>>;
  };

  google: {
    /**
     * Generate an authorization URL
     *
     * Returns the address at which an administrator authorizes the directory.
     *
     * `POST /api/v1/directory-sync/{directoryId}/google/authorization-url`
     *
     * @param directoryId The directory's ID.
     */
    generateAuthorizationUrl(directoryId: string, options?: CallOptions): Promise<Result<GoogleAuthorizationUrl>>;

    /**
     * Exchange a code for tokens
     *
     * Exchanges the code that Google sent back for tokens. They are not stored: send them to `google.setToken`.
     *
     * `POST /api/v1/directory-sync/{directoryId}/google/exchange`
     *
     * @param directoryId The directory's ID.
     */
    getAccessToken(directoryId: string, body: GoogleCodeRequest, options?: CallOptions): Promise<Result<GoogleTokens>>;

    /**
     * Set the tokens of a directory
     *
     * Stores the tokens of a directory and starts a sync run.
     *
     * `POST /api/v1/directory-sync/{directoryId}/google/token`
     *
     * @param directoryId The directory's ID.
     */
    setToken(directoryId: string, body: GoogleTokenRequest, options?: CallOptions): Promise<Result<Directory>>;
  };

  entra: {
    /**
     * Generate a consent URL
     *
     * Returns the address at which an administrator of the Entra tenant gives consent.
     *
     * `POST /api/v1/directory-sync/{directoryId}/entra/authorization-url`
     *
     * @param directoryId The directory's ID.
     */
    generateAuthorizationUrl(directoryId: string, options?: CallOptions): Promise<Result<EntraAuthorizationUrl>>;

    /**
     * Complete a consent
     *
     * Accepts the tenant and state that Microsoft sent back, and starts a sync run. A directory that has a tenant keeps it. A
     * narrowed key can only do this for a directory that has one.
     *
     * `POST /api/v1/directory-sync/{directoryId}/entra/tenant`
     *
     * @param directoryId The directory's ID.
     */
    setTenant(directoryId: string, body: EntraTenantRequest, options?: CallOptions): Promise<Result<Directory>>;
  };

  setupLinks: {
    /**
     * Get a setup link
     *
     * Finds a setup link by `id`, or by `tenant` and `product`.
     *
     * `GET /api/v1/directory-sync/setuplinks`
     */
    get(query?: SetupLinksGetQuery, options?: CallOptions): Promise<Result<SetupLink>>;

    /**
     * Create a setup link
     *
     * Returns an address at which an administrator of the customer sets up the directory. A tenant and product have one link.
     * A valid link is returned unchanged, unless `regenerate` is true. Also requires the scope `directories:write`. The link
     * can delete directories only if the API key can.
     *
     * `POST /api/v1/directory-sync/setuplinks`
     */
    create(body: CreateSetupLinkRequest, options?: CallOptions): Promise<Result<SetupLink>>;

    /**
     * Revoke a setup link
     *
     * Ends the setup link with this `id`, or of this `tenant` and `product`, immediately. What was set up with it stays.
     *
     * `DELETE /api/v1/directory-sync/setuplinks`
     */
    revoke(query?: SetupLinksRevokeQuery, options?: CallOptions): Promise<Result<Record<string, never>>>;

    /**
     * List the setup links of a product
     *
     * Lists the setup links of all tenants of a product, newest first, including expired ones.
     *
     * `GET /api/v1/directory-sync/setuplinks/product`
     */
    listOfProduct(
      query?: SetupLinksListOfProductQuery,
      options?: CallOptions,
    ): Promise<Result<SetupLink[], Pick<SetupLinkPage, 'next_cursor'>>>;

    /**
     * List all setup links
     *
     * Lists the setup links of all tenants and products, newest first. All given filters must match.
     *
     * `GET /api/v1/directory-sync/setuplinks/all`
     */
    listAll(query?: SetupLinksListAllQuery, options?: CallOptions): Promise<Result<SetupLink[], Pick<SetupLinkPage, 'next_cursor'>>>;
  };

  auditLog: {
    /**
     * List entries of the audit log
     *
     * Lists the entries of the audit log, newest first. Send `list_metadata.after` as `after` to get the next page. With
     * `order=asc`, the same cursor also returns entries that are added later.
     *
     * `GET /api/v1/audit-log`
     */
    list(query?: AuditLogListQuery, options?: CallOptions): Promise<Result<AuditEntry[], Pick<AuditPage, 'list_metadata'>>>;

    /**
     * Get both ends of the chain
     *
     * Returns the newest entry of the audit log with its hash, and the position where the log begins. `rollcall audit verify`
     * uses it.
     *
     * `GET /api/v1/audit-log/chain`
     */
    chain(options?: CallOptions): Promise<Result<AuditChain>>;
  };

  overview: {
    /**
     * Get an overview
     *
     * Counts the directories by health and the undelivered events, and lists the directories that need attention, failing ones
     * first.
     *
     * `GET /api/v1/overview`
     */
    get(options?: CallOptions): Promise<Result<Overview>>;
  };

  stats: {
    /**
     * Count directories
     *
     * `GET /api/v1/stats`
     */
    get(options?: CallOptions): Promise<Result<Stats>>;

    /**
     * Count the directories of products
     *
     * `POST /api/v1/stats/product`
     */
    ofProducts(body: StatsRequest, options?: CallOptions): Promise<Result<Stats>>;
  };

  limits: {
    /**
     * Get the rate limits of a project
     *
     * `GET /api/v1/limits`
     */
    get(query?: LimitsGetQuery, options?: CallOptions): Promise<Result<ProjectLimits>>;
  };

  apiKeys: {
    /**
     * List API keys
     *
     * Lists the API keys, newest first, including revoked ones. A narrowed key sees only keys that are narrowed at least as
     * far.
     *
     * `GET /api/v1/api-keys`
     */
    list(query?: ApiKeysListQuery, options?: CallOptions): Promise<Result<ApiKey[], Pick<ApiKeyPage, 'next_cursor'>>>;

    /**
     * Create an API key
     *
     * The response contains the key, which cannot be read again. A key can create only keys with no more scopes, tenants and
     * networks than its own, and no later expiry.
     *
     * `POST /api/v1/api-keys`
     */
    create(body: CreateApiKeyRequest, options?: CallOptions): Promise<Result<CreatedApiKey>>;

    /**
     * Get an API key
     *
     * `GET /api/v1/api-keys/{apiKeyId}`
     *
     * @param apiKeyId The API key's ID.
     */
    get(apiKeyId: string, options?: CallOptions): Promise<Result<ApiKey>>;

    /**
     * Update an API key
     *
     * Changes the given fields. You cannot change what the key is narrowed to. Takes effect within a second.
     *
     * `PATCH /api/v1/api-keys/{apiKeyId}`
     *
     * @param apiKeyId The API key's ID.
     */
    update(apiKeyId: string, body: UpdateApiKeyRequest, options?: CallOptions): Promise<Result<ApiKey>>;

    /**
     * Revoke an API key
     *
     * Every process rejects the key within a second. It stays in the list.
     *
     * `DELETE /api/v1/api-keys/{apiKeyId}`
     *
     * @param apiKeyId The API key's ID.
     */
    revoke(apiKeyId: string, options?: CallOptions): Promise<Result<ApiKey>>;

    /**
     * Rotate an API key
     *
     * Creates a new value. The previous one stays valid for `overlap_seconds`, while you change it where it is used.
     *
     * `POST /api/v1/api-keys/{apiKeyId}/rotate`
     *
     * @param apiKeyId The API key's ID.
     */
    rotate(apiKeyId: string, body?: RotateApiKeyRequest, options?: CallOptions): Promise<Result<RotatedApiKey>>;
  };

  sessions: {
    /**
     * Sign everyone out
     *
     * Ends all sessions, and deletes unused login links. Every process rejects them within a second. API keys stay valid.
     *
     * `DELETE /api/v1/sessions/all`
     */
    endAll(options?: CallOptions): Promise<Result<EndedSessions>>;

    /**
     * Create a login link
     *
     * The link signs in once, within ten minutes, with the rights of the API key that sends this request, and for as long as
     * the key is valid. A key has at most 20 unused links: a further one deletes the oldest.
     *
     * `POST /api/v1/login-links`
     */
    createLoginLink(options?: CallOptions): Promise<Result<LoginLink>>;
  };

  health: {
    /**
     * Check liveness
     *
     * Succeeds while the process runs.
     *
     * `GET /health/live`
     */
    live(options?: CallOptions): Promise<Result<HealthLiveData>>;

    /**
     * Check readiness
     *
     * Succeeds while the process can do its work.
     *
     * `GET /health/ready`
     */
    ready(options?: CallOptions): Promise<Result<HealthReadyData>>;
  };
}

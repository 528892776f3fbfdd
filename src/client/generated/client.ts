// Generated from the OpenAPI document by `npm run client`.
import type { CallOptions, Result } from '../result.ts';
import type {
  CreateDirectoryRequest,
  Delivery,
  DeliveryState,
  DeliveryWithAttempts,
  Directory,
  DirectoryEvent,
  DirectoryWithHealth,
  EventPage,
  GoogleAuthorizationUrl,
  GoogleCodeRequest,
  GoogleTokenRequest,
  GoogleTokens,
  Group,
  GroupWithMembers,
  Member,
  NestedGroup,
  PausedDelivery,
  ProjectLimits,
  RecordedRequest,
  Replay,
  ReplayDryRun,
  ReplayRequest,
  ResumeRequest,
  RotateScimSecretRequest,
  RotateWebhookSecretRequest,
  RotatedScimSecret,
  RotatedWebhookSecret,
  SentTest,
  StartedSyncs,
  Stats,
  StatsRequest,
  SyncRequest,
  SyncRun,
  UpdateDirectoryRequest,
  User,
  WebhookEvent,
  DirectoriesListQuery,
  DirectoriesListOfProductQuery,
  DirectoriesListAllQuery,
  DirectoriesRequestsQuery,
  UsersListQuery,
  UsersGetQuery,
  GroupsListQuery,
  GroupsGetQuery,
  GroupsMembersQuery,
  GroupsNestedGroupsQuery,
  EventsListQuery,
  DeliveriesListQuery,
  DeliveriesProcessQueuedData,
  ReplaysListQuery,
  WebhookEventsListQuery,
  WebhookEventsDeleteQuery,
  WebhookEventsGetQuery,
  SyncsListQuery,
  LimitsGetQuery,
  HealthLiveData,
  HealthReadyData,
} from './types.ts';

/** The operations of the service by area. A call takes what its path names, then its body or query, then options. */
export interface Client {
  directories: {
    /**
     * Lists the directories of a tenant and product, newest first.
     *
     * `GET /api/v1/directory-sync`
     */
    list(query: DirectoriesListQuery, options?: CallOptions): Promise<Result<Directory[]>>;

    /**
     * Creates a directory.
     *
     * The answer has the SCIM address and the secret to give to the provider, and the secret that webhooks are signed with.
     *
     * `POST /api/v1/directory-sync`
     */
    create(body: CreateDirectoryRequest, options?: CallOptions): Promise<Result<Directory>>;

    /**
     * Lists the directories of a product, of all tenants, newest first.
     *
     * `GET /api/v1/directory-sync/product`
     */
    listOfProduct(query: DirectoriesListOfProductQuery, options?: CallOptions): Promise<Result<Directory[]>>;

    /**
     * Lists all directories of the installation, newest first.
     *
     * `GET /api/v1/directory-sync/all`
     */
    listAll(query?: DirectoriesListAllQuery, options?: CallOptions): Promise<Result<Directory[]>>;

    /**
     * Reads a directory, with its health.
     *
     * `GET /api/v1/directory-sync/{directoryId}`
     *
     * @param directoryId The directory's id.
     */
    get(directoryId: string, options?: CallOptions): Promise<Result<DirectoryWithHealth>>;

    /**
     * Changes what is given of a directory.
     *
     * What is not given stays. An empty `webhook_url` takes the webhook away; tenant, product and type are fixed.
     *
     * `PATCH /api/v1/directory-sync/{directoryId}`
     *
     * @param directoryId The directory's id.
     */
    update(directoryId: string, body: UpdateDirectoryRequest, options?: CallOptions): Promise<Result<Directory>>;

    /**
     * Deletes a directory, with its users, groups and events, delivered or not.
     *
     * `DELETE /api/v1/directory-sync/{directoryId}`
     *
     * @param directoryId The directory's id.
     */
    delete(directoryId: string, options?: CallOptions): Promise<Result<Record<string, never>>>;

    /**
     * Gives a directory a new SCIM secret.
     *
     * The former one stays valid for a while, so that the provider can be given the new one in peace.
     *
     * `POST /api/v1/directory-sync/{directoryId}/scim/secret/rotate`
     *
     * @param directoryId The directory's id.
     */
    rotateScimSecret(directoryId: string, body?: RotateScimSecretRequest, options?: CallOptions): Promise<Result<RotatedScimSecret>>;

    /**
     * Lists what the provider really sent, newest first.
     *
     * The last hundred SCIM requests, without passwords, with what they were answered. `/scim-requests` is another name of it.
     *
     * `GET /api/v1/directory-sync/{directoryId}/requests`
     *
     * @param directoryId The directory's id.
     */
    requests(directoryId: string, query?: DirectoriesRequestsQuery, options?: CallOptions): Promise<Result<RecordedRequest[]>>;
  };

  users: {
    /**
     * Lists users, oldest first.
     *
     * Wants `tenant` and `product`, for all their directories, or `directoryId`, for one; if all are given, all must fit.
     *
     * `GET /api/v1/directory-sync/users`
     */
    list(query?: UsersListQuery, options?: CallOptions): Promise<Result<User[]>>;

    /**
     * Reads a user.
     *
     * Wants `tenant` and `product`, for all their directories, or `directoryId`, for one; if all are given, all must fit.
     *
     * `GET /api/v1/directory-sync/users/{userId}`
     *
     * @param userId The user's id.
     */
    get(userId: string, query?: UsersGetQuery, options?: CallOptions): Promise<Result<User>>;
  };

  groups: {
    /**
     * Lists groups, oldest first, without their members.
     *
     * Wants `tenant` and `product`, for all their directories, or `directoryId`, for one; if all are given, all must fit.
     *
     * `GET /api/v1/directory-sync/groups`
     */
    list(query?: GroupsListQuery, options?: CallOptions): Promise<Result<Group[]>>;

    /**
     * Reads a group with its members.
     *
     * Wants `tenant` and `product`, for all their directories, or `directoryId`, for one; if all are given, all must fit. A
     * group with more than 100,000 members is refused: read its members by page.
     *
     * `GET /api/v1/directory-sync/groups/{groupId}`
     *
     * @param groupId The group's id.
     */
    get(groupId: string, query?: GroupsGetQuery, options?: CallOptions): Promise<Result<GroupWithMembers>>;

    /**
     * Lists the users in a group, in the order in which they came.
     *
     * Wants `tenant` and `product`, for all their directories, or `directoryId`, for one; if all are given, all must fit. This
     * answer has no `error`.
     *
     * `GET /api/v1/directory-sync/groups/{groupId}/members`
     *
     * @param groupId The group's id.
     */
    members(groupId: string, query?: GroupsMembersQuery, options?: CallOptions): Promise<Result<Member[]>>;

    /**
     * Lists the groups in a group, in the order in which they came.
     *
     * Wants `tenant` and `product`, for all their directories, or `directoryId`, for one; if all are given, all must fit.
     *
     * `GET /api/v1/directory-sync/groups/{groupId}/nested-groups`
     *
     * @param groupId The group's id.
     */
    nestedGroups(groupId: string, query?: GroupsNestedGroupsQuery, options?: CallOptions): Promise<Result<NestedGroup[]>>;
  };

  events: {
    /**
     * Reads the feed of events, and waits for new ones if asked to.
     *
     * Of one directory, of all of a tenant and product, or of everybody. Keep `list_metadata.after`, and give it as `after`
     * the next time.
     *
     * `GET /api/v1/events`
     */
    list(query?: EventsListQuery, options?: CallOptions): Promise<Result<DirectoryEvent[], Pick<EventPage, 'list_metadata'>>>;
  };

  deliveries: {
    /**
     * Says how the delivery of a directory stands.
     *
     * `GET /api/v1/directory-sync/{directoryId}/delivery`
     *
     * @param directoryId The directory's id.
     */
    state(directoryId: string, options?: CallOptions): Promise<Result<DeliveryState>>;

    /**
     * Stops sending.
     *
     * It is answered when nothing is being sent any more, or after a while with `settled` false. Events wait.
     *
     * `POST /api/v1/directory-sync/{directoryId}/pause`
     *
     * @param directoryId The directory's id.
     */
    pause(directoryId: string, options?: CallOptions): Promise<Result<PausedDelivery>>;

    /**
     * Goes on sending.
     *
     * From the backlog, or from now, which passes over what waits. A delivery that has given up wants to be told which.
     *
     * `POST /api/v1/directory-sync/{directoryId}/resume`
     *
     * @param directoryId The directory's id.
     */
    resume(directoryId: string, body?: ResumeRequest, options?: CallOptions): Promise<Result<DeliveryState>>;

    /**
     * Lists what was sent to a webhook, newest first.
     *
     * `GET /api/v1/directory-sync/{directoryId}/deliveries`
     *
     * @param directoryId The directory's id.
     */
    list(directoryId: string, query?: DeliveriesListQuery, options?: CallOptions): Promise<Result<Delivery[]>>;

    /**
     * Reads a delivery, with its body and every attempt.
     *
     * `GET /api/v1/directory-sync/{directoryId}/deliveries/{deliveryId}`
     *
     * @param directoryId The directory's id.
     * @param deliveryId The `webhook-id` of the delivery.
     */
    get(directoryId: string, deliveryId: string, options?: CallOptions): Promise<Result<DeliveryWithAttempts>>;

    /**
     * Makes a delivery due now.
     *
     * One that is open, or one of a replay that has failed.
     *
     * `POST /api/v1/directory-sync/{directoryId}/deliveries/{deliveryId}/retry`
     *
     * @param directoryId The directory's id.
     * @param deliveryId The `webhook-id` of the delivery.
     */
    retry(directoryId: string, deliveryId: string, options?: CallOptions): Promise<Result<Delivery>>;

    /**
     * Wakes the delivery of every directory that has something to send.
     *
     * Nobody has to call it: deliveries wake by themselves. It is here for schedulers of the ancestor.
     *
     * `POST /api/v1/directory-sync/cron/process-events`
     */
    processQueued(options?: CallOptions): Promise<Result<DeliveriesProcessQueuedData>>;
  };

  webhooks: {
    /**
     * Sends a signed test event at once, beside the order, and shows the answer.
     *
     * `POST /api/v1/directory-sync/{directoryId}/webhook/test`
     *
     * @param directoryId The directory's id.
     */
    test(directoryId: string, options?: CallOptions): Promise<Result<SentTest>>;

    /**
     * Gives a webhook a new secret.
     *
     * The former one signs beside it for a while, so that the receiver can be given the new one in peace.
     *
     * `POST /api/v1/directory-sync/{directoryId}/webhook/secret/rotate`
     *
     * @param directoryId The directory's id.
     */
    rotateSecret(directoryId: string, body?: RotateWebhookSecretRequest, options?: CallOptions): Promise<Result<RotatedWebhookSecret>>;
  };

  replays: {
    /**
     * Lists the replays of a directory, newest first.
     *
     * `GET /api/v1/directory-sync/{directoryId}/replays`
     *
     * @param directoryId The directory's id.
     */
    list(directoryId: string, query?: ReplaysListQuery, options?: CallOptions): Promise<Result<Replay[]>>;

    /**
     * Sends events again.
     *
     * One by its id, sequence or delivery; all that failed or are missing; or a range of sequences or times.
     *
     * `POST /api/v1/directory-sync/{directoryId}/replays`
     *
     * @param directoryId The directory's id.
     */
    create(directoryId: string, body: ReplayRequest, options?: CallOptions): Promise<Result<ReplayDryRun | Replay>>;

    /**
     * Reads a replay, with its progress.
     *
     * `GET /api/v1/directory-sync/{directoryId}/replays/{replayId}`
     *
     * @param directoryId The directory's id.
     * @param replayId The replay's id.
     */
    get(directoryId: string, replayId: string, options?: CallOptions): Promise<Result<Replay>>;

    /**
     * Reads a replay whose directory is not at hand.
     *
     * `GET /api/v1/directory-sync/replays/{replayId}`
     *
     * @param replayId The replay's id.
     */
    find(replayId: string, options?: CallOptions): Promise<Result<Replay>>;

    /**
     * Ends a replay.
     *
     * What is being sent at that moment may still arrive.
     *
     * `POST /api/v1/directory-sync/{directoryId}/replays/{replayId}/cancel`
     *
     * @param directoryId The directory's id.
     * @param replayId The replay's id.
     */
    cancel(directoryId: string, replayId: string, options?: CallOptions): Promise<Result<Replay>>;
  };

  webhookEvents: {
    /**
     * Lists what was sent to webhooks, in the ancestor's form, newest first.
     *
     * Wants `tenant` and `product`, for all their directories, or `directoryId`, for one; if all are given, all must fit.
     *
     * `GET /api/v1/directory-sync/events`
     */
    list(query?: WebhookEventsListQuery, options?: CallOptions): Promise<Result<WebhookEvent[]>>;

    /**
     * Empties a directory's log of what is settled.
     *
     * What is open, has given up or was passed over stays.
     *
     * `DELETE /api/v1/directory-sync/events`
     */
    delete(query: WebhookEventsDeleteQuery, options?: CallOptions): Promise<Result<null>>;

    /**
     * Reads one entry of the log, in the ancestor's form.
     *
     * Wants `tenant` and `product`, for all their directories, or `directoryId`, for one; if all are given, all must fit.
     *
     * `GET /api/v1/directory-sync/events/{eventId}`
     *
     * @param eventId The `webhook-id`.
     */
    get(eventId: string, query?: WebhookEventsGetQuery, options?: CallOptions): Promise<Result<WebhookEvent>>;
  };

  syncs: {
    /**
     * Reads a hosted directory now.
     *
     * `confirm` names a run that waits for a person to confirm its removals. It may stand in the query too.
     *
     * `POST /api/v1/directory-sync/{directoryId}/sync`
     *
     * @param directoryId The directory's id.
     */
    start(directoryId: string, body?: SyncRequest, options?: CallOptions): Promise<Result<SyncRun>>;

    /**
     * Lists the runs of a hosted directory, newest first.
     *
     * `GET /api/v1/directory-sync/{directoryId}/syncs`
     *
     * @param directoryId The directory's id.
     */
    list(directoryId: string, query?: SyncsListQuery, options?: CallOptions): Promise<Result<SyncRun[]>>;

    /**
     * Reads a run, with its progress.
     *
     * `GET /api/v1/directory-sync/{directoryId}/syncs/{runId}`
     *
     * @param directoryId The directory's id.
     * @param runId The run's id.
     */
    get(directoryId: string, runId: string, options?: CallOptions): Promise<Result<SyncRun>>;

    /**
     * Ends a run.
     *
     * What it has changed stays changed.
     *
     * `POST /api/v1/directory-sync/{directoryId}/syncs/{runId}/cancel`
     *
     * @param directoryId The directory's id.
     * @param runId The run's id.
     */
    cancel(directoryId: string, runId: string, options?: CallOptions): Promise<Result<SyncRun>>;

    /**
     * Reads every hosted directory now.
     *
     * `POST /api/v1/directory-sync/cron/sync-google`
     */
    startAll(options?: CallOptions): Promise<Result<StartedSyncs>>;
  };

  google: {
    /**
     * Makes the address at which an administrator authorises a directory.
     *
     * `POST /api/v1/directory-sync/{directoryId}/google/authorization-url`
     *
     * @param directoryId The directory's id.
     */
    generateAuthorizationUrl(directoryId: string, options?: CallOptions): Promise<Result<GoogleAuthorizationUrl>>;

    /**
     * Exchanges the code that came back for tokens.
     *
     * It keeps nothing: give the tokens to the next operation.
     *
     * `POST /api/v1/directory-sync/{directoryId}/google/exchange`
     *
     * @param directoryId The directory's id.
     */
    getAccessToken(directoryId: string, body: GoogleCodeRequest, options?: CallOptions): Promise<Result<GoogleTokens>>;

    /**
     * Gives a directory its tokens, and has it read.
     *
     * `POST /api/v1/directory-sync/{directoryId}/google/token`
     *
     * @param directoryId The directory's id.
     */
    setToken(directoryId: string, body: GoogleTokenRequest, options?: CallOptions): Promise<Result<Directory>>;
  };

  stats: {
    /**
     * Counts directories.
     *
     * `GET /api/v1/stats`
     */
    get(options?: CallOptions): Promise<Result<Stats>>;

    /**
     * Counts the directories of some products.
     *
     * `POST /api/v1/stats/product`
     */
    ofProducts(body: StatsRequest, options?: CallOptions): Promise<Result<Stats>>;
  };

  limits: {
    /**
     * Shows what holds for a project.
     *
     * `GET /api/v1/limits`
     */
    get(query?: LimitsGetQuery, options?: CallOptions): Promise<Result<ProjectLimits>>;
  };

  health: {
    /**
     * Says that the process runs.
     *
     * `GET /health/live`
     */
    live(options?: CallOptions): Promise<Result<HealthLiveData>>;

    /**
     * Says whether the process can do its work.
     *
     * `GET /health/ready`
     */
    ready(options?: CallOptions): Promise<Result<HealthReadyData>>;
  };
}

import { createApiKeys } from '../access/api-keys.ts';
import { createAssertReaches } from '../access/assert-reaches.ts';
import type { InProcessCalls } from './in-process-calls.ts';
import type Koa from 'koa';
import type { Storage } from './storage.ts';
import { createAuthentication } from './authentication.ts';
import { type DeliveryOperationsParts, createDeliveryOperations } from './deliveries.ts';
import { type ApiIntakeParts, createApiIntake } from './intake.ts';
import { createSyncOperations } from './syncs.ts';
import type { Config } from '../config.ts';
import { createAudit } from '../audit/audit.ts';
import { createRefusals } from '../audit/refusals.ts';
import { createDirectories } from '../directory/directories/directories.ts';
import { createRoles } from '../directory/roles/roles.ts';
import { createAttributes } from '../directory/attributes/attributes.ts';
import type { RecomputeKey } from '../directory/attributes/ports.ts';
import { createRoleStore } from '../store/roles/role-store.ts';
import { createAttributeStore } from '../store/attributes/attribute-store.ts';
import type { UserKey } from '../directory/erasure/ports.ts';
import { createPersonalData } from '../directory/erasure/personal-data.ts';
import { createErasureStore } from '../store/erasures/erasure-store.ts';
import { createPersonExportStore } from '../store/erasures/person-export-store.ts';
import { createDirectoryReader } from '../directory/resources/directory-reader.ts';
import { createEventFeed } from '../directory/feed/event-feed.ts';
import { createFeedWatch } from '../directory/feed/feed-watch.ts';
import type { CommitMutations } from '../directory/intake/intake.ts';
import type { WakeDelivery } from '../directory/ports.ts';
import { createIssueToken } from '../directory/scim-clients/issue-token.ts';
import { createScimClients } from '../directory/scim-clients/scim-clients.ts';
import { createUploadTokens } from '../directory/upload-tokens/upload-tokens.ts';
import { createScimSecrets } from '../directory/directories/scim-secrets.ts';
import { emptyConnection, type PulledType } from '../directory/directories/directory.ts';
import type { Providers } from './syncs.ts';
import { createBodyLimits } from '../http/server/body/body-limits.ts';
import { AppError } from '../errors.ts';
import type { CheckReadiness } from '../http/deps.ts';
import { createScimLists } from '../http/scim/scim-lists.ts';
import { createScimReader } from '../http/scim/scim-reader.ts';
import { createApi, type ApiDeps } from '../http/create-api.ts';
import { createFailedAuthentications } from '../limits/failed-authentications.ts';
import { createNetworkMatcher } from '../limits/networks.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { createCursors } from '../scim/cursor.ts';
import { createListQueuedEvents } from '../store/deliveries/queued-events.ts';
import { createEventFeedStore } from '../store/event-feed/event-feed-store.ts';
import { translateOutages } from '../store/sql/outages.ts';
import { runDetached, runUntilAborted } from '../store/sql/statement-scope.ts';
import { createReconcile } from '../directory/drift/reconcile.ts';
import { createDriftStore } from '../store/drift/drift-store.ts';
import { createSnapshots } from '../directory/snapshots/snapshots.ts';
import { createSetupLinks } from '../directory/setup-links/setup-links.ts';
import { readBranding } from './branding.ts';
import { parseNetworks, findUrlProblem } from '../webhooks/address-guard.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import type { SyncsDeps } from '../directory/sync/syncs.ts';
import { createTemporalUi } from '../http/temporal-ui/temporal-ui.ts';
import { createReadPayloads } from '../temporal/read-payloads.ts';
import { createFailedAuthenticationErrors } from '../http/server/authenticate-api-key.ts';

export interface ApiParts
  extends Pick<DeliveryOperationsParts, 'deliverySignals' | 'webhookAgent'>, Pick<ApiIntakeParts, 'hourlyChanges' | 'watchIntake'> {
  config: Config;
  storage: Storage;
  orchestration: Orchestration;
  /** Unset without Temporal: no webhooks are delivered. */
  webhooks?: WebhookOrchestration | undefined;
  providers: Providers;
  allowedNetworks: string[];
  apiKeys: string[];
  /** The one of them with which the library calls the API inside its own process. */
  libraryKey?: string | undefined;
  metrics: Metrics;
  limiting: ApiDeps['limiting'];
  checkReadiness: CheckReadiness;
  baseUrl(): string;
  /** Where workflows can be seen by a browser that knows this service as `host`, unless a setting says so. */
  temporalUiUrl?: ((host: string) => string | undefined) | undefined;
  log: Logger;
}

export interface Api {
  app: Koa;
  /** Temporal's UI at `target`, for administrators. */
  createTemporalUi(target: string): Koa;
  /** What `rollcall/jackson` calls and no HTTP route has. */
  inProcess: InProcessCalls;
  /** Ends all requests that wait for events. */
  stopWaiting(): void;
  /** Logs and records the failed authentications that a summary would have listed. For the end, after the last request. */
  recordFailedAuthentications(): Promise<void>;
}

/** The HTTP API as a Koa application, without a server. */
export function createRollcallApi(parts: ApiParts): Api {
  const { config, storage, orchestration, webhooks, baseUrl, log } = parts;
  const { db, forCallers, directoryStore, scimSecretStore, apiKeyStore, users, groups } = storage;
  const scimClientStore = translateOutages(storage.scimClientStore, forCallers);
  const uploadTokenStore = translateOutages(storage.uploadTokenStore, forCallers);
  const networks = parseNetworks(parts.allowedNetworks);
  const eventFeedStore = translateOutages(createEventFeedStore(storage), forCallers);
  const feedWatch = createFeedWatch({
    store: { poll: (places) => runDetached(() => eventFeedStore.poll(places)) },
    maxWaitingPerFeed: config.eventWaitsPerDirectory,
  });
  const reader = createScimReader({ users, groups, baseUrl });
  /** Returns immediately. The sweep makes up for failures. */
  const soon = (work: (directoryId: string) => Promise<unknown>, failure: string) => (directoryId: string) =>
    void runDetached(() => work(directoryId)).catch((error: Error) => log.warn({ directoryId, error: toLoggableMessage(error) }, failure));
  const startRecomputeSoon = (key: RecomputeKey) =>
    soon(() => orchestration.startRecompute(key), 'could not start a recomputation')(key.directoryId);
  const roles = createRoles({ store: translateOutages(createRoleStore(db), forCallers), users, startRecomputeSoon });
  const wakeSoon = webhooks ? soon(webhooks.wakeDelivery, 'could not wake a delivery') : () => undefined;
  const wakeOperatorSoon = webhooks?.wakeOperatorSoon ?? (() => undefined);
  const { commitMutations } = orchestration;
  const { intake, isIntakeBusy } = createApiIntake({ ...parts, disk: storage.disk, commitMutations });

  const recordedRequests = translateOutages(storage.recordedRequests, forCallers);
  const directoryReader = createDirectoryReader({ directories: directoryStore, users, groups });
  const audit = createAudit({ store: storage.audit });
  const deliveryOperations = createDeliveryOperations({ ...parts, audit, wakeSoon, wakeOperatorSoon });
  const refusals = createRefusals({ record: (act) => runDetached(() => storage.audit.record(act)), log });
  const offersConsent = (type: PulledType) => parts.providers[type].checkSetup(emptyConnection) === undefined;
  const isTrustedProxy = createNetworkMatcher(config.trustedProxies);
  const authentication = createAuthentication(parts, parts.apiKeys);
  const failedAuthentications = createFailedAuthentications({
    ...config.authentication,
    onRejectedSecret: storage.recorder.recordRejectedSecret,
    metrics: parts.metrics,
    log,
  });

  const findWebhookUrlProblem = (url: string) => findUrlProblem(new URL(url), networks);
  const directories = createDirectories({
    store: directoryStore,
    wakeSoon,
    wakeOperatorSoon,
    deleteSoon: soon(orchestration.startDeletion, 'could not start a deletion'),
    runBatchesSoon: soon(orchestration.startBatches, 'could not start batches'),
    updateScheduleSoon: webhooks ? soon(webhooks.reconcileSchedule, 'could not update a schedule') : () => undefined,
    quotas: config.quotas,
    countSearches: (id) => storage.runRead.countSearches(id) + (storage.replica?.countSearches(id) ?? 0),
    hourlyChangesOf: parts.hourlyChanges?.useOf,
    growthErrorOf: storage.disk.growthError,
    findWebhookUrlProblem,
  });
  const scimSecrets = createScimSecrets({ store: translateOutages(scimSecretStore, forCallers) });

  const app = createApi({
    directories,
    directoryStore,
    noteSecretUse: (directoryId, secretId) =>
      soon((id) => scimSecretStore.noteUse(id, secretId), 'could not note that a secret was used')(directoryId),
    scimSecrets,
    scimClients: createScimClients({ store: scimClientStore, directories: directoryStore }),
    uploadTokens: createUploadTokens({
      store: uploadTokenStore,
      directories: directoryStore,
      noteUseSoon: ({ id, directoryId }) =>
        soon(() => uploadTokenStore.noteUse(directoryId, id), 'could not note that an upload token was used')(directoryId),
    }),
    maxFileBytes: config.csv.maxFileBytes,
    issueToken: createIssueToken({ store: scimClientStore, ttlMs: config.scimAccessTokenMs }),
    ...deliveryOperations,
    ...createSyncOperations({ ...parts, ...orchestration }),
    processEvents: webhooks?.processEvents ?? rejectProcessEvents,
    recordRequest: storage.recorder.record,
    responseMemory: storage.memory,
    runUntilAborted,
    recordedRequests,
    directoryReader,
    reconcile: createReconcile({ store: translateOutages(createDriftStore(storage)) }),
    snapshots: createSnapshots({
      store: storage.snapshotStore,
      recordAct: audit.record,
      isIntakeBusy,
      ...config.snapshots,
    }),
    personalData: createPersonalData({
      directories: directoryStore,
      users,
      erasures: translateOutages(createErasureStore(db), forCallers),
      exports: translateOutages(createPersonExportStore(storage), forCallers),
      getUser: (directoryId, publicId) => directoryReader.getUser({ directoryId }, publicId),
      listRequests: async (directoryId) => (await recordedRequests.list(directoryId, { offset: 0, limit: 100 })).resources,
      listForUser: recordedRequests.listForUser,
      recordAct: audit.record,
      startErasureSoon: (user) => soon(() => orchestration.startErasure(user), 'could not start an erasure')(user.directoryId),
    }),
    attributes: createAttributes({
      store: translateOutages(createAttributeStore(db), forCallers),
      users,
      startRecomputeSoon,
    }),
    roles,
    reader,
    lists: createScimLists({ reader, cursors: createCursors(storage.cursorSeal) }),
    eventFeed: createEventFeed({ store: eventFeedStore, watch: feedWatch }),
    intake,
    ...authentication,
    apiKeys: createApiKeys({ store: apiKeyStore, directories: directoryStore, invalidate: authentication.keyAuthentication.invalidate }),
    assertReaches: createAssertReaches(directoryStore),
    showsSecretsOnce: config.showsSecretsOnce,
    setupLinks: createSetupLinks({
      store: storage.setupLinkStore,
      roles,
      groups,
      directories,
      scimSecrets,
      ttlMs: config.setup.linkTtlMs,
      offersConsent,
      findWebhookUrlProblem,
    }),
    brandingOf: readBranding(config.setup.brandingFile),
    offersConsent,
    isTrustedProxy,
    audit,
    cursorSeal: storage.cursorSeal,
    attribution: {
      isTrustedProxy,
      libraryKey: parts.libraryKey,
      onRecorded: config.audit.emits ? wakeOperatorSoon : () => undefined,
    },
    ...createFailedAuthenticationErrors({ failures: failedAuthentications, refusals, isTrustedProxy }),
    baseUrl,
    temporalWorkflowsUrl: (host) => toWorkflowsUrl(config.temporal.uiUrl ?? parts.temporalUiUrl?.(host), config.temporal.namespace),
    maxBodyBytes: config.bodies.maxBodyBytes,
    bodies: createBodyLimits(config.bodies),
    mutationLimits: config.mutations,
    checkReadiness: parts.checkReadiness,
    metrics: parts.metrics,
    limiting: parts.limiting,
    log,
  });
  return {
    app,
    createTemporalUi: (target) =>
      createTemporalUi({
        target,
        sessionAuthentication: authentication.sessionAuthentication,
        isTrustedProxy,
        baseUrl,
        readPayloads: createReadPayloads(storage.keyring, config.temporal.namespace),
        log,
      }),
    inProcess: {
      submit: intake.submit,
      deliveryLog: deliveryOperations.deliveryLog,
      ...translateOutages({ listQueuedEvents: createListQueuedEvents(storage) }, forCallers),
    },
    stopWaiting: () => feedWatch.stop(),
    async recordFailedAuthentications() {
      failedAuthentications.logCounted();
      await refusals.stop();
    },
  };
}

const rejectProcessEvents = (): Promise<never> =>
  Promise.reject(
    new AppError(
      'invalid_request',
      'This process delivers no webhooks: start the library with deliverWebhooks: true, or with a temporalAddress, like temporalAddress: "127.0.0.1:7233".',
    ),
  );

/** Runs the work that outlives the request that asked for it: in workflows, or in this process. */
interface Orchestration extends Pick<SyncsDeps, 'startSync' | 'startSyncs' | 'cancelSync'> {
  commitMutations: CommitMutations;
  startDeletion(directoryId: string): Promise<void>;
  startBatches(directoryId: string): Promise<void>;
  startErasure(user: UserKey): Promise<void>;
  startRecompute(key: RecomputeKey): Promise<void>;
}

/** Webhooks and schedules. Only Temporal runs them. */
export interface WebhookOrchestration {
  wakeDelivery: WakeDelivery;
  processEvents(directoryIds: string[]): Promise<void>;
  /** Starts delivery of pending operator events. Returns immediately, and may fail silently: the sweep makes up for it. */
  wakeOperatorSoon(): void;
  /** Creates, changes or removes the schedule of a pulled directory. */
  reconcileSchedule(directoryId: string): Promise<void>;
}

const toWorkflowsUrl = (uiUrl: string | undefined, namespace: string): string | undefined =>
  uiUrl && `${uiUrl.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;

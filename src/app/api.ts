import type { Dispatcher } from 'undici';
import type Koa from 'koa';
import type { Storage } from './storage.ts';
import { composeSyncOperations } from './syncs.ts';
import type { Config } from '../config.ts';
import { createDeliveryLog } from '../directory/delivery/delivery-log.ts';
import { createDeliveryControl } from '../directory/delivery/operate-delivery.ts';
import { createReplays } from '../directory/delivery/replays.ts';
import { createDirectories } from '../directory/directories.ts';
import { createDirectoryReader } from '../directory/directory-reader.ts';
import { createEventFeed } from '../directory/event-feed/event-feed.ts';
import { createFeedCursors } from '../directory/event-feed/feed-cursor.ts';
import { createFeedWatch } from '../directory/event-feed/feed-watch.ts';
import { createIntake } from '../directory/intake.ts';
import type { HourlyChanges } from '../directory/hourly-changes.ts';
import { rejectWhileBacklogged } from '../directory/reject-while-backlogged.ts';
import type { Intake } from '../directory/ports.ts';
import type { DiskWatch } from './disk-watch.ts';
import { createScimSecrets } from '../directory/scim-secrets.ts';
import type { HostedProvider } from '../directory/sync/provider.ts';
import { createBodyLimits } from '../http/server/body/body-limits.ts';
import { AppError } from '../errors.ts';
import type { FindMissing } from '../http/deps.ts';
import { createCountFailedAuthentication } from '../http/server/count-failed-authentication.ts';
import { createScimLists } from '../http/scim/lists.ts';
import { createScimReader } from '../http/scim/reader.ts';
import { createApi, type ApiDeps } from '../http/create-api.ts';
import { createFailedAuthentications } from '../limits/failed-authentications.ts';
import { createNetworks } from '../limits/networks.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import type { Orchestration } from '../directory/orchestration.ts';
import { createCursors } from '../scim/cursor.ts';
import { createDeliveryLogStore } from '../store/deliveries/delivery-log.ts';
import { createDeliveryStore } from '../store/deliveries/delivery-store.ts';
import { createDeliveryControlStore } from '../store/deliveries/operate.ts';
import { createReplayStore } from '../store/deliveries/replays.ts';
import { createEventFeedStore } from '../store/event-feed/event-feed-store.ts';
import { tellingOutages } from '../store/outage.ts';
import { parseNetworks, refuseUrl } from '../webhooks/guard.ts';
import { createSender } from '../webhooks/send.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

export interface ApiParts {
  config: Config;
  storage: Storage;
  orchestration: Orchestration;
  /** Where changes go through Temporal. */
  hourlyChanges?: HourlyChanges;
  provider: HostedProvider;
  /** Through which webhooks go out. */
  webhookAgent: Dispatcher;
  allowedNetworks: string[];
  apiKeys: string[];
  metrics: Metrics;
  limiting: ApiDeps['limiting'];
  findMissing: FindMissing;
  /** Somebody may want to know what becomes of mutations. */
  watchIntake?: ((intake: Intake) => Intake) | undefined;
  baseUrl(): string;
  log: Logger;
}

export interface Api {
  app: Koa;
  /** Whoever waits for events waits no longer. */
  stopWaiting(): void;
}

/** The API, whoever serves it. */
export function composeApi(parts: ApiParts): Api {
  const { config, storage, orchestration, baseUrl, log } = parts;
  const { db, forCallers, secretColumns, tellOperator, directoryStore, scimSecretStore, users, groups } = storage;
  const networks = parseNetworks(parts.allowedNetworks);
  const inBatches = config.webhooks.batchSize !== undefined;
  const eventFeedStore = tellingOutages(createEventFeedStore(storage), forCallers);
  const feedWatch = createFeedWatch({ store: eventFeedStore, maxWaitingPerFeed: config.eventWaitsPerDirectory });
  const deliveryLogStore = tellingOutages(createDeliveryLogStore(storage), forCallers);
  const reader = createScimReader({ users, groups, baseUrl });
  /** Nobody waits for it, and the sweep makes up for what fails. */
  const soon = (work: (directoryId: string) => Promise<unknown>, failure: string) => (directoryId: string) =>
    void work(directoryId).catch((error: Error) => log.warn({ directoryId, error: toLoggableMessage(error) }, failure));
  const wakeSoon = soon(orchestration.wakeDelivery, 'could not wake a delivery');
  const tellOperatorSoon = () => {
    if (!config.webhooks.operator) return;
    orchestration
      .wakeOperator()
      .catch((error: Error) => log.warn({ error: toLoggableMessage(error) }, 'could not wake what tells the operator'));
  };
  const { hourlyChanges } = parts;
  const unlimited = createIntake({ apply: hourlyChanges?.count(orchestration.apply) ?? orchestration.apply, ...config.intake });
  const limited = hourlyChanges?.limit(unlimited) ?? unlimited;
  const intake = rejectWhileBacklogged(rejectWhileFull(limited, storage.disk), { onQuotaReached: parts.metrics.quotaReached });

  const app = createApi({
    directories: createDirectories({
      store: directoryStore,
      wakeSoon,
      tellOperatorSoon,
      deleteSoon: soon(orchestration.startDeletion, 'could not start a deletion'),
      keepScheduleSoon: soon(orchestration.keepSchedule, 'could not look after a schedule'),
      quotas: config.quotas,
      countSearches: storage.runRead.countSearches,
      hourlyChangesOf: hourlyChanges?.useOf,
      refuseWebhookUrl: (url) => refuseUrl(new URL(url), networks),
    }),
    directoryStore,
    noteSecretUse: (directoryId, secretId) =>
      soon((id) => scimSecretStore.noteUse(id, secretId), 'could not note that a secret was used')(directoryId),
    scimSecrets: createScimSecrets({ store: tellingOutages(scimSecretStore, forCallers) }),
    deliveries: tellingOutages(createDeliveryStore({ db, secretColumns, tellOperator, inBatches }), forCallers),
    ...composeSyncOperations({ ...parts, ...orchestration }),
    processEvents: orchestration.processEvents,
    deliveryLog: createDeliveryLog({ directories: directoryStore, log: deliveryLogStore }),
    replays: createReplays({
      directories: directoryStore,
      replays: tellingOutages(createReplayStore(db, config.quotas), forCallers),
      log: deliveryLogStore,
      wakeSoon,
    }),
    deliveryControl: createDeliveryControl({
      control: tellingOutages(createDeliveryControlStore({ db, secretColumns, tellOperator }), forCallers),
      log: deliveryLogStore,
      steer: orchestration.steer,
      send: createSender({ dispatcher: parts.webhookAgent }),
      tellOperatorSoon,
      sendTimeoutMs: config.webhooks.timeoutMs,
      inBatches,
    }),
    recordRequest: storage.recorder.record,
    responseMemory: storage.memory,
    recordedRequests: tellingOutages(storage.recordedRequests, forCallers),
    directoryReader: createDirectoryReader({ directories: directoryStore, users, groups }),
    reader,
    lists: createScimLists({ reader, cursors: createCursors(storage.cursorSeal) }),
    eventFeed: createEventFeed({ store: eventFeedStore, cursors: createFeedCursors(storage.cursorSeal), watch: feedWatch }),
    intake: parts.watchIntake?.(intake) ?? intake,
    apiKeys: parts.apiKeys,
    countFailedAuthentication: createCountFailedAuthentication({
      failures: createFailedAuthentications({ ...config.authentication, metrics: parts.metrics, log }),
      isTrustedProxy: createNetworks(config.trustedProxies),
    }),
    baseUrl,
    maxBodyBytes: config.bodies.maxBodyBytes,
    bodies: createBodyLimits(config.bodies),
    mutationLimits: config.mutations,
    findMissing: parts.findMissing,
    metrics: parts.metrics,
    limiting: parts.limiting,
    log,
  });
  return { app, stopWaiting: () => feedWatch.stop() };
}

/** What is accepted must be written: nothing is, while there is no room. Reads go on. */
function rejectWhileFull(intake: Intake, disk: Pick<DiskWatch, 'missing'>): Intake {
  return {
    submit(mutation, caller) {
      const missing = disk.missing();
      return missing === undefined ? intake.submit(mutation, caller) : Promise.reject(new AppError('unavailable', missing));
    },
  };
}

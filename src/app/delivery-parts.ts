import { Agent, type Dispatcher } from 'undici';
import type { Storage } from './storage.ts';
import type { Cleanup } from './with-cleanup.ts';
import { webhookConnectTimeoutMs } from './runtime.ts';
import type { Config } from '../config.ts';
import { createDeliveryLaneStarts } from '../directory/delivery/delivery-lane-starts.ts';
import type { HealthAlertStore } from '../directory/health/alerts.ts';
import { createDrainSlots } from '../directory/delivery/drain-slots.ts';
import type { DeliveryStore } from '../directory/delivery/ports.ts';
import { type RestartStalledDeps, restartStalled } from '../directory/delivery/restart-stalled.ts';
import { shareTurns } from '../directory/delivery/share-turns.ts';
import { createWorkerLease, type WorkerLeaseDeps } from '../directory/delivery/worker-lease.ts';
import type { Logger } from '../logger.ts';
import { createFairBytes } from '../shared/fair-bytes.ts';
import { limitConcurrency } from '../shared/semaphore.ts';
import { openDatabase } from '../store/database.ts';
import { createAnnounceRecovered } from '../store/deliveries/delivery-alerts.ts';
import { createAnnounceStale } from '../store/directories/stale-directories.ts';
import { createDeliveryStore } from '../store/deliveries/delivery-store.ts';
import { shareReads } from '../store/deliveries/read-events.ts';
import { createSequenceWatch } from '../store/deliveries/sequence-watch.ts';
import { createUnheldLanes, type UnheldLanes } from '../store/deliveries/unheld-lanes.ts';
import { createWorkerLeaseStore } from '../store/deliveries/worker-lease-store.ts';
import { createOperatorEventStore } from '../store/operator-events/operator-event-store.ts';
import { translateOutages } from '../store/sql/outages.ts';
import { createSendWebhook } from '../webhooks/send-webhook.ts';

interface DeliveryPartsOptions {
  config: Config;
  databaseUrl: string;
  storage: Storage;
  webhookAgent: Dispatcher;
  stopping: AbortSignal;
  log: Logger;
}

type Restarts = Pick<WorkerLeaseDeps, 'restartDrain'> & Omit<RestartStalledDeps, 'deliveries'>;

/** Deliveries leave some connections to changes and reads. */
const deliveryShare = (poolSize: number) => Math.max(1, Math.floor(poolSize * 0.7));

/** A directory with regular changes is woken once for many of them. */
const [quietMs, lingerMs] = [2_000, 600_000];
export const maxDrains = 4_000;
/** A statement that takes longer fails, so that the lease is renewed soon after an outage. */
const leaseTimeoutMs = 1_000;
/** Renewals never wait for other work. The second connection replaces the first one if that goes silent. */
const leasePool = { poolSize: 2, connectTimeoutMs: 2_000 };

/** What delivers webhooks and operator events, in activities or in this process. */
export function createDeliveryParts(options: DeliveryPartsOptions, restarts: Restarts, cleanup: Cleanup) {
  const { config, databaseUrl, storage, webhookAgent, stopping, log } = options;
  const { db, secretColumns, emitOperatorEvent } = storage;
  const { batchSize, operator, timeoutMs: webhookTimeoutMs, retryDelaysMs, legacySignatures } = config.webhooks;
  // The operator's own address may be private.
  const operatorAgent = new Agent({ connectTimeout: webhookConnectTimeoutMs });
  cleanup.add(() => operatorAgent.close());
  const inBatches = batchSize !== undefined;
  const limited = limitConcurrency(
    translateOutages({
      ...createDeliveryStore({ db, secretColumns, emitOperatorEvent, inBatches }),
      ...createUnheldLanes(db, { inBatches }),
    }),
    deliveryShare(config.database.poolSize),
  );
  const deliveries: DeliveryStore = { ...limited, concludeAndBeginAttempt: shareTurns(limited), readEvents: shareReads(limited) };
  const lanes: UnheldLanes = limited;
  const leaseDb = openDatabase(databaseUrl, { pooler: config.database.pooler, ...leasePool });
  cleanup.add(() => leaseDb.destroy());
  return {
    deliveries,
    lanes,
    deliveryLaneStarts: createDeliveryLaneStarts(deliveries),
    lease: createWorkerLease({
      store: translateOutages(createWorkerLeaseStore(db, leaseDb), { timeoutMs: leaseTimeoutMs }),
      restartDrain: restarts.restartDrain,
      restartSilent: (silentMs) => restartStalled({ deliveries, ...restarts }, silentMs),
      log,
    }),
    memory: createFairBytes({ maxBytes: config.webhooks.maxBytes }),
    watch: createSequenceWatch(db, stopping),
    slots: createDrainSlots(maxDrains),
    send: createSendWebhook({ dispatcher: webhookAgent, legacySignatures }),
    batchSize,
    quietMs,
    lingerMs,
    webhookTimeoutMs,
    retryDelaysMs,
    operatorEvents: translateOutages(createOperatorEventStore(db)),
    operator,
    healthAlerts:
      operator &&
      translateOutages<HealthAlertStore>({
        announceRecovered: createAnnounceRecovered(db, deliveries.announceRecovery),
        announceStale: createAnnounceStale(db, emitOperatorEvent, config.staleAfterMs),
      }),
    sendToOperator: createSendWebhook({ dispatcher: operatorAgent, legacySignatures }),
  };
}

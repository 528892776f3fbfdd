import type { Dispatcher } from 'undici';
import type { Audit } from '../audit/audit.ts';
import type { Config } from '../config.ts';
import { createDeliveryLog } from '../directory/delivery/delivery-log.ts';
import { type DeliverySignals, createDeliveryControl } from '../directory/delivery/delivery-control.ts';
import { createReplays } from '../directory/delivery/replays.ts';
import type { HttpDeps } from '../http/deps.ts';
import { createDeliveryControlStore } from '../store/deliveries/delivery-control-store.ts';
import { createDeliveryLogStore } from '../store/deliveries/delivery-log-store.ts';
import { createDeliveryStore } from '../store/deliveries/delivery-store.ts';
import { createReplayStore } from '../store/deliveries/replay-store.ts';
import { translateOutages } from '../store/sql/outages.ts';
import { createSendWebhook } from '../webhooks/send-webhook.ts';
import type { Storage } from './storage.ts';

export interface DeliveryOperationsParts {
  config: Config;
  storage: Storage;
  deliverySignals: DeliverySignals;
  /** Sends webhooks. */
  webhookAgent: Dispatcher;
  audit: Audit;
  wakeSoon(directoryId: string): void;
  wakeOperatorSoon(): void;
}

/** The operations on deliveries and replays. */
export function createDeliveryOperations(
  parts: DeliveryOperationsParts,
): Pick<HttpDeps, 'deliveries' | 'deliveryLog' | 'replays' | 'deliveryControl'> {
  const { config, storage, audit, wakeSoon, wakeOperatorSoon } = parts;
  const { db, forCallers, secretColumns, emitOperatorEvent, directoryStore } = storage;
  const { batchSize, legacySignatures } = config.webhooks;
  const inBatches = batchSize !== undefined;
  const log = translateOutages(createDeliveryLogStore(storage), forCallers);
  return {
    deliveries: translateOutages(createDeliveryStore({ db, secretColumns, emitOperatorEvent, inBatches }), forCallers),
    deliveryLog: createDeliveryLog({ directories: directoryStore, log }),
    replays: createReplays({
      directories: directoryStore,
      replays: translateOutages(createReplayStore({ db, runRead: storage.runRead, limits: config.quotas }), forCallers),
      log,
      wakeSoon,
    }),
    deliveryControl: createDeliveryControl({
      control: translateOutages(createDeliveryControlStore({ db, secretColumns, emitOperatorEvent }), forCallers),
      log,
      signals: parts.deliverySignals,
      send: createSendWebhook({ dispatcher: parts.webhookAgent, legacySignatures }),
      legacySignatures,
      wakeOperatorSoon,
      recordAct: audit.record,
      sendTimeoutMs: config.webhooks.timeoutMs,
      inBatches,
    }),
  };
}

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Knex } from 'knex';
import { applyInTransaction } from '../../src/directory/changes/apply-to-directory.ts';
import { drainDeliveries, type DrainDeps, type DrainRun } from '../../src/directory/delivery/drain-deliveries.ts';
import { createDrainSlots } from '../../src/directory/delivery/drain-slots.ts';
import { createDeliveryLaneStarts } from '../../src/directory/delivery/delivery-lane-starts.ts';
import type { DeliveryStore, SendRequest, SendResult } from '../../src/directory/delivery/ports.ts';
import { newId } from '../../src/ids.ts';
import { createKeyring } from '../../src/keyring.ts';
import { createChangeStore } from '../../src/store/changes/change-store.ts';
import { createDeliveryStore } from '../../src/store/deliveries/delivery-store.ts';
import { createFairBytes } from '../../src/shared/fair-bytes.ts';
import { createEmitOperatorEvent } from '../../src/store/operator-events/operator-event-store.ts';
import { createSecretColumns } from '../../src/store/encryption/secret-columns.ts';
import { createSequenceWatch } from '../../src/store/deliveries/sequence-watch.ts';
import { cloneDatabase } from './database.ts';

/** A process whose lease never lapses. */
export const lease: DrainDeps['lease'] = { workerId: newId(), hold: () => Promise.resolve(() => false), release: () => undefined };
export const holder = { workerId: lease.workerId, activityId: '1' };

interface SentEvent {
  sequence: number;
}
type FakeResult = Partial<SendResult> | number;

interface Drained {
  db: Knex;
  url: string;
  store: DeliveryStore;
  directoryId: string;
  sent: (SendRequest & { sequences: number[] })[];
  /** The receiver's response. Default: 200. */
  respond: (sequences: number[], count: number) => FakeResult | Promise<FakeResult>;
}

/** A directory per test, in a database per file, with a receiver that is called without a network. */
export function setUpDrain() {
  const drained = {} as Drained;
  let dropDatabase: () => Promise<void>;
  const secretColumns = createSecretColumns(createKeyring([randomBytes(32)]));
  const createStore = (db: Knex) =>
    createDeliveryStore({ db, secretColumns, emitOperatorEvent: createEmitOperatorEvent({ isHeard: true }), inBatches: true });
  beforeAll(async () => {
    const database = await cloneDatabase();
    const { db, url } = database;
    Object.assign(drained, { db, url, store: createStore(db) });
    dropDatabase = database.drop;
  });
  afterAll(() => dropDatabase());
  beforeEach(async () => {
    const directoryId = newId();
    Object.assign(drained, { directoryId, sent: [], respond: () => 200 } satisfies Partial<Drained>);
    await drained
      .db('directories')
      .insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2', log_webhook_events: true });
    await drained.db('webhook_endpoints').insert({ id: newId(), directory_id: directoryId, url: 'http://127.0.0.1:1/' });
  });

  const push = (count: number, more: object = {}) =>
    applyInTransaction(
      createChangeStore(drained.db),
      drained.directoryId,
      Array.from({ length: count }, () => {
        const resourceId = newId();
        return {
          kind: 'createUser',
          id: newId(),
          directoryId: drained.directoryId,
          resourceId,
          resource: { userName: resourceId, ...more },
        } as const;
      }),
    );

  const drain = (deps: Partial<DrainDeps> = {}, run: Partial<DrainRun> = {}) =>
    drainDeliveries(
      {
        store: drained.store,
        deliveryLaneStarts: createDeliveryLaneStarts(drained.store),
        memory: createFairBytes({ maxBytes: 67_108_864 }),
        watch: createSequenceWatch(drained.db),
        send: async (request) => {
          const body = JSON.parse(request.body) as SentEvent | SentEvent[];
          const sequences = [body].flat().map(({ sequence }) => sequence);
          drained.sent.push({ ...request, sequences });
          const response = await drained.respond(sequences, drained.sent.length);
          const { statusCode, ...more } = typeof response === 'number' ? { statusCode: response } : { statusCode: undefined, ...response };
          const outcome = statusCode !== undefined && statusCode < 300 ? 'success' : 'http_error';
          return {
            outcome,
            ...(statusCode !== undefined && { statusCode }),
            details: { requestHeaders: {}, timings: { totalMs: 1 } },
            ...more,
          };
        },
        retryDelaysMs: [1_000, 1_000, 1_000],
        random: () => 0.5,
        batchSize: undefined,
        quietMs: deps.lingerMs ?? 0,
        lingerMs: 0,
        lease,
        slots: createDrainSlots(1_000),
        ...deps,
      },
      drained.directoryId,
      { activityId: holder.activityId, signal: new AbortController().signal, budgetMs: 60_000, timeoutMs: 1_000, ...run },
    );
  /** Drains as if the next attempt were due. */
  const drainNow = async (deps: Partial<DrainDeps> = {}) => {
    await drained
      .db('webhook_batches')
      .where({ directory_id: drained.directoryId, status: 'pending' })
      .update({ next_attempt_at: new Date(0) });
    return drain(deps);
  };
  const sequences = () => drained.sent.map((request) => request.sequences);
  const endpoint = () => drained.db('webhook_endpoints').where({ directory_id: drained.directoryId }).first();

  return Object.assign(drained, { createStore, push, drain, drainNow, sequences, endpoint });
}

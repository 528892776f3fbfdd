import type { Knex } from 'knex';
import type { DeliveryStore, SendResult } from '../../directory/delivery/ports.ts';
import { type HealthAlertStore, isAlertDue } from '../../directory/health/alerts.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';

/**
 * An episode begins with a failure that the operator is told of (`alerted_at`), and ends with the next acknowledged webhook. Whoever changes
 * `alerted_at` has the row's lock and stores the event in the same transaction, so each is stored once.
 */
const setAlerted = (trx: Knex.Transaction) => ({ alerted_at: trx.raw('coalesce(alerted_at, clock_timestamp())') });

interface FailingRow {
  failures: number;
  failing_ms: number;
  first_failure_at: Date;
}

/** Tells the operator that deliveries fail, once per episode. The caller has counted the failure, and has the lock of the endpoint. */
export async function announceFailing(
  trx: Knex.Transaction,
  emitOperatorEvent: EmitOperatorEvent,
  directoryId: string,
  { error, statusCode }: Pick<SendResult, 'error' | 'statusCode'>,
): Promise<boolean> {
  const row = await trx('webhook_endpoints')
    .where({ directory_id: directoryId, alerted_at: null })
    .whereNotNull('first_failure_at')
    .first<FailingRow | undefined>(
      'first_failure_at',
      'consecutive_failures as failures',
      trx.raw('cast(extract(epoch from clock_timestamp() - first_failure_at) * 1000 as float8) as failing_ms'),
    );
  if (!row || !isAlertDue({ failures: row.failures, failingMs: row.failing_ms })) return false;
  await trx('webhook_endpoints').where({ directory_id: directoryId }).update(setAlerted(trx));
  await emitOperatorEvent(trx, 'dsync.delivery.failing', directoryId, {
    reason: error,
    status: statusCode ?? null,
    failing_since: row.first_failure_at.toISOString(),
    consecutive_failures: row.failures,
  });
  return true;
}

/** Tells the operator that the delivery was disabled. The caller has disabled it, and has the lock of the endpoint. */
export async function announceDisabled(
  trx: Knex.Transaction,
  emitOperatorEvent: EmitOperatorEvent,
  directoryId: string,
  reason: string,
): Promise<void> {
  await trx('webhook_endpoints').where({ directory_id: directoryId }).update(setAlerted(trx));
  await emitOperatorEvent(trx, 'dsync.delivery.disabled', directoryId, { reason });
  await emitOperatorEvent(trx, 'dsync.webhook_disabled', directoryId, { reason });
}

/** A resume or a new address clears `first_failure_at` too, but only a webhook that was acknowledged since is a recovery. */
const hasRecovered = 'first_failure_at is null and last_success_at > alerted_at';

export const createAnnounceRecovery =
  (db: Knex, emitOperatorEvent: EmitOperatorEvent): DeliveryStore['announceRecovery'] =>
  (directoryId) =>
    db.transaction(async (trx) => {
      // The lock makes a second caller wait, who then finds that it is announced.
      const row = await trx('webhook_endpoints')
        .where({ directory_id: directoryId })
        .whereRaw(hasRecovered)
        .forUpdate()
        .first<{ alerted_at: Date } | undefined>('alerted_at');
      if (!row) return false;
      await trx('webhook_endpoints').where({ directory_id: directoryId }).update({ alerted_at: null });
      await emitOperatorEvent(trx, 'dsync.delivery.recovered', directoryId, { alerted_at: row.alerted_at.toISOString() });
      return true;
    });

export const createAnnounceRecovered =
  (db: Knex, announceRecovery: DeliveryStore['announceRecovery']): HealthAlertStore['announceRecovered'] =>
  async (limit) => {
    const rows = await db('webhook_endpoints').whereRaw(hasRecovered).limit(limit).select<{ directory_id: string }[]>('directory_id');
    let announced = 0;
    for (const { directory_id: directoryId } of rows) if (await announceRecovery(directoryId)) announced += 1;
    return announced;
  };

import type { Knex } from 'knex';
import type { DeliveryStore, Failure, DeliveryLane, SentAttempt } from '../../directory/delivery/ports.ts';
import { addFailedAttempt } from '../activity/directory-hours.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import { type AddressColumns, type SecretColumns, openAddress } from '../encryption/secret-columns.ts';
import { attemptBytesOf, conclusionBindings, conclusionColumns, deliveryBytes } from './attempt-conclusion.ts';
import { announceDisabled, announceFailing } from './delivery-alerts.ts';
import { lockLane } from './lock-endpoint.ts';

export const createRecordFailure =
  (db: Knex, secretColumns: SecretColumns, emitOperatorEvent: EmitOperatorEvent): DeliveryStore['recordFailure'] =>
  (lane, concluded, failure) =>
    db.transaction(async (trx) => {
      if (!(await resetStarts(trx, lane))) return 'superseded';
      const { delivery, number, logged } = concluded.attempt;
      await trx.raw(
        `update webhook_attempts set ${conclusionColumns(logged)} where directory_id = :directoryId and batch_id = :batchId and number = :number`,
        { directoryId: lane.directoryId, batchId: delivery.id, number, ...conclusionBindings(concluded) },
      );
      await trx.raw(
        `update webhook_endpoints set log_bytes = log_bytes + :bytes ${failure.kind === 'split' ? `+ ${deliveryBytes(logged, ':batchId')}` : ''}
         where directory_id = :directoryId and id = :endpointId`,
        { ...lane, batchId: delivery.id, bytes: attemptBytesOf(concluded) },
      );
      if (await hasWebhookChanged(trx, secretColumns, lane, concluded.attempt)) {
        await updateDelivery(trx, lane, delivery, { next_attempt_at: trx.raw('clock_timestamp()') });
        return 'moved';
      }
      await settle(trx, lane, delivery, failure);
      if (failure.kind !== 'retry' || failure.counts) await addFailedAttempt(trx, lane.directoryId);
      if (delivery.kind === 'replay' || (failure.kind === 'retry' && !failure.counts)) return 'kept';
      if (failure.kind === 'disable') {
        await announceDisabled(trx, emitOperatorEvent, lane.directoryId, failure.reason);
        return 'alerted';
      }
      return (await announceFailing(trx, emitOperatorEvent, lane.directoryId, concluded.result)) ? 'alerted' : 'kept';
    });

/** If the address or secret has changed during the attempt, its failure must not count against the new webhook. */
async function hasWebhookChanged(
  trx: Knex.Transaction,
  secretColumns: SecretColumns,
  { directoryId, endpointId }: DeliveryLane,
  { url, secrets }: SentAttempt,
): Promise<boolean> {
  const endpoint = await trx('webhook_endpoints')
    .where({ directory_id: directoryId, id: endpointId })
    .first<AddressColumns>('url', 'sealed_url');
  const newest = await trx('webhook_secrets')
    .where({ directory_id: directoryId, endpoint_id: endpointId })
    .orderBy('created_at', 'desc')
    .first<{ id: string } | undefined>('id');
  return openAddress(secretColumns, directoryId, endpoint) !== url || newest?.id !== secrets[0]?.id;
}

async function settle(trx: Knex.Transaction, lane: DeliveryLane, delivery: SentAttempt['delivery'], failure: Failure): Promise<void> {
  const now = trx.raw('clock_timestamp()');
  const failing = {
    first_failure_at: trx.raw('coalesce(first_failure_at, clock_timestamp())'),
    consecutive_failures: trx.raw('case when first_failure_at is null then 1 else consecutive_failures + 1 end'),
  };
  // The flag stays set while nothing can be delivered, so that changes do not wake the delivery.
  const wakeSet = { wake: true, wake_at: now };
  switch (failure.kind) {
    case 'retry':
      await updateDelivery(trx, lane, delivery, {
        next_attempt_at: trx.raw(`clock_timestamp() + ? * interval '1 millisecond'`, [failure.delayMs]),
        ...(failure.counts && { failures: trx.raw('failures + 1'), client_errors: failure.clientError ? trx.raw('client_errors + 1') : 0 }),
      });
      if (delivery.kind === 'replay' || !failure.counts) return;
      return updateEndpoint(trx, lane, {
        ...failing,
        ...wakeSet,
        ...(failure.batchLimit !== undefined && { batch_limit: failure.batchLimit }),
      });
    case 'split':
      await updateDelivery(trx, lane, delivery, { status: 'split', done_at: now, body: trx.raw('case when logged then body end') });
      return updateEndpoint(trx, lane, { ...failing, batch_limit: failure.batchLimit, suspect_until: delivery.toSequence });
    case 'disable':
      await updateDelivery(trx, lane, delivery, { failures: trx.raw('failures + 1'), ...(failure.exhausted && { status: 'exhausted' }) });
      return updateEndpoint(trx, lane, { ...failing, ...wakeSet, status: failure.status, status_reason: failure.reason, updated_at: now });
    case 'give-up':
      // A delivery that was canceled in the meantime stays canceled.
      await trx('webhook_batches')
        .where({ directory_id: lane.directoryId, id: delivery.id, status: 'pending' })
        .update({ status: 'exhausted', done_at: now, failures: trx.raw('failures + 1') });
      await trx('webhook_replays')
        .where({ directory_id: lane.directoryId, id: delivery.replayId, status: 'running' })
        .update({ status: 'failed', status_reason: failure.reason, finished_at: now });
  }
}

const updateDelivery = (trx: Knex.Transaction, { directoryId }: DeliveryLane, { id }: SentAttempt['delivery'], change: object) =>
  trx('webhook_batches').where({ directory_id: directoryId, id }).update(change);

async function updateEndpoint(trx: Knex.Transaction, { directoryId, endpointId }: DeliveryLane, change: object): Promise<void> {
  await trx('webhook_endpoints').where({ directory_id: directoryId, id: endpointId }).update(change);
}

/** `starts` of an endpoint counts the starts of its lane since the last concluded attempt. */
export const countStart =
  (db: Knex): DeliveryStore['countStart'] =>
  async ({ directoryId, endpointId, epoch }) =>
    (await db('webhook_endpoints').where({ directory_id: directoryId, id: endpointId, epoch }).increment('starts', 1)) > 0;

export const uncountStarts =
  (db: Knex): DeliveryStore['uncountStarts'] =>
  async (starts) => {
    await db.raw(
      `update webhook_endpoints e
       set starts = greatest(e.starts - given.starts, case when given.epoch < e.epoch then 1 else 0 end)
       from (
         select directory_id, count(*) as starts, max(epoch) as epoch
         from unnest(cast(:directoryIds as uuid[]), cast(:epochs as float8[])) as start(directory_id, epoch) group by directory_id
       ) given
       where e.directory_id = given.directory_id and e.starts > 0`,
      { directoryIds: starts.map(({ directoryId }) => directoryId), epochs: starts.map(({ epoch }) => epoch ?? Infinity) },
    );
  };

/** Locks the lane as `lockLane` does, and resets its starts: the process has survived an attempt. */
const resetStarts = async (trx: Knex.Transaction, { directoryId, endpointId, epoch }: DeliveryLane): Promise<boolean> =>
  (await trx('webhook_endpoints').where({ directory_id: directoryId, id: endpointId, epoch }).update({ starts: 0 })) > 0;

export const createDisable =
  (db: Knex, emitOperatorEvent: EmitOperatorEvent): DeliveryStore['disable'] =>
  (lane, reason) =>
    db.transaction(async (trx) => {
      if (!(await lockLane(trx, lane))) return false;
      const { directoryId, endpointId } = lane;
      const now = trx.raw('clock_timestamp()');
      await trx('webhook_endpoints')
        .where({ directory_id: directoryId, id: endpointId })
        // The flag stays set while nothing can be delivered, so that changes do not wake the delivery.
        .update({ status: 'disabled', status_reason: reason, starts: 0, wake: true, wake_at: now, updated_at: now });
      await announceDisabled(trx, emitOperatorEvent, directoryId, reason);
      return true;
    });

import type { Knex } from 'knex';
import type { DeliveryStore, OpenDelivery } from '../../directory/delivery/ports.ts';
import { runPrepared } from '../sql/run-prepared.ts';

/** After this many starts without a concluded attempt, the caller counts further starts itself. */
const maxCountedStarts = 2;

interface LaneRow {
  acked_sequence: number;
  batch_limit: number | null;
  suspect_until: number;
  tenant: string;
  product: string;
  last_sequence: number;
  is_inactive: boolean;
  head: OpenDeliveryRow | null;
}

/**
 * Clears the wake flag in a statement of its own, before it reads events. `for update` waits for changes that have read the flag: their events
 * are committed when the next statement reads. Later changes find the flag cleared and wake the delivery. If nothing can be delivered now, the
 * flag is set again, so that changes do not wake the delivery.
 */
export const takeLane =
  (db: Knex): DeliveryStore['takeLane'] =>
  async (directoryId, { workerId, activityId }) => {
    const taken = await runPrepared<{ endpointId: string; epoch: number; starts: number; crashes: number }>(
      db,
      'take-lane',
      () => `update webhook_endpoints e set epoch = e.epoch + 1, wake = false, wake_at = clock_timestamp(),
           worker_id = :workerId, worker_epoch = e.epoch + 1, activity_id = :activityId,
           starts = case when e.starts < :maxCountedStarts then e.starts + 1 else e.starts end
         from (select id, starts from webhook_endpoints where directory_id = :directoryId for update) before
         where e.directory_id = :directoryId and e.id = before.id
         returning e.id as "endpointId", e.epoch, e.starts, before.starts as crashes`,
      { directoryId, workerId, activityId, maxCountedStarts },
    );
    if (!taken[0]) return 'gone';
    const { endpointId, epoch, starts, crashes } = taken[0];
    const lane = { directoryId, endpointId, epoch };
    const row = await readLane(db, lane);
    const retryInMs = row?.head?.retry_in_ms ?? 0;
    if (!row || row.is_inactive || retryInMs > 0) {
      await db('webhook_endpoints')
        .where({ directory_id: directoryId, id: endpointId, epoch })
        .update({ wake: true, starts: crashes, worker_id: null, worker_epoch: null, activity_id: null });
      if (!row) return 'gone';
      return row.is_inactive ? 'inactive' : { retryInMs };
    }
    return {
      lane,
      directory: { id: directoryId, tenant: row.tenant, product: row.product },
      ackedSequence: row.acked_sequence,
      lastSequence: row.last_sequence,
      batchLimit: row.batch_limit ?? undefined,
      suspectUntil: row.suspect_until,
      head: row.head ? toOpenDelivery(row.head) : undefined,
      crashes,
      isStartCounted: starts > crashes,
    };
  };

async function readLane(db: Knex, { directoryId, endpointId }: { directoryId: string; endpointId: string }): Promise<LaneRow | undefined> {
  const rows = await runPrepared<LaneRow>(
    db,
    'read-lane',
    () => `select e.acked_sequence, e.batch_limit, e.suspect_until, e.url is null or e.status <> 'active' as is_inactive,
         d.tenant, d.product, d.last_sequence,
         (select row_to_json(head) from (
            select ${openDeliveryColumns} from webhook_batches b
            where b.directory_id = :directoryId and b.endpoint_id = :endpointId and b.status = 'pending' and b.kind = 'live'
          ) head) as head
       from webhook_endpoints e join directories d on d.id = e.directory_id
       where e.directory_id = :directoryId and e.id = :endpointId`,
    { directoryId, endpointId },
  );
  return rows[0];
}

export interface OpenDeliveryRow {
  id: string;
  kind: 'live' | 'replay';
  replay_id: string | null;
  from_sequence: number;
  to_sequence: number;
  event_count: number;
  occurred_at: string;
  body: string | null;
  bytes: number;
  suspect: boolean;
  attempts: number;
  failures: number;
  client_errors: number;
  retry_in_ms: number;
}

/** A larger body is read separately, after memory for it was reserved. */
const maxInlineBodyBytes = 32_768;

export const openDeliveryColumns = `b.id, b.kind, b.replay_id, b.from_sequence, b.to_sequence, b.event_count,
  coalesce(b.occurred_at, b.created_at) as occurred_at,
  case when b.bytes <= ${maxInlineBodyBytes} then b.body end as body, b.bytes, b.suspect, b.attempts, b.failures,
  b.client_errors, cast(ceil(extract(epoch from b.next_attempt_at - clock_timestamp()) * 1000) as float8) as retry_in_ms`;

export const toOpenDelivery = (row: OpenDeliveryRow): OpenDelivery => ({
  id: row.id,
  kind: row.kind,
  ...(row.replay_id !== null && { replayId: row.replay_id }),
  fromSequence: row.from_sequence,
  toSequence: row.to_sequence,
  eventCount: row.event_count,
  occurredAt: new Date(row.occurred_at),
  body: row.body ?? undefined,
  bytes: row.bytes,
  suspect: row.suspect,
  attempts: row.attempts,
  failures: row.failures,
  clientErrors: row.client_errors,
  retryInMs: row.retry_in_ms,
});

export const readBody =
  (db: Knex): DeliveryStore['readBody'] =>
  async (directoryId, id) => {
    const row = await db('webhook_batches')
      .where({ directory_id: directoryId, id, status: 'pending' })
      .first<{ body: string | null } | undefined>('body');
    return row?.body ?? undefined;
  };

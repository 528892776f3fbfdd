import type { Knex } from 'knex';
import type { DeliveryStore, OpenBatch } from '../../directory/delivery/ports.ts';

export interface OpenBatchRow {
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

export const openBatchColumns = `b.id, b.kind, b.replay_id, b.from_sequence, b.to_sequence, b.event_count,
  coalesce(b.occurred_at, b.created_at) as occurred_at,
  case when b.bytes <= ${maxInlineBodyBytes} then b.body end as body, b.bytes, b.suspect, b.attempts, b.failures,
  b.client_errors, cast(ceil(extract(epoch from b.next_attempt_at - clock_timestamp()) * 1000) as float8) as retry_in_ms`;

export const toOpenBatch = (row: OpenBatchRow): OpenBatch => ({
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

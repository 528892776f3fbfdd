import type { Knex } from 'knex';
import { toEventPayload, type EventType } from '../../directory/event.ts';
import type { ListQueuedEvents } from '../../directory/delivery/delivery-log.ts';

interface QueuedRow {
  directory_id: string;
  tenant: string;
  product: string;
  id: string;
  sequence: number;
  type: EventType;
  data: Record<string, unknown> | null;
  occurred_at: Date;
  attempts: number;
  failures: number;
  is_open: boolean;
}

/**
 * Events that directories with an active webhook have not acknowledged, the oldest first. Each directory contributes at most `offset + limit`
 * keys; bodies are read for the page only.
 */
export const createListQueuedEvents =
  (db: Knex): ListQueuedEvents =>
  async ({ offset, limit }) => {
    const { rows } = await db.raw<{ rows: QueuedRow[] }>(
      `with keys as materialized (
         select k.*, d.tenant, d.product, coalesce(b.attempts, 0) as attempts, coalesce(b.failures, 0) as failures,
           b.id is not null as is_open
         from webhook_endpoints p join directories d on d.id = p.directory_id and d.last_sequence > p.acked_sequence
           cross join lateral (
             select directory_id, sequence, occurred_at from stored_events
             where directory_id = p.directory_id and sequence > p.acked_sequence
             order by sequence limit cast(:offset as bigint) + :limit
           ) k
           left join webhook_batches b on b.endpoint_id = p.id and b.status = 'pending' and b.kind = 'live'
             and k.sequence between b.from_sequence and b.to_sequence
         where p.url is not null and p.status = 'active'
         order by k.occurred_at, k.directory_id, k.sequence offset :offset limit :limit
       )
       select keys.*, e.id, e.type, e.data from keys
         join events e on e.directory_id = keys.directory_id and e.sequence = keys.sequence
       order by keys.occurred_at, keys.directory_id, keys.sequence`,
      { offset, limit },
    );
    return rows.map(({ directory_id: id, tenant, product, occurred_at: occurredAt, ...row }) => ({
      event: toEventPayload({ id, tenant, product }, { ...row, occurredAt }),
      failures: row.failures,
      state: row.failures > 0 ? 'failed' : row.is_open ? 'open' : 'pending',
    }));
  };

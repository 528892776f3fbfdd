import type { Knex } from 'knex';
import type { DeliveryStore, StoredEvent } from '../../directory/delivery/ports.ts';
import type { EventType } from '../../directory/event.ts';
import { prepared } from '../prepared.ts';

interface EventRow {
  id: string;
  sequence: number;
  type: EventType;
  data: Record<string, unknown>;
  occurred_at: Date;
}

/** Twice of what a batch may hold. */
const maxBytes = 512 * 1024;

/** At least one, if there is one, and no more than these bytes and one event. Those whose content is gone are skipped. */
export const readEvents =
  (db: Knex): DeliveryStore['readEvents'] =>
  async (directoryId, { after, upTo, limit }) => {
    const { rows } = await db
      .raw<{ rows: EventRow[] }>(
        `select e.id, e.sequence, e.type, e.data, e.occurred_at from (
           select sequence, sum(size) over (order by sequence) - size as bytes_before from (
             select sequence, coalesce(bytes, octet_length(cast(data as text))) as size from stored_events
             where directory_id = :directoryId and sequence > :after and sequence <= :upTo and data is not null
             order by sequence limit :limit
           ) found
         ) weighed cross join lateral (
           select id, sequence, type, data, occurred_at from events where directory_id = :directoryId and sequence = weighed.sequence offset 0
         ) e
         where weighed.bytes_before < :maxBytes order by e.sequence`,
        { directoryId, after, upTo, limit, maxBytes },
      )
      .options(prepared('read-events'));
    return rows.map(toStoredEvent);
  };

const toStoredEvent = ({ occurred_at: occurredAt, ...row }: EventRow): StoredEvent => ({ ...row, occurredAt });

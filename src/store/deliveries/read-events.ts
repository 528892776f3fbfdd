import type { Knex } from 'knex';
import type { DeliveryStore, StoredEvent } from '../../directory/delivery/ports.ts';
import type { EventType } from '../../directory/event.ts';
import { runPrepared } from '../sql/run-prepared.ts';

interface EventRow {
  id: string;
  sequence: number;
  type: EventType;
  /** Null if the event is larger than the limit. */
  data: string | null;
  occurred_at: Date;
  bytes: number;
}

/** Uses the stored sizes, so that Postgres does not decompress documents that are not returned. Skips events without a body. */
export const readEvents =
  (db: Knex): DeliveryStore['readEvents'] =>
  async (directoryId, { after, upTo, limit, maxBytes }) => {
    const rows = await runPrepared<EventRow>(
      db,
      'read-events',
      () => `select weighed.sequence, weighed.size as bytes, e.id, e.type, e.data, e.occurred_at from (
           select sequence, size, sum(size) over (order by sequence) as bytes_to_here from (
             select sequence, coalesce(bytes, octet_length(cast(data as text))) as size from stored_events
             where directory_id = :directoryId and sequence > :after and sequence <= :upTo and data is not null
             order by sequence limit :limit
           ) found
         ) weighed left join lateral (
           select id, type, cast(data as text) as data, occurred_at from events
           where directory_id = :directoryId and sequence = weighed.sequence and weighed.bytes_to_here <= cast(:maxBytes as bigint) offset 0
         ) e on true
         where weighed.bytes_to_here <= cast(:maxBytes as bigint) or weighed.bytes_to_here = weighed.size order by weighed.sequence`,
      { directoryId, after, upTo, limit, maxBytes },
    );
    const events = rows.flatMap(({ data, ...row }) => (data === null ? [] : [toStoredEvent({ ...row, data })]));
    return { events, firstBytes: rows[0]?.data === null ? rows[0].bytes : undefined };
  };

const toStoredEvent = ({ occurred_at: occurredAt, ...row }: EventRow & { data: string }): StoredEvent => ({ ...row, occurredAt });

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

/** Twice of what a batch may hold; as they stand on the disk, so that a large one is not unpacked to be weighed. */
const maxBytes = 512 * 1024;

/** At least one, if there is one, and no more than fill the memory. Those whose content is gone are passed over. */
export const readEvents =
  (db: Knex): DeliveryStore['readEvents'] =>
  async (directoryId, { after, upTo, limit }) => {
    const { rows } = await db
      .raw<{ rows: EventRow[] }>(
        `select id, sequence, type, data, occurred_at from (
           select *, sum(pg_column_size(data)) over (order by sequence) - pg_column_size(data) as bytes_before from (
             select id, sequence, type, data, occurred_at from events
             where directory_id = :directoryId and sequence > :after and sequence <= :upTo and data is not null
             order by sequence limit :limit
           ) found
         ) weighed where bytes_before < :maxBytes order by sequence`,
        { directoryId, after, upTo, limit, maxBytes },
      )
      .options(prepared('read-events'));
    return rows.map(toStoredEvent);
  };

const toStoredEvent = ({ occurred_at: occurredAt, ...row }: EventRow): StoredEvent => ({ ...row, occurredAt });

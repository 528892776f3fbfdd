import type { Knex } from 'knex';

/**
 * Where no webhook is delivered, nobody acknowledges: what is old enough counts as read, so that it may be dropped. A directory that has an
 * address keeps everything for it.
 */
export const createPassOverOld =
  (db: Knex) =>
  async (keptMs: number): Promise<void> => {
    await db.raw(
      `update webhook_endpoints e set acked_sequence = old.sequence
       from (
         select w.id, w.directory_id, last.sequence from webhook_endpoints w cross join lateral (
           select max(sequence) as sequence from stored_events
           where directory_id = w.directory_id and sequence > w.acked_sequence and occurred_at < now() - :keptMs * interval '1 millisecond'
         ) last
         where w.url is null and last.sequence is not null
       ) old
       where e.directory_id = old.directory_id and e.id = old.id and e.url is null and e.acked_sequence < old.sequence`,
      { keptMs },
    );
  };

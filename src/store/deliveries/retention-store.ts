import type { Knex } from 'knex';
import type { RetentionStore } from '../../directory/maintenance/retention.ts';
import { lastSequenceBefore } from '../event-feed/feed-rows.ts';
import { dropDocumentsSql } from './drop-documents.ts';

const tooOld = `now() - :keptMs * interval '1 millisecond'`;

export const createRetentionStore = (db: Knex): RetentionStore => ({
  async dropDeliveries(keptMs, limit) {
    const { rows } = await db.raw<{ rows: [{ count: number }] }>(
      `with dropped as (
         delete from webhook_batches where (id, directory_id) in (
           select id, directory_id from webhook_batches
           where done_at < now() - :keptMs * interval '1 millisecond' and status <> 'pending' order by done_at limit :limit)
         returning directory_id, total_bytes
       ), noted as (
         update webhook_endpoints e set trimmed_log_bytes = last.total_bytes
         from (select directory_id, max(total_bytes) as total_bytes from dropped group by directory_id) last
         where e.directory_id = last.directory_id and e.trimmed_log_bytes < last.total_bytes
       )
       select count(*) as count from dropped`,
      { keptMs, limit },
    );
    return rows[0].count;
  },

  async dropReplays(keptMs) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from webhook_replays where status <> 'running' and finished_at < now() - ? * interval '1 millisecond'`,
      [keptMs],
    );
    return rowCount;
  },

  dropEvents: (keptMs, { after, directories, rows }) =>
    db.transaction(async (trx) => {
      // Raises the horizon in the same statement, so that a reader of the feed can tell which events it has missed.
      const { rows: found } = await trx.raw<{ rows: { id: string; count: number; is_cut: boolean }[] }>(
        `with chosen as (
           select d.id, d.swept_sequence, e.acked_sequence from webhook_endpoints e join directories d on d.id = e.directory_id
           where e.directory_id > :after order by e.directory_id limit :directories
         ), old as (
           select chosen.id, (
             select max(sequence) from (
               select sequence from stored_events where directory_id = chosen.id and sequence <= edge.sequence order by sequence limit :rows
             ) oldest
           ) as sequence
           from chosen cross join lateral (
             ${lastSequenceBefore({ directoryId: 'chosen.id', low: 'chosen.swept_sequence', high: 'chosen.acked_sequence', time: tooOld })}
           ) edge
         ), dropped as (
           delete from stored_events e using old where e.directory_id = old.id and e.sequence <= old.sequence returning e.directory_id, e.sequence, e.txid
         ), swept as (
           update directories d set swept_sequence = greatest(d.swept_sequence, last.sequence)
           from (select directory_id, max(sequence) as sequence from dropped group by directory_id) last where d.id = last.directory_id
         ), horizon as (
           update feed_horizon set swept_txid = greatest(swept_txid, (select txid from dropped order by txid desc limit 1))
           where exists (select from dropped)
         )
         select chosen.id, count(dropped.sequence) as count, count(dropped.sequence) = :rows as is_cut
         from chosen left join dropped on dropped.directory_id = chosen.id group by chosen.id order by chosen.id`,
        { keptMs, after, directories, rows },
      );
      // No event up to `swept_sequence` is left, so documents that only these events refer to are deleted.
      await trx.raw(
        dropDocumentsSql(
          'join directories o on o.id = d.directory_id where d.directory_id = any(cast(:ids as uuid[])) and d.last_sequence <= o.swept_sequence',
        ),
        { ids: found.map(({ id }) => id) },
      );
      const cut = found.find((directory) => directory.is_cut);
      const last = found.length < directories ? undefined : found.at(-1)!.id;
      return { count: found.reduce((sum, { count }) => sum + count, 0), after: cut ? before(cut.id) : last };
    }),
});

/** The preceding ID, so that the next call begins with this directory again. */
const before = (id: string) =>
  (BigInt(`0x${id.replaceAll('-', '')}`) - 1n)
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/**
 * Marks events older than `keptMs` as acknowledged in directories without a webhook, so that retention can drop them. Directories with a
 * webhook keep all undelivered events.
 */
export const createSkipOldEvents =
  (db: Knex) =>
  async (keptMs: number): Promise<void> => {
    await db.raw(
      `update webhook_endpoints e set acked_sequence = old.sequence
       from (
         select w.id, w.directory_id, edge.sequence from webhook_endpoints w join directories d on d.id = w.directory_id cross join lateral (
           ${lastSequenceBefore({ directoryId: 'd.id', low: 'w.acked_sequence', high: 'd.last_sequence', time: tooOld })}
         ) edge
         where w.url is null and edge.sequence > w.acked_sequence
       ) old
       where e.directory_id = old.directory_id and e.id = old.id and e.url is null and e.acked_sequence < old.sequence`,
      { keptMs },
    );
  };

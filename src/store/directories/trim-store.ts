import type { Knex } from 'knex';
import { dropDocumentsSql } from '../deliveries/drop-documents.ts';
import { defaultQuotas, limitOf, type Quotas } from '../../directory/quotas.ts';
import { type HistoryTotalsRow, historyTotals, toDeliveredTotal, toHistoryBytes, toOwnQuotas, toUndeliveredBytes } from './quotas.ts';
import type { Surplus, TrimStore } from '../../directory/maintenance/retention.ts';

interface TotalsRow extends HistoryTotalsRow {
  id: string;
  quotas: Record<string, number> | null;
  has_webhook: boolean;
}

/** Trims to 90 % of the quota, so that not every run has to trim again. */
const trimTarget = 0.9;

export const createTrimStore = (db: Knex, limits: Quotas = defaultQuotas): TrimStore => ({
  async findSurplus({ after, limit }) {
    const { rows } = await db.raw<{ rows: TotalsRow[] }>(
      `select d.id, d.quotas, e.url is not null as has_webhook, ${historyTotals}
       from (select * from directories where id > :after order by id limit :limit) d join webhook_endpoints e on e.directory_id = d.id
       order by d.id`,
      { after, limit },
    );
    return {
      found: rows.map((row) => toSurplus(row, limits)).filter((surplus) => Object.keys(surplus).length > 1),
      after: rows.length < limit ? undefined : rows.at(-1)!.id,
    };
  },

  /** Does nothing if the directory got a webhook in the meantime: its events are kept for delivery. */
  async countAsRead(directoryId, upTo, rows) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `update webhook_endpoints e set acked_sequence = last.sequence
       from (
         select w.id, (
           select max(sequence) from (
             select sequence, total_bytes from stored_events where directory_id = :directoryId and sequence > w.acked_sequence
             order by sequence limit :rows
           ) oldest where coalesce(total_bytes, 0) <= :upTo
         ) as sequence
         from webhook_endpoints w where w.directory_id = :directoryId and w.url is null
       ) last
       where e.directory_id = :directoryId and e.id = last.id and e.url is null and e.acked_sequence < last.sequence`,
      { directoryId, upTo, rows },
    );
    return rowCount > 0;
  },

  dropEvents: (directoryId, upTo, rows) =>
    db.transaction(async (trx) => {
      const { rows: dropped } = await trx.raw<{ rows: [{ count: number }] }>(
        `with oldest as (
           select s.sequence, coalesce(s.total_bytes, 0) as total from webhook_endpoints e cross join lateral (
             select sequence, total_bytes from stored_events where directory_id = :directoryId and sequence <= e.acked_sequence
             order by sequence limit :rows
           ) s where e.directory_id = :directoryId
         ), edge as (
           select max(sequence) as sequence from oldest
           where sequence < coalesce((select min(sequence) from oldest where total > :upTo), sequence + 1)
         ), dropped as (
           delete from stored_events e using edge where e.directory_id = :directoryId and e.sequence <= edge.sequence
           returning e.sequence, e.txid
         ), swept as (
           update directories d set swept_sequence = greatest(d.swept_sequence, (select max(sequence) from dropped)),
             trimmed_txid = greatest(d.trimmed_txid, (select txid from dropped order by txid desc limit 1))
           where d.id = :directoryId and exists (select from dropped)
         )
         select count(*) as count from dropped`,
        { directoryId, upTo, rows },
      );
      await trx.raw(
        dropDocumentsSql(
          'join directories o on o.id = d.directory_id where d.directory_id = :directoryId and d.last_sequence <= o.swept_sequence',
        ),
        { directoryId },
      );
      return dropped[0].count === rows;
    }),

  /** Keeps skipped and dead-lettered deliveries, since their events can still be replayed. */
  async dropDeliveries(directoryId, upTo, rows) {
    const { rows: dropped } = await db.raw<{ rows: [{ count: number }] }>(
      `with dropped as (
         delete from webhook_batches where directory_id = :directoryId and id in (
           select id from webhook_batches
           where directory_id = :directoryId and total_bytes <= :upTo and status in ('delivered', 'split', 'replayed', 'canceled')
           order by created_at limit :rows)
         returning id
       ), noted as (
         update webhook_endpoints set trimmed_log_bytes = greatest(trimmed_log_bytes, :upTo)
         where directory_id = :directoryId and (select count(*) from dropped) < :rows
       )
       select count(*) as count from dropped`,
      { directoryId, upTo, rows },
    );
    return dropped[0].count === rows;
  },

  /**
   * A mutation without an outcome is rejected if it is not newer than the newest dropped outcome. Outcomes of the last ten minutes are kept,
   * since their workflows may still run.
   */
  async dropOutcomes(directoryId, upTo, rows) {
    const { rows: dropped } = await db.raw<{ rows: [{ count: number }] }>(
      `with dropped as (
         delete from mutations where directory_id = :directoryId and id in (
           select id from mutations
           where directory_id = :directoryId and total_bytes <= :upTo and applied_at < now() - interval '10 minutes'
           order by id limit :rows)
         returning applied_at, total_bytes
       ), noted as (
         update directories set outcomes_trimmed_at = greatest(outcomes_trimmed_at, (select max(applied_at) from dropped)),
           trimmed_outcome_bytes = greatest(trimmed_outcome_bytes, (select max(total_bytes) from dropped))
         where id = :directoryId and exists (select from dropped)
       )
       select count(*) as count from dropped`,
      { directoryId, upTo, rows },
    );
    return dropped[0].count === rows;
  },
});

const upTo = (total: number, limit: number) => Math.round(total - limit * trimTarget);

function toSurplus(row: TotalsRow, limits: Quotas): Surplus {
  const quotas = { limits, own: toOwnQuotas(row.quotas) };
  const [undelivered, history] = [limitOf(quotas, 'undeliveredBytes'), limitOf(quotas, 'historyBytes')];
  const kept = toHistoryBytes(row);
  return {
    directoryId: row.id,
    ...(!row.has_webhook && toUndeliveredBytes(row) > undelivered && { unread: upTo(row.event_bytes ?? 0, undelivered) }),
    ...(kept.events > history && { events: upTo(toDeliveredTotal(row), history) }),
    ...(kept.deliveries > history && { deliveries: upTo(row.log_bytes, history) }),
    ...(kept.outcomes > history && { outcomes: upTo(row.outcome_bytes, history) }),
  };
}

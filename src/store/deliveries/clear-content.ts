import type { Knex } from 'knex';
import type { DeliveryStore } from '../../directory/delivery/ports.ts';
import { runPrepared } from '../sql/run-prepared.ts';

const atOnce = 2_000;

interface Cleared {
  upto: number;
  has_more: boolean;
  /** That the cleared events showed. */
  documents: string[] | null;
}

/**
 * What was delivered goes, unless the directory logs its webhooks. What was passed over stays: it may still be asked for. So does
 * everything while a replay runs. The endpoint's row is locked only at the end, for a moment.
 */
export const createClearContent =
  (db: Knex): DeliveryStore['clearContent'] =>
  async (lane) => {
    const rows = await runPrepared<Cleared>(
      db,
      'clear-content',
      () => `with step as (
           select e.id, e.cleared_sequence as done, least(e.acked_sequence, e.cleared_sequence + ${atOnce}) as upto, e.acked_sequence
           from webhook_endpoints e join directories d on d.id = e.directory_id and not d.log_webhook_events
           where e.directory_id = :directoryId and e.id = :endpointId and e.epoch = :epoch and e.cleared_sequence < e.acked_sequence
             and not exists (select from webhook_replays r where r.endpoint_id = e.id and r.status = 'running')
         ), cleared as (
           update stored_events e set data = null, user_document = null, group_document = null from step
           where e.directory_id = :directoryId and e.sequence > step.done and e.sequence <= step.upto and e.data is not null
             and not exists (
               select from webhook_batches b where b.endpoint_id = step.id and b.status = 'skipped'
                 and e.sequence between b.from_sequence and b.to_sequence)
           returning e.sequence
         ), shown as (
           select e.user_document, e.group_document from step, stored_events e
           where e.directory_id = :directoryId and e.sequence > step.done and e.sequence <= step.upto
             and (e.user_document is not null or e.group_document is not null)
         ), counted as (
           select (select count(*) from cleared), array_agg(distinct user_document) filter (where user_document is not null)
             || array_agg(distinct group_document) filter (where group_document is not null) as documents from shown
         )
         update webhook_endpoints e set cleared_sequence = step.upto from step, counted
         where e.directory_id = :directoryId and e.id = step.id and e.epoch = :epoch
         returning step.upto, step.upto < step.acked_sequence as has_more, counted.documents`,
      { ...lane },
    );
    const [row] = rows;
    if (row?.documents) await dropDocuments(db, { ...lane, documents: row.documents, upTo: row.upto });
    return row?.has_more ?? false;
  };

/**
 * Those that no event shows any more: all up to here are cleared, but for what was passed over. In a statement of its own, since
 * changes lock documents after the endpoint; if it does not come to it, retention drops them later. A change that shows a document again
 * raises its `last_sequence` under the same lock.
 */
async function dropDocuments(
  db: Knex,
  { directoryId, endpointId, documents, upTo }: { directoryId: string; endpointId: string; documents: string[]; upTo: number },
): Promise<void> {
  await db.raw(
    `delete from event_documents d where d.directory_id = :directoryId and d.id = any(cast(:documents as uuid[])) and d.last_sequence <= :upTo
       and not exists (
         select from webhook_batches b where b.endpoint_id = :endpointId and b.status = 'skipped'
           and b.from_sequence <= d.last_sequence and b.to_sequence >= d.first_sequence)`,
    { directoryId, endpointId, documents, upTo },
  );
}

import type { Knex } from 'knex';
import type { DeliveryStore } from '../../directory/delivery/ports.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { dropDocumentsSql } from './drop-documents.ts';

const batchSize = 2_000;

interface Cleared {
  upto: number;
  has_more: boolean;
  /** Documents that the cleared events refer to. */
  documents: string[] | null;
}

/**
 * Deletes the bodies of delivered events, unless the directory logs its webhooks or a replay is running. Skipped events keep their bodies for
 * a replay. The endpoint's row is locked only briefly, at the end.
 */
export const createDeleteDeliveredBodies =
  (db: Knex): DeliveryStore['deleteDeliveredBodies'] =>
  async (lane) => {
    const rows = await runPrepared<Cleared>(
      db,
      'delete-delivered-bodies',
      () => `with step as (
           select e.id, e.cleared_sequence as done, least(e.acked_sequence, e.cleared_sequence + ${batchSize}) as upto, e.acked_sequence
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
 * Deletes documents that no event refers to any more. All events up to `upTo` are cleared, except skipped ones. This is a separate statement,
 * because changes lock documents after the endpoint. If it fails, retention deletes the documents later. A change that refers to a document
 * again raises its `last_sequence` under the same lock.
 */
async function dropDocuments(
  db: Knex,
  { directoryId, endpointId, documents, upTo }: { directoryId: string; endpointId: string; documents: string[]; upTo: number },
): Promise<void> {
  await db.raw(
    dropDocumentsSql(
      `where d.directory_id = :directoryId and d.id = any(cast(:documents as uuid[])) and d.last_sequence <= :upTo
         and not exists (
           select from webhook_batches b where b.endpoint_id = :endpointId and b.status = 'skipped'
             and b.from_sequence <= d.last_sequence and b.to_sequence >= d.first_sequence)`,
    ),
    { directoryId, endpointId, documents, upTo },
  );
}

import type { Knex } from 'knex';
import type { DeliveryStore } from '../../directory/delivery/ports.ts';
import { prepared } from '../prepared.ts';

const atOnce = 2_000;

/**
 * What was delivered goes, unless the directory logs its webhooks. What was passed over stays: it may still be asked for. So does
 * everything while a replay runs. The endpoint's row is locked only at the end, for a moment.
 */
export const createClearContent =
  (db: Knex): DeliveryStore['clearContent'] =>
  async (lane) => {
    const { rows } = await db
      .raw<{ rows: { has_more: boolean }[] }>(
        `with step as (
           select e.id, e.cleared_sequence as done, least(e.acked_sequence, e.cleared_sequence + ${atOnce}) as upto, e.acked_sequence
           from webhook_endpoints e join directories d on d.id = e.directory_id and not d.log_webhook_events
           where e.directory_id = :directoryId and e.id = :endpointId and e.epoch = :epoch and e.cleared_sequence < e.acked_sequence
             and not exists (select from webhook_replays r where r.endpoint_id = e.id and r.status = 'running')
         ), cleared as (
           update events e set data = null from step
           where e.directory_id = :directoryId and e.sequence > step.done and e.sequence <= step.upto and e.data is not null
             and not exists (
               select from webhook_batches b where b.endpoint_id = step.id and b.status = 'skipped'
                 and e.sequence between b.from_sequence and b.to_sequence)
           returning e.sequence
         ), counted as (
           select count(*) from cleared
         )
         update webhook_endpoints e set cleared_sequence = step.upto from step, counted
         where e.directory_id = :directoryId and e.id = step.id and e.epoch = :epoch
         returning step.upto < step.acked_sequence as has_more`,
        { ...lane },
      )
      .options(prepared('clear-content'));
    return rows[0]?.has_more ?? false;
  };

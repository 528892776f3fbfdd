import type { Knex } from 'knex';
import type { DeliveryStore } from '../../directory/delivery/ports.ts';

/**
 * Finds directories with undelivered events whose delivery has not touched the endpoint for 30 seconds. In batch mode events wait until the
 * next scheduled delivery, so only a set flag or an open batch counts.
 */
export const createFindForgotten =
  (db: Knex, { inBatches }: { inBatches: boolean }): DeliveryStore['findStalled'] =>
  async (limit) => {
    const { rows } = await db.raw<{ rows: { directory_id: string }[] }>(
      `update webhook_endpoints set wake_at = clock_timestamp()
       where id in (
         select e.id from webhook_endpoints e
           join directories d on d.id = e.directory_id
           left join webhook_batches b on b.endpoint_id = e.id and b.status = 'pending' and b.kind = 'live'
           left join webhook_batches r on r.endpoint_id = e.id and r.status = 'pending' and r.kind = 'replay'
         where e.url is not null and e.status = 'active'
           and ((d.last_sequence > e.acked_sequence ${inBatches ? 'and (e.wake or b.id is not null)' : ''})
             or exists (select from webhook_replays p where p.endpoint_id = e.id and p.status = 'running'))
           and greatest(e.wake_at, e.updated_at, b.next_attempt_at, r.next_attempt_at) < clock_timestamp() - interval '30 seconds'
         limit ? for update of e skip locked)
       returning directory_id`,
      [limit],
    );
    return rows.map((row) => row.directory_id);
  };

/** Returns each directory once: concurrent callers get different directories. */
export const createWakeBacklogs =
  (db: Knex): DeliveryStore['wakeBacklogs'] =>
  async (limit) => {
    const { rows } = await db.raw<{ rows: { directory_id: string }[] }>(
      `update webhook_endpoints set wake = true, wake_at = clock_timestamp()
       where id in (
         select e.id from webhook_endpoints e join directories d on d.id = e.directory_id and d.last_sequence > e.acked_sequence
         where not e.wake and e.url is not null and e.status = 'active' limit ? for update of e skip locked)
       returning directory_id`,
      [limit],
    );
    return rows.map((row) => row.directory_id);
  };

export const createLowerWakeFlags =
  (db: Knex): DeliveryStore['lowerWakeFlags'] =>
  async (directoryIds) => {
    await db('webhook_endpoints').whereRaw('directory_id = any(?)', [directoryIds]).update({ wake: false });
  };

import { lowestId } from '../../ids.ts';
import type { Knex } from 'knex';
import { runPrepared } from '../sql/run-prepared.ts';

/** What processes that deliver without Temporal ask, so that one of them at a time has a directory's lane. */
export interface UnheldLanes {
  /** Whether another worker that is alive has the lane. */
  isHeldElsewhere(directoryId: string, workerId: string): Promise<boolean>;
  /** Directories with something to deliver whose lane no worker has, in the order of their IDs. */
  findUnheld(after: string | undefined, limit: number): Promise<string[]>;
}

export const createUnheldLanes = (db: Knex, { inBatches }: { inBatches: boolean }): UnheldLanes => ({
  async isHeldElsewhere(directoryId, workerId) {
    const [row] = await runPrepared<{ held: boolean }>(
      db,
      'is-held-elsewhere',
      () => `select exists (
           select from webhook_endpoints e join delivery_workers w on w.id = e.worker_id and w.expires_at > clock_timestamp()
           where e.directory_id = :directoryId and e.worker_epoch = e.epoch and e.worker_id <> cast(:workerId as uuid)
         ) as held`,
      { directoryId, workerId },
    );
    return row!.held;
  },

  async findUnheld(after, limit) {
    const { rows } = await db.raw<{ rows: { directory_id: string }[] }>(
      `select e.directory_id from webhook_endpoints e join directories d on d.id = e.directory_id
       where e.worker_id is null and e.url is not null and e.status = 'active'
         and e.directory_id > cast(:after as uuid)
         and ((d.last_sequence > e.acked_sequence ${
           inBatches
             ? `and (e.wake or exists (select from webhook_batches b where b.endpoint_id = e.id and b.status = 'pending' and b.kind = 'live'))`
             : ''
         })
           or exists (select from webhook_replays p where p.endpoint_id = e.id and p.status = 'running'))
       order by e.directory_id limit :limit`,
      { after: after ?? lowestId, limit },
    );
    return rows.map((row) => row.directory_id);
  },
});

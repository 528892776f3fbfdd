import type { Knex } from 'knex';
import type { AbandonedLane, WorkerLeaseStore } from '../../directory/delivery/ports.ts';
import { runPrepared } from '../sql/run-prepared.ts';

/** All times are those of Postgres, because the clocks of workers may differ. */
export const createWorkerLeaseStore = (db: Knex): WorkerLeaseStore => ({
  renewLease: (workerId, leaseMs) =>
    runPrepared<{ id: string; leftMs: number }>(
      db,
      'renew-worker-lease',
      () => `with renewed as (
           insert into delivery_workers (id, expires_at)
           values (:workerId, clock_timestamp() + cast(:leaseMs as integer) * interval '1 millisecond')
           on conflict (id) do update set expires_at = excluded.expires_at
         )
         select id, cast(extract(epoch from expires_at - clock_timestamp()) * 1000 as float8) as "leftMs"
         from delivery_workers where id <> :workerId`,
      { workerId, leaseMs },
    ),

  async endLease(workerId) {
    await db('delivery_workers')
      .where({ id: workerId })
      .update({ expires_at: db.raw('clock_timestamp()') });
  },

  async releaseLanes(lanes) {
    await runPrepared(
      db,
      'release-lanes',
      () => `with ended as materialized (
           select e.id from jsonb_to_recordset(cast(:lanes as jsonb)) as lane("directoryId" uuid, "endpointId" uuid, epoch bigint)
             join webhook_endpoints e on e.directory_id = lane."directoryId" and e.id = lane."endpointId" and e.epoch = lane.epoch
           order by e.id for no key update of e skip locked
         )
         update webhook_endpoints e set worker_id = null, activity_id = null from ended where e.id = ended.id`,
      { lanes: JSON.stringify(lanes) },
    );
  },

  claimAbandoned: (workerIds, limit) =>
    runPrepared<AbandonedLane>(
      db,
      'claim-abandoned-lanes',
      () => `with abandoned as materialized (
           select e.id from webhook_endpoints e left join directories d on d.id = e.directory_id
           where e.worker_id = any(cast(:workerIds as uuid[]))
             and (e.wake_at is null or e.wake_at < clock_timestamp() - interval '2 seconds')
           order by coalesce(d.last_sequence > e.acked_sequence, false) desc limit :limit for no key update of e skip locked
         )
         update webhook_endpoints e set wake_at = clock_timestamp() from abandoned where e.id = abandoned.id
         returning e.directory_id as "directoryId", e.id as "endpointId", e.epoch, e.activity_id as "activityId"`,
      { workerIds, limit },
    ),

  async forgetWorkers(workerIds) {
    await runPrepared(
      db,
      'forget-workers',
      () => `delete from delivery_workers w where w.id = any(cast(:workerIds as uuid[])) and w.expires_at < clock_timestamp() - interval '1 minute'
           and not exists (select from webhook_endpoints e where e.worker_id = w.id)`,
      { workerIds },
    );
  },
});

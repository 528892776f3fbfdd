import type { Knex } from 'knex';
import type { AbandonedLane, DeliveryLane, WorkerLeaseStore } from '../../directory/delivery/ports.ts';
import { runPrepared } from '../sql/run-prepared.ts';

/**
 * All times are those of Postgres, because the clocks of workers may differ. `leaseDb`:
 * for the lease only, which must wait for nothing else.
 */
export const createWorkerLeaseStore = (db: Knex, leaseDb: Knex = db): WorkerLeaseStore => ({
  renewLease: (workerId, leaseMs) =>
    runPrepared<{ id: string; leftMs: number }>(
      leaseDb,
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
    await leaseDb('delivery_workers')
      .where({ id: workerId })
      .update({ expires_at: db.raw('clock_timestamp()') });
  },

  releaseLanes: (lanes) =>
    runPrepared<DeliveryLane>(
      db,
      'release-lanes',
      () => `with held as materialized (
           select lane.* from jsonb_to_recordset(cast(:lanes as jsonb)) as lane("directoryId" uuid, "endpointId" uuid, epoch bigint)
             join webhook_endpoints e on e.directory_id = lane."directoryId" and e.id = lane."endpointId" and e.worker_epoch = lane.epoch
         ), ended as materialized (
           select e.id from held join webhook_endpoints e on e.directory_id = held."directoryId" and e.id = held."endpointId" and e.worker_epoch = held.epoch
           order by e.id for no key update of e skip locked
         ), released as (
           update webhook_endpoints e set worker_id = null, worker_epoch = null, activity_id = null from ended where e.id = ended.id
         )
         select "directoryId", "endpointId", epoch from held where "endpointId" not in (select id from ended)`,
      { lanes: JSON.stringify(lanes) },
    ),

  claimAbandoned: (workerIds, limit) =>
    runPrepared<AbandonedLane>(
      db,
      'claim-abandoned-lanes',
      () => `with abandoned as materialized (
           select e.id from webhook_endpoints e left join directories d on d.id = e.directory_id left join delivery_workers w on w.id = e.worker_id
           where e.worker_id = any(cast(:workerIds as uuid[])) and e.worker_epoch = e.epoch
             and (w.id is null or w.expires_at < clock_timestamp())
             and (e.wake_at is null or e.wake_at < greatest(w.expires_at, clock_timestamp() - interval '2 seconds'))
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
           and not exists (select from webhook_endpoints e where e.worker_id = w.id and e.worker_epoch = e.epoch)`,
      { workerIds },
    );
  },
});

prepare statement_1 as
with renewed as (
  insert into delivery_workers(id, expires_at)
  values ($1, clock_timestamp() + cast($2 as integer) * interval '1 millisecond')
  on conflict(id) do update
  set expires_at = excluded.expires_at
)
select id, cast(extract(epoch from expires_at - clock_timestamp()) * 1000 as float8) as "leftMs"
from delivery_workers
where id <> $3;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 3000,
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_2 as
with held as materialized (
  select lane.*
  from jsonb_to_recordset(cast($1 as jsonb)) as lane("directoryId" uuid, "endpointId" uuid, epoch bigint)
  join webhook_endpoints e on e.directory_id = lane."directoryId" and e.id = lane."endpointId" and e.worker_epoch = lane.epoch
),
ended as materialized (
  select e.id
  from held
  join webhook_endpoints e on e.directory_id = held."directoryId" and e.id = held."endpointId" and e.worker_epoch = held.epoch
  order by e.id for no key update of e skip locked
),
released as (
  update webhook_endpoints e
  set worker_id = null, worker_epoch = null, activity_id = null
  from ended
  where e.id = ended.id
)
select "directoryId", "endpointId", epoch
from held
where "endpointId" not in (select id from ended);
execute statement_2 (
  /* $1 */ '[{"directoryId":"10000000-0000-0000-0000-000000000002","endpointId":"10000000-0000-0000-0000-000000000002","epoch":1}]'
);

prepare statement_3 as
with abandoned as materialized (
  select e.id
  from webhook_endpoints e
  left join directories d on d.id = e.directory_id
  left join delivery_workers w on w.id = e.worker_id
  where e.worker_id = any(cast($1 as uuid[])) and e.worker_epoch = e.epoch and (w.id is null or w.expires_at < clock_timestamp())
    and (e.wake_at is null or e.wake_at < greatest(w.expires_at, clock_timestamp() - interval '2 seconds'))
  order by coalesce(d.last_sequence > e.acked_sequence, false) desc
  limit $2 for no key update of e skip locked
)
update webhook_endpoints e
set wake_at = clock_timestamp()
from abandoned
where e.id = abandoned.id
returning e.directory_id as "directoryId", e.id as "endpointId", e.epoch, e.activity_id as "activityId";
execute statement_3 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ 100
);

prepare statement_4 as
delete from delivery_workers w
where w.id = any(cast($1 as uuid[])) and w.expires_at < clock_timestamp() - interval '1 minute' and not exists (
  select
  from webhook_endpoints e
  where e.worker_id = w.id and e.worker_epoch = e.epoch
);
execute statement_4 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}'
);

prepare statement_5 as
update "delivery_workers"
set "expires_at" = clock_timestamp()
where "id" = $1;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_6 as
update webhook_endpoints
set wake = false
where id in (
  select id
  from webhook_endpoints
  where directory_id = any($1) and worker_id is not null and wake
  order by id for no key update skip locked
);
execute statement_6 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000002"}'
);

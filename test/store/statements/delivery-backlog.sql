prepare statement_1 as
update webhook_endpoints
set wake_at = clock_timestamp()
where id in (
  select e.id
  from webhook_endpoints e
  join directories d on d.id = e.directory_id
  left join webhook_batches b on b.endpoint_id = e.id and b.status = 'pending' and b.kind = 'live'
  left join webhook_batches r on r.endpoint_id = e.id and r.status = 'pending' and r.kind = 'replay'
  where e.url is not null and e.status = 'active' and ((d.last_sequence > e.acked_sequence) or exists (
    select
    from webhook_replays p
    where p.endpoint_id = e.id and p.status = 'running'
  )) and greatest(e.wake_at, e.updated_at, b.next_attempt_at, r.next_attempt_at) < clock_timestamp() - cast($1 as integer) * interval '1 millisecond'
  limit $2 for update of e skip locked
)
returning directory_id as "directoryId", worker_epoch = epoch and exists (
  select
  from delivery_workers w
  where w.id = worker_id and w.expires_at > clock_timestamp()
) as "isHeld";
execute statement_1 (
  /* $1 */ 30000,
  /* $2 */ 10
);

prepare statement_2 as
update webhook_endpoints
set wake_at = clock_timestamp()
where id in (
  select e.id
  from webhook_endpoints e
  join directories d on d.id = e.directory_id
  left join webhook_batches b on b.endpoint_id = e.id and b.status = 'pending' and b.kind = 'live'
  left join webhook_batches r on r.endpoint_id = e.id and r.status = 'pending' and r.kind = 'replay'
  where e.url is not null and e.status = 'active' and ((d.last_sequence > e.acked_sequence and (e.wake or b.id is not null)) or exists (
    select
    from webhook_replays p
    where p.endpoint_id = e.id and p.status = 'running'
  )) and greatest(e.wake_at, e.updated_at, b.next_attempt_at, r.next_attempt_at) < clock_timestamp() - cast($1 as integer) * interval '1 millisecond'
  limit $2 for update of e skip locked
)
returning directory_id as "directoryId", worker_epoch = epoch and exists (
  select
  from delivery_workers w
  where w.id = worker_id and w.expires_at > clock_timestamp()
) as "isHeld";
execute statement_2 (
  /* $1 */ 30000,
  /* $2 */ 10
);

select case when e.status = 'active' and e.url is null then 'no_webhook' when e.status = 'active' and e.first_failure_at is not null then 'failing' else e.status end as status,
  cast(sum(d.last_sequence - e.acked_sequence) as float8) as events, cast(count(*) as float8) as directories, cast(max(extract(epoch from clock_timestamp() - next.occurred_at)) as float8) as oldest_seconds
from webhook_endpoints e
join directories d on d.id = e.directory_id and d.last_sequence > e.acked_sequence
left join stored_events next on next.directory_id = e.directory_id and next.sequence = e.acked_sequence + 1
where e.url is not null
group by 1;

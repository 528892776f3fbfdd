prepare statement_1 as
select "id", "directory_id", "kind", "replay_id", "status", "from_sequence", "to_sequence", "event_count", "attempts", "failures",
  "next_attempt_at", "bytes", "sha256", "logged", "created_at", "first_attempt_at", "done_at", array(
  select distinct type
  from (
    select s.type
    from stored_events s
    where s.directory_id = webhook_batches.directory_id and s.sequence between webhook_batches.from_sequence and webhook_batches.to_sequence
    order by s.sequence
    limit 20
  ) first
  order by type
) as event_types, cast(extract(epoch from created_at) * 1000000 as float8) as at
from "webhook_batches"
where "directory_id" = $1
order by "created_at" desc, "from_sequence" desc, "id" desc
limit $2;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 11
);

prepare statement_2 as
select "id", "directory_id", "kind", "replay_id", "status", "from_sequence", "to_sequence", "event_count", "attempts", "failures",
  "next_attempt_at", "bytes", "sha256", "logged", "created_at", "first_attempt_at", "done_at", array(
  select distinct type
  from (
    select s.type
    from stored_events s
    where s.directory_id = webhook_batches.directory_id and s.sequence between webhook_batches.from_sequence and webhook_batches.to_sequence
    order by s.sequence
    limit 20
  ) first
  order by type
) as event_types, cast(extract(epoch from created_at) * 1000000 as float8) as at
from "webhook_batches"
where "directory_id" = $1 and "status" = $2 and "kind" = $3
order by "created_at" desc, "from_sequence" desc, "id" desc
limit $4;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'delivered',
  /* $3 */ 'live',
  /* $4 */ 11
);

prepare statement_3 as
with keys as (
  select *
  from ((
    select cast(0 as int) as rank, b.id, b.directory_id, b.created_at, b.from_sequence
    from webhook_batches b
    where b.status = 'exhausted' and b.directory_id in (select d.id from directories d where true)
    order by b.created_at desc, b.from_sequence desc, b.id desc
    limit cast($1 as bigint) + $2 + 1
  ) union all (
    select cast(0 as int) as rank, b.id, b.directory_id, b.created_at, b.from_sequence
    from webhook_batches b
    where b.status = 'pending' and b.kind = 'live' and b.failures > 0 and b.directory_id in (select d.id from directories d where true)
    order by b.created_at desc, b.from_sequence desc, b.id desc
    limit cast($3 as bigint) + $4 + 1
  ) union all (
    select cast(0 as int) as rank, b.id, b.directory_id, b.created_at, b.from_sequence
    from webhook_batches b
    where b.status = 'pending' and b.kind = 'replay' and b.failures > 0 and b.directory_id in (select d.id from directories d where true)
    order by b.created_at desc, b.from_sequence desc, b.id desc
    limit cast($5 as bigint) + $6 + 1
  ) union all (
    select cast(1 as int) as rank, b.id, b.directory_id, b.created_at, b.from_sequence
    from (
      select d.id
      from directories d
      cross join lateral (
        select b.id, b.directory_id, b.created_at, b.from_sequence
        from webhook_batches b
        where b.directory_id = d.id and not (b.status = 'exhausted' or (b.status = 'pending' and b.failures > 0))
        order by b.created_at desc, b.from_sequence desc, b.id desc
        limit 1
      ) newest
      where true
      order by newest.created_at desc, newest.from_sequence desc, newest.id desc
      limit cast($7 as bigint) + $8 + 1
    ) d
    cross join lateral (
      select b.id, b.directory_id, b.created_at, b.from_sequence
      from webhook_batches b
      where b.directory_id = d.id and not (b.status = 'exhausted' or (b.status = 'pending' and b.failures > 0))
      order by b.created_at desc, b.from_sequence desc, b.id desc
      limit cast($9 as bigint) + $10 + 1
    ) b
    order by b.created_at desc, b.from_sequence desc, b.id desc
    limit cast($11 as bigint) + $12 + 1
  )) k
  order by k.rank, k.created_at desc, k.from_sequence desc, k.id desc
  offset $13
  limit cast($14 as bigint) + 1
)
select k.rank, webhook_batches.id, webhook_batches.directory_id, webhook_batches.kind, webhook_batches.replay_id, webhook_batches.status,
  webhook_batches.from_sequence, webhook_batches.to_sequence, webhook_batches.event_count, webhook_batches.attempts, webhook_batches.failures,
  webhook_batches.next_attempt_at, webhook_batches.bytes, webhook_batches.sha256, webhook_batches.logged, webhook_batches.created_at,
  webhook_batches.first_attempt_at, webhook_batches.done_at, array(
  select distinct type
  from (
    select s.type
    from stored_events s
    where s.directory_id = webhook_batches.directory_id and s.sequence between webhook_batches.from_sequence and webhook_batches.to_sequence
    order by s.sequence
    limit 20
  ) first
  order by type
) as event_types, cast(extract(epoch from webhook_batches.created_at) * 1000000 as float8) as at, d.name as directory_name,
  d.tenant, d.product
from keys k
join webhook_batches on webhook_batches.directory_id = k.directory_id and webhook_batches.id = k.id
join directories d on d.id = k.directory_id
order by k.rank, webhook_batches.created_at desc, webhook_batches.from_sequence desc, webhook_batches.id desc;
execute statement_3 (
  /* $1 */ 0,
  /* $2 */ 10,
  /* $3 */ 0,
  /* $4 */ 10,
  /* $5 */ 0,
  /* $6 */ 10,
  /* $7 */ 0,
  /* $8 */ 10,
  /* $9 */ 0,
  /* $10 */ 10,
  /* $11 */ 0,
  /* $12 */ 10,
  /* $13 */ 0,
  /* $14 */ 10
);

prepare statement_4 as
with keys as (
  select *
  from ((
    select cast(1 as int) as rank, b.id, b.directory_id, b.created_at, b.from_sequence
    from webhook_batches b
    where b.status = 'pending' and b.kind = 'live' and b.failures = 0 and b.directory_id in (select d.id from directories d where true and d.tenant = $1) and (b.created_at, b.from_sequence, b.id) < ((timestamptz 'epoch' + cast($2 as bigint) * interval '1 microsecond'), cast($3 as bigint), $4)
    order by b.created_at desc, b.from_sequence desc, b.id desc
    limit cast($5 as bigint) + $6 + 1
  ) union all (
    select cast(1 as int) as rank, b.id, b.directory_id, b.created_at, b.from_sequence
    from webhook_batches b
    where b.status = 'pending' and b.kind = 'replay' and b.failures = 0 and b.directory_id in (select d.id from directories d where true and d.tenant = $7) and (b.created_at, b.from_sequence, b.id) < ((timestamptz 'epoch' + cast($8 as bigint) * interval '1 microsecond'), cast($9 as bigint), $10)
    order by b.created_at desc, b.from_sequence desc, b.id desc
    limit cast($11 as bigint) + $12 + 1
  )) k
  order by k.rank, k.created_at desc, k.from_sequence desc, k.id desc
  offset $13
  limit cast($14 as bigint) + 1
)
select k.rank, webhook_batches.id, webhook_batches.directory_id, webhook_batches.kind, webhook_batches.replay_id, webhook_batches.status,
  webhook_batches.from_sequence, webhook_batches.to_sequence, webhook_batches.event_count, webhook_batches.attempts, webhook_batches.failures,
  webhook_batches.next_attempt_at, webhook_batches.bytes, webhook_batches.sha256, webhook_batches.logged, webhook_batches.created_at,
  webhook_batches.first_attempt_at, webhook_batches.done_at, array(
  select distinct type
  from (
    select s.type
    from stored_events s
    where s.directory_id = webhook_batches.directory_id and s.sequence between webhook_batches.from_sequence and webhook_batches.to_sequence
    order by s.sequence
    limit 20
  ) first
  order by type
) as event_types, cast(extract(epoch from webhook_batches.created_at) * 1000000 as float8) as at, d.name as directory_name,
  d.tenant, d.product
from keys k
join webhook_batches on webhook_batches.directory_id = k.directory_id and webhook_batches.id = k.id
join directories d on d.id = k.directory_id
order by k.rank, webhook_batches.created_at desc, webhook_batches.from_sequence desc, webhook_batches.id desc;
execute statement_4 (
  /* $1 */ 'acme',
  /* $2 */ 1,
  /* $3 */ 1,
  /* $4 */ 'msg_000000000002',
  /* $5 */ 0,
  /* $6 */ 10,
  /* $7 */ 'acme',
  /* $8 */ 1,
  /* $9 */ 1,
  /* $10 */ 'msg_000000000002',
  /* $11 */ 0,
  /* $12 */ 10,
  /* $13 */ 0,
  /* $14 */ 10
);

prepare statement_5 as
with keys as (
  select *
  from ((
    select cast(1 as int) as rank, b.id, b.directory_id, b.created_at, b.from_sequence
    from directories d
    cross join lateral (
      select b.id, b.directory_id, b.created_at, b.from_sequence
      from webhook_batches b
      where b.directory_id = d.id and b.status = 'skipped'
      order by b.created_at desc, b.from_sequence desc, b.id desc
      limit cast($1 as bigint) + $2 + 1
    ) b
    where true and d.product = $3 and d.id = $4
    order by b.created_at desc, b.from_sequence desc, b.id desc
    limit cast($5 as bigint) + $6 + 1
  )) k
  order by k.rank, k.created_at desc, k.from_sequence desc, k.id desc
  offset $7
  limit cast($8 as bigint) + 1
)
select k.rank, webhook_batches.id, webhook_batches.directory_id, webhook_batches.kind, webhook_batches.replay_id, webhook_batches.status,
  webhook_batches.from_sequence, webhook_batches.to_sequence, webhook_batches.event_count, webhook_batches.attempts, webhook_batches.failures,
  webhook_batches.next_attempt_at, webhook_batches.bytes, webhook_batches.sha256, webhook_batches.logged, webhook_batches.created_at,
  webhook_batches.first_attempt_at, webhook_batches.done_at, array(
  select distinct type
  from (
    select s.type
    from stored_events s
    where s.directory_id = webhook_batches.directory_id and s.sequence between webhook_batches.from_sequence and webhook_batches.to_sequence
    order by s.sequence
    limit 20
  ) first
  order by type
) as event_types, cast(extract(epoch from webhook_batches.created_at) * 1000000 as float8) as at, d.name as directory_name,
  d.tenant, d.product
from keys k
join webhook_batches on webhook_batches.directory_id = k.directory_id and webhook_batches.id = k.id
join directories d on d.id = k.directory_id
order by k.rank, webhook_batches.created_at desc, webhook_batches.from_sequence desc, webhook_batches.id desc;
execute statement_5 (
  /* $1 */ 0,
  /* $2 */ 10,
  /* $3 */ 'app',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 0,
  /* $6 */ 10,
  /* $7 */ 0,
  /* $8 */ 10
);

prepare statement_6 as
with keys as (
  select *
  from ((
    select cast(1 as int) as rank, b.id, b.directory_id, b.created_at, b.from_sequence
    from webhook_batches b
    where b.status = 'skipped' and b.directory_id in (select d.id from directories d where true and d.product = $1)
    order by b.created_at desc, b.from_sequence desc, b.id desc
    limit cast($2 as bigint) + $3 + 1
  )) k
  order by k.rank, k.created_at desc, k.from_sequence desc, k.id desc
  offset $4
  limit cast($5 as bigint) + 1
)
select k.rank, webhook_batches.id, webhook_batches.directory_id, webhook_batches.kind, webhook_batches.replay_id, webhook_batches.status,
  webhook_batches.from_sequence, webhook_batches.to_sequence, webhook_batches.event_count, webhook_batches.attempts, webhook_batches.failures,
  webhook_batches.next_attempt_at, webhook_batches.bytes, webhook_batches.sha256, webhook_batches.logged, webhook_batches.created_at,
  webhook_batches.first_attempt_at, webhook_batches.done_at, array(
  select distinct type
  from (
    select s.type
    from stored_events s
    where s.directory_id = webhook_batches.directory_id and s.sequence between webhook_batches.from_sequence and webhook_batches.to_sequence
    order by s.sequence
    limit 20
  ) first
  order by type
) as event_types, cast(extract(epoch from webhook_batches.created_at) * 1000000 as float8) as at, d.name as directory_name,
  d.tenant, d.product
from keys k
join webhook_batches on webhook_batches.directory_id = k.directory_id and webhook_batches.id = k.id
join directories d on d.id = k.directory_id
order by k.rank, webhook_batches.created_at desc, webhook_batches.from_sequence desc, webhook_batches.id desc;
execute statement_6 (
  /* $1 */ 'app',
  /* $2 */ 0,
  /* $3 */ 10,
  /* $4 */ 0,
  /* $5 */ 10
);

prepare statement_7 as
select "id", "directory_id", "kind", "replay_id", "status", "from_sequence", "to_sequence", "event_count", "attempts", "failures",
  "next_attempt_at", "bytes", "sha256", "logged", "created_at", "first_attempt_at", "done_at", array(
  select distinct type
  from (
    select s.type
    from stored_events s
    where s.directory_id = webhook_batches.directory_id and s.sequence between webhook_batches.from_sequence and webhook_batches.to_sequence
    order by s.sequence
    limit 20
  ) first
  order by type
) as event_types
from "webhook_batches"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000002',
  /* $3 */ 1
);

prepare statement_8 as
select coalesce(sum(1024 + coalesce(octet_length(response_body), 0)), 0) as weight
from webhook_attempts
where directory_id = $1 and batch_id = $2;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000002'
);

prepare statement_9 as
select "body"
from "webhook_batches"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000002',
  /* $3 */ 1
);

prepare statement_10 as
select *
from "webhook_attempts"
where "directory_id" = $1 and "batch_id" = $2
order by "number" asc;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000002'
);

prepare statement_11 as
with keys as (
  select k.*
  from unnest(cast($1 as uuid[])) as d(id)
  cross join lateral (
    select b.directory_id, b.id, b.created_at, b.from_sequence, b.bytes
    from webhook_batches b
    where b.directory_id = d.id and b.logged and b.attempts > 0 and exists (
      select
      from webhook_attempts a
      where a.directory_id = b.directory_id and a.batch_id = b.id and a.outcome <> 'in_flight'
    )
    order by b.created_at desc, b.from_sequence desc, b.id desc
    limit cast($2 as bigint) + $3 + 1
  ) k
  order by k.created_at desc, k.from_sequence desc, k.id desc
  offset $4
  limit cast($5 as bigint) + 1
),
measured as (
  select keys.*, count(*) over () as fetched, sum(bytes) over (order by created_at desc, from_sequence desc, id desc) - bytes as bytes_before
  from keys
)
select b.id, b.directory_id, b.created_at, b.body, last.*, measured.fetched, cast(extract(epoch from b.created_at) * 1000000 as float8) as at,
  b.from_sequence as sequence
from measured
join webhook_batches b on b.directory_id = measured.directory_id and b.id = measured.id
cross join lateral (
  select url, sealed_url, status_code, outcome
  from webhook_attempts a
  where a.directory_id = b.directory_id and a.batch_id = b.id and a.outcome <> 'in_flight'
  order by number desc
  limit 1
) last
where measured.bytes_before < $6
order by b.created_at desc, b.from_sequence desc, b.id desc;
execute statement_11 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ 0,
  /* $3 */ 10,
  /* $4 */ 0,
  /* $5 */ 10,
  /* $6 */ 16777216
);

prepare statement_12 as
select "directory_id", "bytes"
from "webhook_batches"
where directory_id = any(cast($1 as uuid[])) and "id" = $2 and "logged" = $3
limit $4;
execute statement_12 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ 'msg_000000000002',
  /* $3 */ true,
  /* $4 */ 1
);

prepare statement_13 as
select b.id, b.directory_id, b.created_at, b.body, last.*
from webhook_batches b
cross join lateral (
  select url, sealed_url, status_code, outcome
  from webhook_attempts a
  where a.directory_id = b.directory_id and a.batch_id = b.id and a.outcome <> 'in_flight'
  order by number desc
  limit 1
) last
where b.directory_id = $1 and b.id = $2 and b.logged;
execute statement_13 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000002'
);

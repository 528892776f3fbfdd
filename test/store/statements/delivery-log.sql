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
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000002',
  /* $3 */ 1
);

prepare statement_4 as
select coalesce(sum(1024 + coalesce(octet_length(response_body), 0)), 0) as weight
from webhook_attempts
where directory_id = $1 and batch_id = $2;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000002'
);

prepare statement_5 as
select "body"
from "webhook_batches"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000002',
  /* $3 */ 1
);

prepare statement_6 as
select *
from "webhook_attempts"
where "directory_id" = $1 and "batch_id" = $2
order by "number" asc;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000002'
);

prepare statement_7 as
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
execute statement_7 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ 0,
  /* $3 */ 10,
  /* $4 */ 0,
  /* $5 */ 10,
  /* $6 */ 16777216
);

prepare statement_8 as
select "directory_id", "bytes"
from "webhook_batches"
where directory_id = any(cast($1 as uuid[])) and "id" = $2 and "logged" = $3
limit $4;
execute statement_8 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ 'msg_000000000002',
  /* $3 */ true,
  /* $4 */ 1
);

prepare statement_9 as
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
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000002'
);

prepare statement_1 as
with held as (
  update webhook_endpoints
  set starts = starts + 1
  where directory_id = $1 and id = $2 and webhook_endpoints.epoch = $3
  returning id, status, url, sealed_url, legacy_signatures, acked_sequence, updated_at, log_bytes, alerted_at
),
running as (
  select r.id
  from held
  join webhook_replays r on r.directory_id = $4 and r.id = cast($5 as uuid) and r.status = 'running' for share of r
),
opened as (
  insert into webhook_batches(directory_id, endpoint_id, id, kind, replay_id, from_sequence, to_sequence, event_count, occurred_at, body, bytes, sha256, suspect, logged, attempts, first_attempt_at, total_bytes)
  select $6, held.id, $7, 'replay', cast($8 as uuid), $9, $10, $11, $12, $13, $14, $15, $16, d.log_webhook_events, 1, clock_timestamp(),
    held.log_bytes
  from held
  join directories d on d.id = $17
  join running on true
  where held.status = 'active' and held.url is not null
  returning id, attempts, logged
),
begun as (
  insert into webhook_attempts(directory_id, batch_id, number, url, sealed_url, trigger)
  select $18, opened.id, opened.attempts, case when held.sealed_url is null then coalesce(regexp_replace(substring(held.url from '^[^:/]+://([^/\u003f#\\]*)'), '^.*@', ''), '') else held.url end,
    held.sealed_url, $19
  from opened
  join held on opened.id = $20
  returning batch_id, number
)
select held.status, held.url, held.sealed_url, held.legacy_signatures, d.last_sequence, held.alerted_at is not null as is_alerted,
  held.updated_at = (select updated_at from webhook_endpoints where directory_id = $21 and id = $22) as is_fresh, (select number from begun where batch_id = $23) as begun, (select logged from opened where id = $24) as logged, (
  select json_agg(json_build_array(id, secret) order by created_at desc)
  from webhook_secrets
  where directory_id = $25 and endpoint_id = $26 and (expires_at is null or expires_at > clock_timestamp())
) as secrets
from held
join directories d on d.id = $27;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1,
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000003',
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ 'msg_000000000004',
  /* $8 */ '10000000-0000-0000-0000-000000000003',
  /* $9 */ 1,
  /* $10 */ 1,
  /* $11 */ 1,
  /* $12 */ '2026-01-01T00:00:00.000Z',
  /* $13 */ '{"event":"user.created","tenant":"t","product":"p","directory_id":"10000000-0000-0000-0000-000000000001","data":{"id":"10000000-0000-0000-0000-000000000005","raw":{"id":"10000000-0000-0000-0000-000000000005","active":true,"emails":[{"value":"ada@example.com"}],"userName":"ada","externalId":"external-ada"},"email":"ada@example.com","active":true,"last_name":"","first_name":""},"id":"10000000-0000-0000-0000-000000000006","sequence":1,"occurred_at":"2026-01-01T00:00:00.000Z","reason":"replay"}',
  /* $14 */ 495,
  /* $15 */ 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $16 */ false,
  /* $17 */ '10000000-0000-0000-0000-000000000001',
  /* $18 */ '10000000-0000-0000-0000-000000000001',
  /* $19 */ 'replay',
  /* $20 */ 'msg_000000000004',
  /* $21 */ '10000000-0000-0000-0000-000000000001',
  /* $22 */ '10000000-0000-0000-0000-000000000002',
  /* $23 */ 'msg_000000000004',
  /* $24 */ 'msg_000000000004',
  /* $25 */ '10000000-0000-0000-0000-000000000001',
  /* $26 */ '10000000-0000-0000-0000-000000000002',
  /* $27 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_2 as
with held as (
  update webhook_endpoints
  set last_success_at = clock_timestamp(), starts = $1, log_bytes = log_bytes + cast($2 as int) + 400
  where directory_id = $3 and id = $4 and webhook_endpoints.epoch = $5
  returning id, status, url, sealed_url, legacy_signatures, acked_sequence, updated_at, log_bytes, alerted_at
),
counted as (
  update webhook_replays r
  set done = r.done + cast($6 as int), next_sequence = cast($7 as bigint) + 1
  from held
  where r.directory_id = $8 and r.id = $9
),
concluded as (
  update webhook_attempts a
  set outcome = $10, status_code = $11, error = $12, ended_at = clock_timestamp()
  from held
  where a.directory_id = $13 and a.batch_id = $14 and a.number = $15
),
closed as (
  update webhook_batches b
  set status = 'delivered', done_at = clock_timestamp(), body = null
  from held
  where b.directory_id = $16 and b.id = $17
  returning b.id
)
select held.status, held.url, held.sealed_url, held.legacy_signatures, d.last_sequence, held.alerted_at is not null as is_alerted,
  held.updated_at = (select updated_at from webhook_endpoints where directory_id = $18 and id = $19) as is_fresh
from held
join directories d on d.id = $20;
execute statement_2 (
  /* $1 */ 0,
  /* $2 */ 490,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ 1,
  /* $6 */ 1,
  /* $7 */ 1,
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ '10000000-0000-0000-0000-000000000003',
  /* $10 */ 'success',
  /* $11 */ 200,
  /* $12 */ null,
  /* $13 */ '10000000-0000-0000-0000-000000000001',
  /* $14 */ 'msg_000000000004',
  /* $15 */ 1,
  /* $16 */ '10000000-0000-0000-0000-000000000001',
  /* $17 */ 'msg_000000000004',
  /* $18 */ '10000000-0000-0000-0000-000000000001',
  /* $19 */ '10000000-0000-0000-0000-000000000002',
  /* $20 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_3 as
select "id"
from "webhook_endpoints"
where "directory_id" = $1 and "id" = $2 and "epoch" = $3
limit $4 for update;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1,
  /* $4 */ 1
);

prepare statement_4 as
update "webhook_replays"
set "status" = case when done >= total then 'done' else 'failed' end, "status_reason" = case when done < total then 'Of ' || total || ' events ' || done || ' could be sent; the bodies of the others are no longer kept.' end,
  "finished_at" = clock_timestamp()
where "directory_id" = $1 and "id" = $2 and "status" = $3;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 'running'
);

prepare statement_5 as
with replayed as (
  update webhook_batches b
  set status = 'replayed'
  from webhook_replays r
  where r.directory_id = $1 and r.id = $2 and r.status = 'done' and b.directory_id = $3 and b.endpoint_id = $4 and (b.status = 'skipped' or (b.status = 'exhausted' and b.kind = 'replay'))
    and exists (
    select
    from jsonb_array_elements(r.ranges) range
    where b.from_sequence >= cast(range ->> 0 as bigint) and b.to_sequence <= cast(range ->> 1 as bigint)
  )
  returning b.from_sequence
)
update webhook_endpoints
set cleared_sequence = least(cleared_sequence, (select min(from_sequence) from replayed) - 1)
where directory_id = $5 and id = $6 and exists (select from replayed);
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_1 as
update webhook_endpoints e
set epoch = e.epoch + 1, wake = false, wake_at = clock_timestamp(), worker_id = $1, worker_epoch = e.epoch + 1, activity_id = $2,
  starts = case when e.starts < $3 then e.starts + 1 else e.starts end
from (select id, starts from webhook_endpoints where directory_id = $4 for update) before
where e.directory_id = $5 and e.id = before.id
returning e.id as "endpointId", e.epoch, e.starts, before.starts as crashes;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '1',
  /* $3 */ 2,
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_2 as
select e.acked_sequence, e.batch_limit, e.suspect_until, e.url is null or e.status <> 'active' as is_inactive, d.tenant, d.product,
  d.last_sequence, (
  select row_to_json(head)
  from (
    select b.id, b.kind, b.replay_id, b.from_sequence, b.to_sequence, b.event_count, coalesce(b.occurred_at, b.created_at) as occurred_at,
      case when b.bytes <= 32768 then b.body end as body, b.bytes, b.suspect, b.attempts, b.failures, b.client_errors, cast(ceil(extract(epoch from b.next_attempt_at - clock_timestamp()) * 1000) as float8) as retry_in_ms
    from webhook_batches b
    where b.directory_id = $1 and b.endpoint_id = $2 and b.status = 'pending' and b.kind = 'live'
  ) head
) as head
from webhook_endpoints e
join directories d on d.id = e.directory_id
where e.directory_id = $3 and e.id = $4;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_3 as
select given.position - 1 as range, found.*
from rows
from (jsonb_to_recordset(cast($1 as jsonb)) as ("directoryId" uuid, "after" bigint, "upTo" bigint, "limit" int, "maxBytes" bigint)) with ordinality as given("directoryId", "after", "upTo", "limit", "maxBytes", position)
cross join lateral (
  select weighed.sequence, weighed.size as bytes, e.id, e.type, e.data, e.occurred_at
  from (
    select sequence, size, sum(size) over (order by sequence) as bytes_to_here
    from (
      select sequence, coalesce(bytes, octet_length(cast(data as text))) as size
      from stored_events
      where directory_id = given."directoryId" and sequence > given."after" and sequence <= given."upTo" and data is not null
      order by sequence
      limit given."limit"
    ) unread
  ) weighed
  left join lateral (
    select id, type, cast(data as text) as data, occurred_at
    from events
    where directory_id = given."directoryId" and sequence = weighed.sequence and weighed.bytes_to_here <= given."maxBytes"
    offset 0
  ) e on true
  where weighed.bytes_to_here <= given."maxBytes" or weighed.bytes_to_here = weighed.size
) found
order by given.position, found.sequence;
execute statement_3 (
  /* $1 */ '[{"directoryId":"10000000-0000-0000-0000-000000000002","after":0,"upTo":2,"limit":2,"maxBytes":1000000}]'
);

prepare statement_4 as
with held as (
  select id, status, url, sealed_url, legacy_signatures, acked_sequence, updated_at, log_bytes, alerted_at
  from webhook_endpoints
  where directory_id = $1 and id = $2 and webhook_endpoints.epoch = $3 for update
),
opened as (
  insert into webhook_batches(directory_id, endpoint_id, id, kind, replay_id, from_sequence, to_sequence, event_count, occurred_at, body, bytes, sha256, suspect, logged, attempts, first_attempt_at, total_bytes)
  select $4, held.id, $5, 'live', cast($6 as uuid), $7, $8, $9, $10, $11, $12, $13, $14, d.log_webhook_events, 1, clock_timestamp(),
    held.log_bytes
  from held
  join directories d on d.id = $15
  where held.status = 'active' and held.url is not null and held.acked_sequence + 1 = cast($16 as bigint)
  returning id, attempts, logged
),
begun as (
  insert into webhook_attempts(directory_id, batch_id, number, url, sealed_url, trigger)
  select $17, opened.id, opened.attempts, case when held.sealed_url is null then coalesce(regexp_replace(substring(held.url from '^[^:/]+://([^/\u003f#\\]*)'), '^.*@', ''), '') else held.url end,
    held.sealed_url, $18
  from opened
  join held on opened.id = $19
  returning batch_id, number
)
select held.status, held.url, held.sealed_url, held.legacy_signatures, d.last_sequence, held.alerted_at is not null as is_alerted,
  held.updated_at = (select updated_at from webhook_endpoints where directory_id = $20 and id = $21) as is_fresh, (select number from begun where batch_id = $22) as begun, (select logged from opened where id = $23) as logged, (
  select json_agg(json_build_array(id, secret) order by created_at desc)
  from webhook_secrets
  where directory_id = $24 and endpoint_id = $25 and (expires_at is null or expires_at > clock_timestamp())
) as secrets
from held
join directories d on d.id = $26;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 1,
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ 'msg_000000000004',
  /* $6 */ null,
  /* $7 */ 1,
  /* $8 */ 1,
  /* $9 */ 1,
  /* $10 */ '2026-01-01T00:00:00.000Z',
  /* $11 */ '{"event":"user.created","tenant":"t","product":"p","directory_id":"10000000-0000-0000-0000-000000000002","data":{"id":"10000000-0000-0000-0000-000000000005","raw":{"id":"10000000-0000-0000-0000-000000000005","active":true,"emails":[{"value":"ada@example.com"}],"userName":"ada","externalId":"external-ada"},"email":"ada@example.com","active":true,"last_name":"","first_name":""},"id":"10000000-0000-0000-0000-000000000006","sequence":1,"occurred_at":"2026-01-01T00:00:00.000Z","reason":"scim"}',
  /* $12 */ 493,
  /* $13 */ 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $14 */ false,
  /* $15 */ '10000000-0000-0000-0000-000000000002',
  /* $16 */ 1,
  /* $17 */ '10000000-0000-0000-0000-000000000002',
  /* $18 */ 'auto',
  /* $19 */ 'msg_000000000004',
  /* $20 */ '10000000-0000-0000-0000-000000000002',
  /* $21 */ '10000000-0000-0000-0000-000000000003',
  /* $22 */ 'msg_000000000004',
  /* $23 */ 'msg_000000000004',
  /* $24 */ '10000000-0000-0000-0000-000000000002',
  /* $25 */ '10000000-0000-0000-0000-000000000003',
  /* $26 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_5 as
with held as (
  update webhook_endpoints
  set acked_sequence = greatest(acked_sequence, $1), batch_limit = $2, last_success_at = clock_timestamp(), first_failure_at = null,
    starts = $3, log_bytes = log_bytes + cast($4 as int) + 400 + coalesce((select bytes from webhook_batches where directory_id = $5 and id = $6), 0)
  where directory_id = $7 and id = $8 and webhook_endpoints.epoch = $9
  returning id, status, url, sealed_url, legacy_signatures, acked_sequence, updated_at, log_bytes, alerted_at
),
concluded as (
  update webhook_attempts a
  set outcome = $10, status_code = $11, error = $12, ended_at = clock_timestamp(), secret_ids = cast($13 as uuid[]), address = $14,
    request_headers = cast($15 as jsonb), response_headers = cast($16 as jsonb), response_body = $17, response_truncated = $18,
    timings = cast($19 as jsonb)
  from held
  where a.directory_id = $20 and a.batch_id = $21 and a.number = $22
),
closed as (
  update webhook_batches b
  set status = 'delivered', done_at = clock_timestamp()
  from held
  where b.directory_id = $23 and b.id = $24
  returning b.id
),
opened as (
  insert into webhook_batches(directory_id, endpoint_id, id, kind, replay_id, from_sequence, to_sequence, event_count, occurred_at, body, bytes, sha256, suspect, logged, attempts, first_attempt_at, total_bytes)
  select $25, held.id, $26, 'live', cast($27 as uuid), $28, $29, $30, $31, $32, $33, $34, $35, d.log_webhook_events, 1, clock_timestamp(),
    held.log_bytes
  from held
  join directories d on d.id = $36
  left join closed on closed.id = $37
  where held.status = 'active' and held.url is not null and held.acked_sequence + 1 = cast($38 as bigint)
  returning id, attempts, logged
),
begun as (
  insert into webhook_attempts(directory_id, batch_id, number, url, sealed_url, trigger)
  select $39, opened.id, opened.attempts, case when held.sealed_url is null then coalesce(regexp_replace(substring(held.url from '^[^:/]+://([^/\u003f#\\]*)'), '^.*@', ''), '') else held.url end,
    held.sealed_url, $40
  from opened
  join held on opened.id = $41
  returning batch_id, number
)
select held.status, held.url, held.sealed_url, held.legacy_signatures, d.last_sequence, held.alerted_at is not null as is_alerted,
  held.updated_at = (select updated_at from webhook_endpoints where directory_id = $42 and id = $43) as is_fresh, (select number from begun where batch_id = $44) as begun, (select logged from opened where id = $45) as logged, (
  select json_agg(json_build_array(id, secret) order by created_at desc)
  from webhook_secrets
  where directory_id = $46 and endpoint_id = $47 and (expires_at is null or expires_at > clock_timestamp())
) as secrets
from held
join directories d on d.id = $48;
execute statement_5 (
  /* $1 */ 1,
  /* $2 */ null,
  /* $3 */ 1,
  /* $4 */ 513,
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ 'msg_000000000004',
  /* $7 */ '10000000-0000-0000-0000-000000000002',
  /* $8 */ '10000000-0000-0000-0000-000000000003',
  /* $9 */ 1,
  /* $10 */ 'success',
  /* $11 */ 200,
  /* $12 */ null,
  /* $13 */ '{}',
  /* $14 */ null,
  /* $15 */ '{}',
  /* $16 */ 'null',
  /* $17 */ null,
  /* $18 */ null,
  /* $19 */ '{"totalMs":1}',
  /* $20 */ '10000000-0000-0000-0000-000000000002',
  /* $21 */ 'msg_000000000004',
  /* $22 */ 1,
  /* $23 */ '10000000-0000-0000-0000-000000000002',
  /* $24 */ 'msg_000000000004',
  /* $25 */ '10000000-0000-0000-0000-000000000002',
  /* $26 */ 'msg_000000000007',
  /* $27 */ null,
  /* $28 */ 2,
  /* $29 */ 2,
  /* $30 */ 1,
  /* $31 */ '2026-01-01T00:00:00.000Z',
  /* $32 */ '{"event":"user.created","tenant":"t","product":"p","directory_id":"10000000-0000-0000-0000-000000000002","data":{"id":"10000000-0000-0000-0000-000000000008","raw":{"id":"10000000-0000-0000-0000-000000000008","active":true,"emails":[{"value":"ben@example.com"}],"userName":"ben","externalId":"external-ben"},"email":"ben@example.com","active":true,"last_name":"","first_name":""},"id":"10000000-0000-0000-0000-000000000009","sequence":2,"occurred_at":"2026-01-01T00:00:00.000Z","reason":"scim"}',
  /* $33 */ 493,
  /* $34 */ 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $35 */ false,
  /* $36 */ '10000000-0000-0000-0000-000000000002',
  /* $37 */ 'msg_000000000004',
  /* $38 */ 2,
  /* $39 */ '10000000-0000-0000-0000-000000000002',
  /* $40 */ 'auto',
  /* $41 */ 'msg_000000000007',
  /* $42 */ '10000000-0000-0000-0000-000000000002',
  /* $43 */ '10000000-0000-0000-0000-000000000003',
  /* $44 */ 'msg_000000000007',
  /* $45 */ 'msg_000000000007',
  /* $46 */ '10000000-0000-0000-0000-000000000002',
  /* $47 */ '10000000-0000-0000-0000-000000000003',
  /* $48 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_6 as
update webhook_endpoints e
set epoch = e.epoch + 1, wake = false, wake_at = clock_timestamp(), worker_id = $1, worker_epoch = e.epoch + 1, activity_id = $2,
  starts = case when e.starts < $3 then e.starts + 1 else e.starts end
from (select id, starts from webhook_endpoints where directory_id = $4 for update) before
where e.directory_id = $5 and e.id = before.id
returning e.id as "endpointId", e.epoch, e.starts, before.starts as crashes;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '1',
  /* $3 */ 2,
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_7 as
select e.acked_sequence, e.batch_limit, e.suspect_until, e.url is null or e.status <> 'active' as is_inactive, d.tenant, d.product,
  d.last_sequence, (
  select row_to_json(head)
  from (
    select b.id, b.kind, b.replay_id, b.from_sequence, b.to_sequence, b.event_count, coalesce(b.occurred_at, b.created_at) as occurred_at,
      case when b.bytes <= 32768 then b.body end as body, b.bytes, b.suspect, b.attempts, b.failures, b.client_errors, cast(ceil(extract(epoch from b.next_attempt_at - clock_timestamp()) * 1000) as float8) as retry_in_ms
    from webhook_batches b
    where b.directory_id = $1 and b.endpoint_id = $2 and b.status = 'pending' and b.kind = 'live'
  ) head
) as head
from webhook_endpoints e
join directories d on d.id = e.directory_id
where e.directory_id = $3 and e.id = $4;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_8 as
with held as (
  select id, status, url, sealed_url, legacy_signatures, acked_sequence, updated_at, log_bytes, alerted_at
  from webhook_endpoints
  where directory_id = $1 and id = $2 and webhook_endpoints.epoch = $3 for update
),
interrupted as (
  update webhook_attempts a
  set outcome = 'aborted', ended_at = clock_timestamp(), error = 'The process ended before the response arrived.'
  from held
  where a.directory_id = $4 and a.batch_id = $5 and a.outcome = 'in_flight'
),
opened as (
  update webhook_batches b
  set attempts = b.attempts + 1, first_attempt_at = coalesce(b.first_attempt_at, clock_timestamp())
  from held
  where b.directory_id = $6 and b.id = $7 and b.status = 'pending' and held.status = 'active' and held.url is not null
  returning b.id, b.attempts, b.logged
),
begun as (
  insert into webhook_attempts(directory_id, batch_id, number, url, sealed_url, trigger)
  select $8, opened.id, opened.attempts, case when held.sealed_url is null then coalesce(regexp_replace(substring(held.url from '^[^:/]+://([^/\u003f#\\]*)'), '^.*@', ''), '') else held.url end,
    held.sealed_url, $9
  from opened
  join held on opened.id = $10
  returning batch_id, number
)
select held.status, held.url, held.sealed_url, held.legacy_signatures, d.last_sequence, held.alerted_at is not null as is_alerted,
  held.updated_at = (select updated_at from webhook_endpoints where directory_id = $11 and id = $12) as is_fresh, (select number from begun where batch_id = $13) as begun, (select logged from opened where id = $14) as logged, (
  select json_agg(json_build_array(id, secret) order by created_at desc)
  from webhook_secrets
  where directory_id = $15 and endpoint_id = $16 and (expires_at is null or expires_at > clock_timestamp())
) as secrets
from held
join directories d on d.id = $17;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 2,
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ 'msg_000000000007',
  /* $6 */ '10000000-0000-0000-0000-000000000002',
  /* $7 */ 'msg_000000000007',
  /* $8 */ '10000000-0000-0000-0000-000000000002',
  /* $9 */ 'auto',
  /* $10 */ 'msg_000000000007',
  /* $11 */ '10000000-0000-0000-0000-000000000002',
  /* $12 */ '10000000-0000-0000-0000-000000000003',
  /* $13 */ 'msg_000000000007',
  /* $14 */ 'msg_000000000007',
  /* $15 */ '10000000-0000-0000-0000-000000000002',
  /* $16 */ '10000000-0000-0000-0000-000000000003',
  /* $17 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_9 as
update "webhook_endpoints"
set "starts" = $1
where "directory_id" = $2 and "id" = $3 and "epoch" = $4;
execute statement_9 (
  /* $1 */ 0,
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '10000000-0000-0000-0000-000000000003',
  /* $4 */ 2
);

prepare statement_10 as
update webhook_attempts
set outcome = $1, status_code = $2, error = $3, ended_at = clock_timestamp(), secret_ids = cast($4 as uuid[]), address = $5,
  request_headers = cast($6 as jsonb), response_headers = cast($7 as jsonb), response_body = $8, response_truncated = $9,
  timings = cast($10 as jsonb)
where directory_id = $11 and batch_id = $12 and number = $13;
execute statement_10 (
  /* $1 */ 'http_error',
  /* $2 */ 200,
  /* $3 */ null,
  /* $4 */ '{}',
  /* $5 */ null,
  /* $6 */ '{}',
  /* $7 */ 'null',
  /* $8 */ null,
  /* $9 */ null,
  /* $10 */ '{"totalMs":1}',
  /* $11 */ '10000000-0000-0000-0000-000000000002',
  /* $12 */ 'msg_000000000007',
  /* $13 */ 2
);

prepare statement_11 as
update webhook_endpoints
set log_bytes = log_bytes + $1 + 400 + coalesce((select bytes from webhook_batches where directory_id = $2 and id = $3), 0)
where directory_id = $4 and id = $5;
execute statement_11 (
  /* $1 */ 513,
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'msg_000000000007',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_12 as
select "url", "sealed_url"
from "webhook_endpoints"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 1
);

prepare statement_13 as
select "id"
from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2
order by "created_at" desc
limit $3;
execute statement_13 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 1
);

prepare statement_14 as
update "webhook_batches"
set "status" = $1, "done_at" = clock_timestamp(), "body" = case when logged then body end
where "directory_id" = $2 and "id" = $3;
execute statement_14 (
  /* $1 */ 'split',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'msg_000000000007'
);

prepare statement_15 as
update "webhook_endpoints"
set "first_failure_at" = coalesce(first_failure_at, clock_timestamp()), "consecutive_failures" = case when first_failure_at is null then 1 else consecutive_failures + 1 end,
  "batch_limit" = $1, "suspect_until" = $2
where "directory_id" = $3 and "id" = $4;
execute statement_15 (
  /* $1 */ 1,
  /* $2 */ 2,
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_16 as
insert into directory_hours as h(directory_id, slot, hour, failed_attempts)
select cast($1 as uuid), hour % 32, hour, 1
from (
  select cast(floor(extract(epoch from clock_timestamp()) / 3600) as bigint) as hour
) present
on conflict(directory_id, slot) do update
set hour = excluded.hour, pushes = case when h.hour = excluded.hour then h.pushes + 0 else 0 end, rejected_pushes = case when h.hour = excluded.hour then h.rejected_pushes + 0 else 0 end,
  failed_attempts = case when h.hour = excluded.hour then h.failed_attempts + excluded.failed_attempts else excluded.failed_attempts end
where h.hour <= excluded.hour;
execute statement_16 (
  /* $1 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_17 as
select "first_failure_at", "consecutive_failures" as "failures", cast(extract(epoch from clock_timestamp() - first_failure_at) * 1000 as float8) as failing_ms
from "webhook_endpoints"
where "directory_id" = $1 and "alerted_at" is null and "first_failure_at" is not null
limit $2;
execute statement_17 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ 1
);

prepare statement_18 as
with step as (
  select e.id, e.cleared_sequence as done, least(e.acked_sequence, e.cleared_sequence + 2000) as upto, e.acked_sequence
  from webhook_endpoints e
  join directories d on d.id = e.directory_id and not d.log_webhook_events
  where e.directory_id = $1 and e.id = $2 and e.epoch = $3 and e.cleared_sequence < e.acked_sequence and not exists (
    select
    from webhook_replays r
    where r.endpoint_id = e.id and r.status = 'running'
  )
),
cleared as (
  update stored_events e
  set data = null, user_document = null, group_document = null
  from step
  where e.directory_id = $4 and e.sequence > step.done and e.sequence <= step.upto and e.data is not null and not exists (
    select
    from webhook_batches b
    where b.endpoint_id = step.id and b.status = 'skipped' and e.sequence between b.from_sequence and b.to_sequence
  )
  returning e.sequence
),
shown as (
  select e.user_document, e.group_document
  from step, stored_events e
  where e.directory_id = $5 and e.sequence > step.done and e.sequence <= step.upto and (e.user_document is not null or e.group_document is not null)
),
counted as (
  select (select count(*) from cleared), array_agg(distinct user_document) filter (where user_document is not null) || array_agg(distinct group_document) filter (where group_document is not null) as documents
  from shown
)
update webhook_endpoints e
set cleared_sequence = step.upto
from step, counted
where e.directory_id = $6 and e.id = step.id and e.epoch = $7
returning step.upto, step.upto < step.acked_sequence as has_more, counted.documents;
execute statement_18 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 2,
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ '10000000-0000-0000-0000-000000000002',
  /* $7 */ 2
);

prepare statement_19 as
with replay as (
  select id, ranges, next_sequence
  from webhook_replays
  where directory_id = $1 and endpoint_id = $2 and status = 'running'
  order by created_at
  limit 1
),
watched as (
  update webhook_endpoints e
  set wake = e.wake or (cast($3 as boolean) and not exists (select from replay)), wake_at = clock_timestamp(), starts = case when exists (select from replay) then e.starts else 0 end
  where e.directory_id = $4 and e.id = $5 and e.epoch = $6
  returning e.*
),
used as (
  update webhook_secrets s
  set last_used_at = clock_timestamp()
  from watched
  where s.directory_id = $7 and s.id = any(cast($8 as uuid[]))
)
select (select row_to_json(replay) from replay) as replay, (
  select row_to_json(head)
  from (
    select b.id, b.kind, b.replay_id, b.from_sequence, b.to_sequence, b.event_count, coalesce(b.occurred_at, b.created_at) as occurred_at,
      case when b.bytes <= 32768 then b.body end as body, b.bytes, b.suspect, b.attempts, b.failures, b.client_errors, cast(ceil(extract(epoch from b.next_attempt_at - clock_timestamp()) * 1000) as float8) as retry_in_ms
    from replay
    join webhook_batches b on b.replay_id = replay.id
    where b.directory_id = $9 and b.status = 'pending'
  ) head
) as head
from watched;
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ true,
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000003',
  /* $6 */ 2,
  /* $7 */ '10000000-0000-0000-0000-000000000002',
  /* $8 */ '{}',
  /* $9 */ '10000000-0000-0000-0000-000000000002'
);

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
with given as materialized (
  select *
  from jsonb_to_recordset(cast($1 as jsonb)) as given("directoryId" uuid, "endpointId" uuid, "epoch" bigint, "batchId" text, "batchReplayId" uuid, "fromSequence" bigint, "lastOfBatch" bigint, "batchCount" int, "occurredAt" timestamptz, "body" text, "bytes" int, "sha256" text, "suspect" boolean, "trigger" text)
),
locked as materialized (
  select e.id as endpoint
  from given
  join webhook_endpoints e on e.directory_id = given."directoryId" and e.id = given."endpointId" and e.epoch = given.epoch
  order by e.id for no key update of e skip locked
),
held as (
  update webhook_endpoints
  set starts = starts + 1
  from given
  join locked on locked.endpoint = given."endpointId"
  where directory_id = given."directoryId" and id = given."endpointId" and webhook_endpoints.epoch = given."epoch"
  returning id, status, url, sealed_url, legacy_signatures, acked_sequence, updated_at, log_bytes, alerted_at, given.*
),
opened as (
  insert into webhook_batches(directory_id, endpoint_id, id, kind, replay_id, from_sequence, to_sequence, event_count, occurred_at, body, bytes, sha256, suspect, logged, attempts, first_attempt_at, total_bytes)
  select held."directoryId", held.id, held."batchId", 'live', cast(held."batchReplayId" as uuid), held."fromSequence", held."lastOfBatch",
    held."batchCount", held."occurredAt", held."body", held."bytes", held."sha256", held."suspect", d.log_webhook_events,
    1, clock_timestamp(), held.log_bytes
  from held
  join directories d on d.id = held."directoryId"
  where held.status = 'active' and held.url is not null and held.acked_sequence + 1 = cast(held."fromSequence" as bigint)
  returning id, attempts, logged
),
begun as (
  insert into webhook_attempts(directory_id, batch_id, number, url, sealed_url, trigger)
  select held."directoryId", opened.id, opened.attempts, case when held.sealed_url is null then coalesce(regexp_replace(substring(held.url from '^[^:/]+://([^/\u003f#\\]*)'), '^.*@', ''), '') else held.url end,
    held.sealed_url, held."trigger"
  from opened
  join held on opened.id = held."batchId"
  returning batch_id, number
)
select held."directoryId" as directory_id, held.epoch, held.status, held.url, held.sealed_url, held.legacy_signatures, d.last_sequence,
  held.alerted_at is not null as is_alerted, held.updated_at = (
  select updated_at
  from webhook_endpoints
  where directory_id = held."directoryId" and id = held."endpointId"
) as is_fresh, (select number from begun where batch_id = held."batchId") as begun, (select logged from opened where id = held."batchId") as logged, (
  select json_agg(json_build_array(id, secret) order by created_at desc)
  from webhook_secrets
  where directory_id = held."directoryId" and endpoint_id = held."endpointId" and (expires_at is null or expires_at > clock_timestamp())
) as secrets
from held
join directories d on d.id = held."directoryId";
execute statement_4 (
  /* $1 */ '[{"directoryId":"10000000-0000-0000-0000-000000000002","endpointId":"10000000-0000-0000-0000-000000000003","epoch":1,"batchId":"msg_000000000006","batchReplayId":null,"fromSequence":1,"lastOfBatch":1,"batchCount":1,"occurredAt":"2026-01-01T00:00:00.000Z","body":"{\"event\":\"user.created\",\"tenant\":\"t\",\"product\":\"p\",\"directory_id\":\"10000000-0000-0000-0000-000000000002\",\"data\":{\"id\":\"10000000-0000-0000-0000-000000000004\",\"raw\":{\"id\":\"10000000-0000-0000-0000-000000000004\",\"active\":true,\"emails\":[{\"value\":\"ada@example.com\"}],\"userName\":\"ada\",\"externalId\":\"external-ada\"},\"email\":\"ada@example.com\",\"active\":true,\"last_name\":\"\",\"first_name\":\"\"},\"id\":\"10000000-0000-0000-0000-000000000005\",\"sequence\":1,\"occurred_at\":\"2026-01-01T00:00:00.000Z\",\"reason\":\"scim\"}","bytes":493,"sha256":"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","suspect":false,"trigger":"auto"}]'
);

prepare statement_5 as
with given as materialized (
  select *
  from jsonb_to_recordset(cast($1 as jsonb)) as given("directoryId" uuid, "endpointId" uuid, "epoch" bigint, "ackedSequence" bigint, "batchLimit" int, "logBytes" int, "starts" int, "concludedId" text, "concludedNumber" int, "outcome" text, "statusCode" int, "error" text, "batchId" text, "batchReplayId" uuid, "fromSequence" bigint, "lastOfBatch" bigint, "batchCount" int, "occurredAt" timestamptz, "body" text, "bytes" int, "sha256" text, "suspect" boolean, "trigger" text)
),
locked as materialized (
  select e.id as endpoint
  from given
  join webhook_endpoints e on e.directory_id = given."directoryId" and e.id = given."endpointId" and e.epoch = given.epoch
  order by e.id for no key update of e skip locked
),
held as (
  update webhook_endpoints
  set acked_sequence = greatest(acked_sequence, given."ackedSequence"), batch_limit = given."batchLimit", last_success_at = clock_timestamp(),
    first_failure_at = null, starts = given."starts", log_bytes = log_bytes + cast(given."logBytes" as int) + 400
  from given
  join locked on locked.endpoint = given."endpointId"
  where directory_id = given."directoryId" and id = given."endpointId" and webhook_endpoints.epoch = given."epoch"
  returning id, status, url, sealed_url, legacy_signatures, acked_sequence, updated_at, log_bytes, alerted_at, given.*
),
concluded as (
  update webhook_attempts a
  set outcome = held."outcome", status_code = held."statusCode", error = held."error", ended_at = clock_timestamp()
  from held
  where a.directory_id = held."directoryId" and a.batch_id = held."concludedId" and a.number = held."concludedNumber"
),
closed as (
  update webhook_batches b
  set status = 'delivered', done_at = clock_timestamp(), body = null
  from held
  where b.directory_id = held."directoryId" and b.id = held."concludedId"
  returning b.id
),
opened as (
  insert into webhook_batches(directory_id, endpoint_id, id, kind, replay_id, from_sequence, to_sequence, event_count, occurred_at, body, bytes, sha256, suspect, logged, attempts, first_attempt_at, total_bytes)
  select held."directoryId", held.id, held."batchId", 'live', cast(held."batchReplayId" as uuid), held."fromSequence", held."lastOfBatch",
    held."batchCount", held."occurredAt", held."body", held."bytes", held."sha256", held."suspect", d.log_webhook_events,
    1, clock_timestamp(), held.log_bytes
  from held
  join directories d on d.id = held."directoryId"
  left join closed on closed.id = held."concludedId"
  where held.status = 'active' and held.url is not null and held.acked_sequence + 1 = cast(held."fromSequence" as bigint)
  returning id, attempts, logged
),
begun as (
  insert into webhook_attempts(directory_id, batch_id, number, url, sealed_url, trigger)
  select held."directoryId", opened.id, opened.attempts, case when held.sealed_url is null then coalesce(regexp_replace(substring(held.url from '^[^:/]+://([^/\u003f#\\]*)'), '^.*@', ''), '') else held.url end,
    held.sealed_url, held."trigger"
  from opened
  join held on opened.id = held."batchId"
  returning batch_id, number
)
select held."directoryId" as directory_id, held.epoch, held.status, held.url, held.sealed_url, held.legacy_signatures, d.last_sequence,
  held.alerted_at is not null as is_alerted, held.updated_at = (
  select updated_at
  from webhook_endpoints
  where directory_id = held."directoryId" and id = held."endpointId"
) as is_fresh, (select number from begun where batch_id = held."batchId") as begun, (select logged from opened where id = held."batchId") as logged, (
  select json_agg(json_build_array(id, secret) order by created_at desc)
  from webhook_secrets
  where directory_id = held."directoryId" and endpoint_id = held."endpointId" and (expires_at is null or expires_at > clock_timestamp())
) as secrets
from held
join directories d on d.id = held."directoryId";
execute statement_5 (
  /* $1 */ '[{"directoryId":"10000000-0000-0000-0000-000000000002","endpointId":"10000000-0000-0000-0000-000000000003","epoch":1,"ackedSequence":1,"batchLimit":null,"logBytes":490,"starts":1,"concludedId":"msg_000000000006","concludedNumber":1,"outcome":"success","statusCode":200,"error":null,"batchId":"msg_000000000009","batchReplayId":null,"fromSequence":2,"lastOfBatch":2,"batchCount":1,"occurredAt":"2026-01-01T00:00:00.000Z","body":"{\"event\":\"user.created\",\"tenant\":\"t\",\"product\":\"p\",\"directory_id\":\"10000000-0000-0000-0000-000000000002\",\"data\":{\"id\":\"10000000-0000-0000-0000-000000000007\",\"raw\":{\"id\":\"10000000-0000-0000-0000-000000000007\",\"active\":true,\"emails\":[{\"value\":\"ben@example.com\"}],\"userName\":\"ben\",\"externalId\":\"external-ben\"},\"email\":\"ben@example.com\",\"active\":true,\"last_name\":\"\",\"first_name\":\"\"},\"id\":\"10000000-0000-0000-0000-000000000008\",\"sequence\":2,\"occurred_at\":\"2026-01-01T00:00:00.000Z\",\"reason\":\"scim\"}","bytes":493,"sha256":"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","suspect":false,"trigger":"auto"}]'
);

prepare statement_6 as
with given as materialized (
  select *
  from jsonb_to_recordset(cast($1 as jsonb)) as given("directoryId" uuid, "endpointId" uuid, "epoch" bigint, "ackedSequence" bigint, "batchLimit" int, "logBytes" int, "starts" int, "concludedId" text, "concludedNumber" int, "outcome" text, "statusCode" int, "error" text)
),
locked as materialized (
  select e.id as endpoint
  from given
  join webhook_endpoints e on e.directory_id = given."directoryId" and e.id = given."endpointId" and e.epoch = given.epoch
  order by e.id for no key update of e skip locked
),
held as (
  update webhook_endpoints
  set acked_sequence = greatest(acked_sequence, given."ackedSequence"), batch_limit = given."batchLimit", last_success_at = clock_timestamp(),
    first_failure_at = null, starts = given."starts", log_bytes = log_bytes + cast(given."logBytes" as int) + 400
  from given
  join locked on locked.endpoint = given."endpointId"
  where directory_id = given."directoryId" and id = given."endpointId" and webhook_endpoints.epoch = given."epoch"
  returning id, status, url, sealed_url, legacy_signatures, acked_sequence, updated_at, log_bytes, alerted_at, given.*
),
concluded as (
  update webhook_attempts a
  set outcome = held."outcome", status_code = held."statusCode", error = held."error", ended_at = clock_timestamp()
  from held
  where a.directory_id = held."directoryId" and a.batch_id = held."concludedId" and a.number = held."concludedNumber"
),
closed as (
  update webhook_batches b
  set status = 'delivered', done_at = clock_timestamp(), body = null
  from held
  where b.directory_id = held."directoryId" and b.id = held."concludedId"
  returning b.id
)
select held."directoryId" as directory_id, held.epoch, held.status, held.url, held.sealed_url, held.legacy_signatures, d.last_sequence,
  held.alerted_at is not null as is_alerted, held.updated_at = (
  select updated_at
  from webhook_endpoints
  where directory_id = held."directoryId" and id = held."endpointId"
) as is_fresh
from held
join directories d on d.id = held."directoryId";
execute statement_6 (
  /* $1 */ '[{"directoryId":"10000000-0000-0000-0000-000000000002","endpointId":"10000000-0000-0000-0000-000000000003","epoch":1,"ackedSequence":2,"batchLimit":null,"logBytes":490,"starts":0,"concludedId":"msg_000000000009","concludedNumber":1,"outcome":"success","statusCode":200,"error":null}]'
);

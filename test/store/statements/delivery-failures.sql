prepare statement_1 as
update "webhook_endpoints"
set "starts" = $1
where "directory_id" = $2 and "id" = $3 and "epoch" = $4;
execute statement_1 (
  /* $1 */ 0,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ 1
);

prepare statement_2 as
update webhook_attempts
set outcome = $1, status_code = $2, error = $3, ended_at = clock_timestamp()
where directory_id = $4 and batch_id = $5 and number = $6;
execute statement_2 (
  /* $1 */ 'http_error',
  /* $2 */ 200,
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 'msg_000000000003',
  /* $6 */ 1
);

prepare statement_3 as
update webhook_endpoints
set log_bytes = log_bytes + $1
where directory_id = $2 and id = $3;
execute statement_3 (
  /* $1 */ 490,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_4 as
select "url", "sealed_url"
from "webhook_endpoints"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_5 as
select "id"
from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2
order by "created_at" desc
limit $3;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_6 as
update "webhook_batches"
set "next_attempt_at" = clock_timestamp() + $1 * interval '1 millisecond'
where "directory_id" = $2 and "id" = $3;
execute statement_6 (
  /* $1 */ 1000,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'msg_000000000003'
);

prepare statement_7 as
update "webhook_endpoints"
set "starts" = $1
where "directory_id" = $2 and "id" = $3 and "epoch" = $4;
execute statement_7 (
  /* $1 */ 0,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ 1
);

prepare statement_8 as
update webhook_attempts
set outcome = $1, status_code = $2, error = $3, ended_at = clock_timestamp()
where directory_id = $4 and batch_id = $5 and number = $6;
execute statement_8 (
  /* $1 */ 'http_error',
  /* $2 */ 200,
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 'msg_000000000003',
  /* $6 */ 1
);

prepare statement_9 as
update webhook_endpoints
set log_bytes = log_bytes + $1
where directory_id = $2 and id = $3;
execute statement_9 (
  /* $1 */ 490,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_10 as
select "url", "sealed_url"
from "webhook_endpoints"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_11 as
select "id"
from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2
order by "created_at" desc
limit $3;
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_12 as
update "webhook_batches"
set "next_attempt_at" = clock_timestamp() + $1 * interval '1 millisecond', "failures" = failures + 1, "client_errors" = client_errors + 1
where "directory_id" = $2 and "id" = $3;
execute statement_12 (
  /* $1 */ 1000,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'msg_000000000003'
);

prepare statement_13 as
update "webhook_endpoints"
set "first_failure_at" = coalesce(first_failure_at, clock_timestamp()), "consecutive_failures" = case when first_failure_at is null then 1 else consecutive_failures + 1 end,
  "wake" = $1, "wake_at" = clock_timestamp(), "batch_limit" = $2
where "directory_id" = $3 and "id" = $4;
execute statement_13 (
  /* $1 */ true,
  /* $2 */ 1,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_14 as
insert into directory_hours as h(directory_id, slot, hour, failed_attempts)
select cast($1 as uuid), hour % 32, hour, 1
from (
  select cast(floor(extract(epoch from clock_timestamp()) / 3600) as bigint) as hour
) present
on conflict(directory_id, slot) do update
set hour = excluded.hour, pushes = case when h.hour = excluded.hour then h.pushes + 0 else 0 end, rejected_pushes = case when h.hour = excluded.hour then h.rejected_pushes + 0 else 0 end,
  failed_attempts = case when h.hour = excluded.hour then h.failed_attempts + excluded.failed_attempts else excluded.failed_attempts end
where h.hour <= excluded.hour;
execute statement_14 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_15 as
select "first_failure_at", "consecutive_failures" as "failures", cast(extract(epoch from clock_timestamp() - first_failure_at) * 1000 as float8) as failing_ms
from "webhook_endpoints"
where "directory_id" = $1 and "alerted_at" is null and "first_failure_at" is not null
limit $2;
execute statement_15 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_16 as
update "webhook_endpoints"
set "starts" = $1
where "directory_id" = $2 and "id" = $3 and "epoch" = $4;
execute statement_16 (
  /* $1 */ 0,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ 1
);

prepare statement_17 as
update webhook_attempts
set outcome = $1, status_code = $2, error = $3, ended_at = clock_timestamp()
where directory_id = $4 and batch_id = $5 and number = $6;
execute statement_17 (
  /* $1 */ 'http_error',
  /* $2 */ 200,
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 'msg_000000000003',
  /* $6 */ 1
);

prepare statement_18 as
update webhook_endpoints
set log_bytes = log_bytes + $1
where directory_id = $2 and id = $3;
execute statement_18 (
  /* $1 */ 490,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_19 as
select "url", "sealed_url"
from "webhook_endpoints"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_20 as
select "id"
from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2
order by "created_at" desc
limit $3;
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_21 as
update "webhook_batches"
set "status" = $1, "done_at" = clock_timestamp(), "failures" = failures + 1
where "directory_id" = $2 and "id" = $3 and "status" = $4;
execute statement_21 (
  /* $1 */ 'exhausted',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'msg_000000000003',
  /* $4 */ 'pending'
);

prepare statement_22 as
update "webhook_replays"
set "status" = $1, "status_reason" = $2, "finished_at" = clock_timestamp()
where "directory_id" = $3 and "id" = $4 and "status" = $5;
execute statement_22 (
  /* $1 */ 'failed',
  /* $2 */ 'a reason',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000004',
  /* $5 */ 'running'
);

prepare statement_23 as
insert into directory_hours as h(directory_id, slot, hour, failed_attempts)
select cast($1 as uuid), hour % 32, hour, 1
from (
  select cast(floor(extract(epoch from clock_timestamp()) / 3600) as bigint) as hour
) present
on conflict(directory_id, slot) do update
set hour = excluded.hour, pushes = case when h.hour = excluded.hour then h.pushes + 0 else 0 end, rejected_pushes = case when h.hour = excluded.hour then h.rejected_pushes + 0 else 0 end,
  failed_attempts = case when h.hour = excluded.hour then h.failed_attempts + excluded.failed_attempts else excluded.failed_attempts end
where h.hour <= excluded.hour;
execute statement_23 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_24 as
update "webhook_endpoints"
set "starts" = $1
where "directory_id" = $2 and "id" = $3 and "epoch" = $4;
execute statement_24 (
  /* $1 */ 0,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ 1
);

prepare statement_25 as
update webhook_attempts
set outcome = $1, status_code = $2, error = $3, ended_at = clock_timestamp()
where directory_id = $4 and batch_id = $5 and number = $6;
execute statement_25 (
  /* $1 */ 'http_error',
  /* $2 */ 200,
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 'msg_000000000003',
  /* $6 */ 1
);

prepare statement_26 as
update webhook_endpoints
set log_bytes = log_bytes + $1
where directory_id = $2 and id = $3;
execute statement_26 (
  /* $1 */ 490,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_27 as
select "url", "sealed_url"
from "webhook_endpoints"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_27 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_28 as
select "id"
from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2
order by "created_at" desc
limit $3;
execute statement_28 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_29 as
update "webhook_batches"
set "failures" = failures + 1, "status" = $1
where "directory_id" = $2 and "id" = $3;
execute statement_29 (
  /* $1 */ 'exhausted',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'msg_000000000003'
);

prepare statement_30 as
update "webhook_endpoints"
set "first_failure_at" = coalesce(first_failure_at, clock_timestamp()), "consecutive_failures" = case when first_failure_at is null then 1 else consecutive_failures + 1 end,
  "wake" = $1, "wake_at" = clock_timestamp(), "status" = $2, "status_reason" = $3, "updated_at" = clock_timestamp()
where "directory_id" = $4 and "id" = $5;
execute statement_30 (
  /* $1 */ true,
  /* $2 */ 'disabled',
  /* $3 */ 'a reason',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_31 as
insert into directory_hours as h(directory_id, slot, hour, failed_attempts)
select cast($1 as uuid), hour % 32, hour, 1
from (
  select cast(floor(extract(epoch from clock_timestamp()) / 3600) as bigint) as hour
) present
on conflict(directory_id, slot) do update
set hour = excluded.hour, pushes = case when h.hour = excluded.hour then h.pushes + 0 else 0 end, rejected_pushes = case when h.hour = excluded.hour then h.rejected_pushes + 0 else 0 end,
  failed_attempts = case when h.hour = excluded.hour then h.failed_attempts + excluded.failed_attempts else excluded.failed_attempts end
where h.hour <= excluded.hour;
execute statement_31 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_32 as
update "webhook_endpoints"
set "alerted_at" = coalesce(alerted_at, clock_timestamp())
where "directory_id" = $1;
execute statement_32 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_33 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_33 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_34 as
insert into audit_log(body)
values ($1);
execute statement_34 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000005","action":"delivery.disabled","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"reason":"a reason"},"result":"success"}'
);

prepare statement_1 as
select case when e.status = 'active' and e.url is null then 'no_webhook' when e.status = 'active' and e.first_failure_at is not null then 'failing' else e.status end as status,
  e.status_reason, e.url, e.sealed_url, e.acked_sequence, d.last_sequence, e.first_failure_at, e.consecutive_failures, e.last_success_at,
  e.legacy_signatures, (
  select occurred_at
  from stored_events
  where directory_id = $1 and sequence > e.acked_sequence
  order by sequence
  limit 1
) as oldest_pending_at, (
  select row_to_json(o)
  from (
    select id, status, attempts, failures, next_attempt_at
    from webhook_batches b
    where b.directory_id = $2 and b.endpoint_id = e.id and b.kind = 'live' and b.status in ('pending', 'exhausted') and b.from_sequence > e.acked_sequence
    order by b.from_sequence
    limit 1
  ) o
) as open, case when e.first_failure_at is not null then (
  select row_to_json(f)
  from (
    select a.ended_at as at, a.batch_id, a.number, a.outcome, a.status_code, a.error
    from webhook_batches b
    join webhook_attempts a on a.directory_id = b.directory_id and a.batch_id = b.id
    where b.directory_id = e.directory_id and b.endpoint_id = e.id and b.kind = 'live' and b.from_sequence > e.acked_sequence
      and a.outcome not in ('success', 'aborted', 'in_flight')
    order by a.ended_at desc
    limit 1
  ) f
) end as last_error, (
  select json_agg(json_build_object('id', id, 'created_at', created_at, 'expires_at', expires_at, 'last_used_at', last_used_at) order by created_at desc)
  from webhook_secrets s
  where s.directory_id = $3 and s.endpoint_id = e.id and (s.expires_at is null or s.expires_at > clock_timestamp())
) as secrets, (
  select row_to_json(r)
  from (
    select id, mode, total, done
    from webhook_replays
    where directory_id = $4 and endpoint_id = e.id and status = 'running'
    order by created_at
    limit 1
  ) r
) as replay
from directories d
join webhook_endpoints e on e.directory_id = d.id
where d.id = $5;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_2 as
update "webhook_endpoints"
set "status" = case when status = 'disabled' then status else 'paused' end, "status_reason" = case when status = 'disabled' then status_reason else 'Paused through the API.' end,
  "updated_at" = clock_timestamp()
where "directory_id" = $1;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_3 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_4 as
insert into audit_log(body)
values ($1);
execute statement_4 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000002","action":"delivery.paused","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

prepare statement_5 as
select "last_sequence"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_6 as
select "id", "url", "status", "acked_sequence"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_7 as
select "id", "status", "to_sequence"
from "webhook_batches"
where "directory_id" = $1 and "endpoint_id" = $2 and "kind" = $3 and "status" in ($4, $5) and "from_sequence" > $6
limit $7;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 'live',
  /* $4 */ 'pending',
  /* $5 */ 'exhausted',
  /* $6 */ 0,
  /* $7 */ 1
);

prepare statement_8 as
update "webhook_batches"
set "status" = $1, "failures" = $2, "client_errors" = $3, "next_attempt_at" = clock_timestamp(), "done_at" = $4
where "directory_id" = $5 and "id" = $6;
execute statement_8 (
  /* $1 */ 'pending',
  /* $2 */ 0,
  /* $3 */ 0,
  /* $4 */ null,
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ 'msg_000000000004'
);

prepare statement_9 as
update "webhook_endpoints"
set "status" = $1, "status_reason" = $2, "first_failure_at" = $3, "starts" = $4, "wake" = $5, "wake_at" = clock_timestamp(),
  "updated_at" = clock_timestamp()
where "directory_id" = $6 and "id" = $7;
execute statement_9 (
  /* $1 */ 'active',
  /* $2 */ null,
  /* $3 */ null,
  /* $4 */ 0,
  /* $5 */ true,
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_10 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_11 as
insert into audit_log(body)
values ($1);
execute statement_11 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000005","action":"delivery.resumed","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"status":{"from":"paused","to":"active"},"resumed_from":"backlog"},"result":"success"}'
);

prepare statement_12 as
select "id", "url", "status", "acked_sequence"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_13 as
select "status", "kind", "replay_id"
from "webhook_batches"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_13 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000004',
  /* $3 */ 1
);

prepare statement_14 as
update "webhook_batches"
set "next_attempt_at" = clock_timestamp(), "failures" = case when next_attempt_at > clock_timestamp() then greatest(failures - 1, 0) else failures end
where "directory_id" = $1 and "id" = $2;
execute statement_14 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000004'
);

prepare statement_15 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_15 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_16 as
insert into audit_log(body)
values ($1);
execute statement_16 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000006","action":"delivery.retried","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"delivery","id":"msg_000000000004"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

prepare statement_17 as
select "id", "url", "status", "acked_sequence"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_17 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_18 as
delete from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2 and expires_at <= clock_timestamp();
execute statement_18 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_19 as
select "id", "secret"
from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2
order by "created_at" desc;
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_20 as
delete from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2 and 1 = $3;
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 1
);

prepare statement_21 as
update "webhook_secrets"
set "expires_at" = least(expires_at, clock_timestamp() + $1 * interval '1 millisecond')
where "directory_id" = $2 and "endpoint_id" = $3
returning "expires_at";
execute statement_21 (
  /* $1 */ 60000,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_22 as
insert into "webhook_secrets"("created_at", "directory_id", "endpoint_id", "id", "secret")
values (clock_timestamp(), $1, $2, $3, $4);
execute statement_22 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '10000000-0000-0000-0000-000000000007',
  /* $4 */ 'A_SEALED_VALUE'
);

prepare statement_23 as
update "webhook_endpoints"
set "updated_at" = CURRENT_TIMESTAMP
where "id" = $1 and "directory_id" = $2;
execute statement_23 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_24 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_24 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_25 as
insert into audit_log(body)
values ($1);
execute statement_25 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000008","action":"webhook.secret_rotated","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"webhook_secret":{"changed":true},"overlap_seconds":60},"result":"success"}'
);

prepare statement_26 as
select "id", "url", "status", "acked_sequence"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_26 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_27 as
delete from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2 and expires_at <= clock_timestamp();
execute statement_27 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_28 as
select "id", "secret"
from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2
order by "created_at" desc;
execute statement_28 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_29 as
delete from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2 and "id" not in ($3);
execute statement_29 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '10000000-0000-0000-0000-000000000007'
);

prepare statement_30 as
update "webhook_secrets"
set "expires_at" = least(expires_at, clock_timestamp() + $1 * interval '1 millisecond')
where "directory_id" = $2 and "endpoint_id" = $3
returning "expires_at";
execute statement_30 (
  /* $1 */ 60000,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_31 as
insert into "webhook_secrets"("created_at", "directory_id", "endpoint_id", "id", "secret")
values (clock_timestamp(), $1, $2, $3, $4);
execute statement_31 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '10000000-0000-0000-0000-000000000009',
  /* $4 */ 'A_SEALED_VALUE'
);

prepare statement_32 as
update "webhook_endpoints"
set "updated_at" = CURRENT_TIMESTAMP
where "id" = $1 and "directory_id" = $2;
execute statement_32 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
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
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000010","action":"webhook.secret_rotated","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"webhook_secret":{"changed":true},"overlap_seconds":60},"result":"success"}'
);

prepare statement_35 as
select d.tenant, d.product, e.url, e.sealed_url, e.legacy_signatures, (
  select json_agg(json_build_array(id, secret) order by created_at desc)
  from webhook_secrets s
  where s.directory_id = $1 and s.endpoint_id = e.id and (s.expires_at is null or s.expires_at > clock_timestamp())
) as secrets
from directories d
join webhook_endpoints e on e.directory_id = d.id
where d.id = $2;
execute statement_35 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_36 as
update "webhook_endpoints"
set "status" = case when status = 'disabled' then status else 'paused' end, "status_reason" = case when status = 'disabled' then status_reason else 'Paused through the API.' end,
  "updated_at" = clock_timestamp()
where "directory_id" = $1;
execute statement_36 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_37 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_37 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_38 as
insert into audit_log(body)
values ($1);
execute statement_38 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000011","action":"delivery.paused","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

prepare statement_39 as
select "last_sequence"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_39 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_40 as
select "id", "url", "status", "acked_sequence"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_40 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_41 as
select "id", "status", "to_sequence"
from "webhook_batches"
where "directory_id" = $1 and "endpoint_id" = $2 and "kind" = $3 and "status" in ($4, $5) and "from_sequence" > $6
limit $7;
execute statement_41 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 'live',
  /* $4 */ 'pending',
  /* $5 */ 'exhausted',
  /* $6 */ 0,
  /* $7 */ 1
);

prepare statement_42 as
update "webhook_batches"
set "status" = $1, "done_at" = clock_timestamp(), "body" = case when logged then body end
where "directory_id" = $2 and "id" = $3;
execute statement_42 (
  /* $1 */ 'skipped',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'msg_000000000004'
);

prepare statement_43 as
update "webhook_attempts"
set "outcome" = $1, "ended_at" = clock_timestamp(), "error" = $2
where "directory_id" = $3 and "batch_id" = $4 and "outcome" = $5;
execute statement_43 (
  /* $1 */ 'aborted',
  /* $2 */ 'It was skipped before the response arrived.',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 'msg_000000000004',
  /* $5 */ 'in_flight'
);

prepare statement_44 as
insert into "webhook_batches"("bytes", "created_at", "directory_id", "done_at", "endpoint_id", "event_count", "from_sequence", "id", "sha256", "status", "to_sequence")
values ($1, clock_timestamp(), $2, clock_timestamp(), $3, $4, $5, $6, $7, $8, $9);
execute statement_44 (
  /* $1 */ 0,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000003',
  /* $4 */ 1,
  /* $5 */ 2,
  /* $6 */ 'msg_000000000012',
  /* $7 */ 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  /* $8 */ 'skipped',
  /* $9 */ 2
);

prepare statement_45 as
update "webhook_endpoints"
set "acked_sequence" = $1, "epoch" = epoch + 1, "batch_limit" = $2
where "directory_id" = $3 and "id" = $4;
execute statement_45 (
  /* $1 */ 2,
  /* $2 */ null,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_46 as
update "webhook_endpoints"
set "status" = $1, "status_reason" = $2, "first_failure_at" = $3, "starts" = $4, "wake" = $5, "wake_at" = clock_timestamp(),
  "updated_at" = clock_timestamp()
where "directory_id" = $6 and "id" = $7;
execute statement_46 (
  /* $1 */ 'active',
  /* $2 */ null,
  /* $3 */ null,
  /* $4 */ 0,
  /* $5 */ true,
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_47 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_47 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_48 as
insert into audit_log(body)
values ($1);
execute statement_48 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000013","action":"delivery.resumed","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"status":{"from":"paused","to":"active"},"resumed_from":"now"},"result":"success"}'
);

prepare statement_1 as
select "id", "url", "status", "acked_sequence"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_2 as
select "status", "kind", "replay_id"
from "webhook_batches"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'msg_000000000002',
  /* $3 */ 1
);

prepare statement_3 as
select "id"
from "webhook_replays"
where "directory_id" = $1 and "endpoint_id" = $2 and "status" = $3
limit $4;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 'running',
  /* $4 */ 1
);

prepare statement_4 as
update "webhook_replays"
set "status" = $1, "status_reason" = $2, "finished_at" = $3
where "directory_id" = $4 and "id" = $5;
execute statement_4 (
  /* $1 */ 'running',
  /* $2 */ null,
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000004'
);

prepare statement_5 as
update "webhook_batches"
set "next_attempt_at" = clock_timestamp(), "failures" = $1, "status" = $2, "client_errors" = $3, "done_at" = $4
where "directory_id" = $5 and "id" = $6;
execute statement_5 (
  /* $1 */ 0,
  /* $2 */ 'pending',
  /* $3 */ 0,
  /* $4 */ null,
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ 'msg_000000000002'
);

prepare statement_6 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_7 as
insert into audit_log(body)
values ($1);
execute statement_7 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000005","action":"delivery.retried","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"delivery","id":"msg_000000000002"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

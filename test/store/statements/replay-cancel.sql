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
update "webhook_replays"
set "status" = $1, "status_reason" = $2, "finished_at" = clock_timestamp()
where "directory_id" = $3 and "id" = $4 and "status" = $5;
execute statement_2 (
  /* $1 */ 'canceled',
  /* $2 */ 'It was canceled.',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ 'running'
);

prepare statement_3 as
update "webhook_batches"
set "status" = $1, "done_at" = clock_timestamp(), "body" = case when logged then body end
where "directory_id" = $2 and "replay_id" = $3 and "status" = $4;
execute statement_3 (
  /* $1 */ 'canceled',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ 'pending'
);

prepare statement_4 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_5 as
insert into audit_log(body)
values ($1);
execute statement_5 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000003","action":"replay.canceled","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"replay","id":"10000000-0000-0000-0000-000000000002"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

prepare statement_6 as
select *
from "webhook_replays"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

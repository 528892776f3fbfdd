prepare statement_1 as
select "e"."url", "d"."log_webhook_events", "e"."acked_sequence", "d"."last_sequence", "d"."swept_sequence"
from "directories" as "d"
inner join "webhook_endpoints" as "e" on "e"."directory_id" = "d"."id"
where "d"."id" = $1
limit $2;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_2 as
select "id", "url", "status", "acked_sequence"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_3 as
select d.quotas, (
  select count(*)
  from webhook_replays
  where endpoint_id = $1 and status = 'running'
) as running
from directories d
where d.id = $2;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_4 as
insert into "webhook_replays"("created_at", "directory_id", "endpoint_id", "id", "mode", "ranges", "total")
values (clock_timestamp(), $1, $2, $3, $4, $5, $6)
returning *;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '10000000-0000-0000-0000-000000000003',
  /* $4 */ 'range',
  /* $5 */ '[[1,1]]',
  /* $6 */ 1
);

prepare statement_5 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_6 as
insert into audit_log(body)
values ($1);
execute statement_6 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000004","action":"replay.started","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"replay","id":"10000000-0000-0000-0000-000000000003"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"mode":"range","events":1},"result":"success"}'
);

prepare statement_7 as
select *
from "webhook_replays"
where "directory_id" = $1
order by "id" desc
limit $2;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 11
);

prepare statement_8 as
select *
from "webhook_replays"
where "id" = $1
limit $2;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ 1
);

prepare statement_9 as
select *
from "webhook_replays"
where "id" = $1 and "directory_id" = $2
limit $3;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 1
);

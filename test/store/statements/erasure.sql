prepare statement_1 as
select "id"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_2 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2
limit $3 for update;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_3 as
select
from user_erasures
where directory_id = $1 and finished_at is null
limit $2;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 100
);

prepare statement_4 as
delete from "user_erasures"
where "directory_id" = $1 and "user_id" = $2;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_5 as
insert into "user_erasures"("directory_id", "id", "public_id", "requested_by", "step", "user_id", "value_keys")
values ($1, $2, $3, $4, $5, $6, $7)
returning *;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '{"type":"root_key","id":"root_1","name":"root"}',
  /* $5 */ 'user',
  /* $6 */ '10000000-0000-0000-0000-000000000002',
  /* $7 */ '{"ada"}'
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
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000004","action":"user.erasure_requested","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"user","id":"10000000-0000-0000-0000-000000000002"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"erasure_id":"10000000-0000-0000-0000-000000000003"},"result":"success"}'
);

prepare statement_8 as
select "id"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "step" = $3
limit $4;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'user',
  /* $4 */ 1
);

prepare statement_9 as
select "last_sequence"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_10 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_11 as
with dropped as (
  delete from pending_members
  where directory_id = $1 and value_key = any(cast($2 as text[]))
  returning group_id
),
counted as (
  update groups g
  set member_count = g.member_count - d.members
  from (select group_id, count(*) as members from dropped group by group_id) d
  where g.directory_id = $3 and g.id = d.group_id
),
noted as (
  update all_directories
  set revision = revision + 1, membership_count = membership_count - (select count(*) from dropped)
  where id = $4 and exists (select from dropped)
)
select count(*) as count
from dropped;
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"ada"}',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_12 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "value_keys" = $3, "up_to_sequence" = $4, "deleted_at" = clock_timestamp()
where "id" = $5;
execute statement_12 (
  /* $1 */ 'events',
  /* $2 */ '{"users":1,"pending_members":0}',
  /* $3 */ null,
  /* $4 */ 1,
  /* $5 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_13 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_13 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_14 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_14 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_15 as
select max(sequence) as end
from (
  select sequence, sum(coalesce(bytes, 4096)) over (order by sequence) as total, row_number() over (order by sequence) as place
  from (
    select sequence, bytes
    from stored_events
    where directory_id = $1 and sequence > $2 and sequence <= $3
    order by directory_id, sequence
    limit $4
  ) next
) weighed
where total <= $5 or place = 1;
execute statement_15 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 0,
  /* $3 */ 1,
  /* $4 */ 2000,
  /* $5 */ 33554432
);

prepare statement_16 as
with edge as (
  select coalesce((select acked_sequence from webhook_endpoints where directory_id = $1), 0) as acked
),
erased as (
  update stored_events e
  set data = case when e.sequence <= edge.acked then null else jsonb_build_object('id', cast($2 as text), 'first_name', '', 'last_name', '', 'email', '', 'active', false, 'raw', jsonb_build_object('id', cast($3 as text)), 'reason', e.data -> 'reason') || case when e.data -> 'group' is null then '{}' else jsonb_build_object('group', e.data -> 'group') end end,
    user_document = null, group_document = case when e.sequence <= edge.acked then null else e.group_document end
  from edge
  where e.directory_id = $4 and e.sequence > $5 and e.sequence <= $6 and e.data is not null and (e.data ->> 'id' = $7 or exists (
    select
    from event_documents u
    where u.directory_id = e.directory_id and u.id = e.user_document and u.data ->> 'id' = $8
  ))
  returning e.sequence > edge.acked as is_undelivered
)
select count(*) as events, count(*) filter (where is_undelivered) as undelivered
from erased;
execute statement_16 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 0,
  /* $6 */ 1,
  /* $7 */ '10000000-0000-0000-0000-000000000002',
  /* $8 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_17 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_17 (
  /* $1 */ 'events',
  /* $2 */ '{"users":1,"pending_members":0,"events":1,"undelivered_events":1}',
  /* $3 */ '1',
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_18 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_18 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_19 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_20 as
select max(sequence) as end
from (
  select sequence, sum(coalesce(bytes, 4096)) over (order by sequence) as total, row_number() over (order by sequence) as place
  from (
    select sequence, bytes
    from stored_events
    where directory_id = $1 and sequence > $2 and sequence <= $3
    order by directory_id, sequence
    limit $4
  ) next
) weighed
where total <= $5 or place = 1;
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1,
  /* $3 */ 1,
  /* $4 */ 2000,
  /* $5 */ 33554432
);

prepare statement_21 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_21 (
  /* $1 */ 'lane',
  /* $2 */ '{"users":1,"events":1,"pending_members":0,"undelivered_events":1}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_22 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_22 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_23 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_23 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_24 as
select "id", "url", "status", "acked_sequence"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_24 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_25 as
delete from webhook_batches b
where b.directory_id = $1 and b.endpoint_id = $2 and (b.status = 'pending' or (b.status = 'exhausted' and b.kind = 'live'))
  and b.body is not null and strpos(b.body, $3) > 0;
execute statement_25 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000005',
  /* $3 */ '"10000000-0000-0000-0000-000000000002"'
);

prepare statement_26 as
update "webhook_endpoints"
set "epoch" = epoch + 1, "starts" = $1
where "directory_id" = $2 and "id" = $3;
execute statement_26 (
  /* $1 */ 0,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000005'
);

prepare statement_27 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_27 (
  /* $1 */ 'deliveries',
  /* $2 */ '{"users":1,"events":1,"pending_members":0,"undelivered_events":1,"deliveries":0}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_28 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_28 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_29 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_29 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_30 as
with page as materialized (
  select b.id, b.created_at, b.status not in ('pending') and not (b.status = 'exhausted' and b.kind = 'live') and b.body is not null
    and strpos(b.body, $1) > 0 as concerns
  from webhook_batches b
  where b.directory_id = $2 and (b.created_at, b.id) > (cast($3 as timestamptz), $4)
  order by b.created_at, b.id
  limit $5
),
erased as (
  update webhook_batches b
  set body = null, status = case when b.status = 'exhausted' then 'canceled' else b.status end
  from page
  where b.directory_id = $6 and b.id = page.id and page.concerns
  returning b.id
),
attempts as (
  update webhook_attempts a
  set response_body = null, response_headers = null, error = null
  from erased
  where a.directory_id = $7 and a.batch_id = erased.id
)
select (select count(*) from page) as count, (select count(*) from erased) as erased, (
  select json_build_object('at', cast(created_at as text), 'id', id)
  from page
  order by created_at desc, id desc
  limit 1
) as last;
execute statement_30 (
  /* $1 */ '"10000000-0000-0000-0000-000000000002"',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '-infinity',
  /* $4 */ '',
  /* $5 */ 200,
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_31 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_31 (
  /* $1 */ 'documents',
  /* $2 */ '{"users":1,"events":1,"deliveries":0,"pending_members":0,"undelivered_events":1}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_32 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_32 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_33 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_33 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_34 as
with page as materialized (
  select id, data ->> 'id' = $1 and last_sequence <= $2 as concerns
  from event_documents
  where directory_id = $3 and id > cast($4 as uuid)
  order by directory_id, id
  limit $5
),
erased as (
  delete from event_documents d using page
  where d.directory_id = $6 and d.id = page.id and page.concerns
  returning d.id
)
select (select count(*) from page) as count, (select count(*) from erased) as erased, (select id from page order by id desc limit 1) as last;
execute statement_34 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ 1,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '00000000-0000-0000-0000-000000000000',
  /* $5 */ 500,
  /* $6 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_35 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_35 (
  /* $1 */ 'requests',
  /* $2 */ '{"users":1,"events":1,"deliveries":0,"pending_members":0,"undelivered_events":1,"documents":0}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_36 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_36 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_37 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_37 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_38 as
select "id"
from "directories"
where "id" = $1
limit $2 for update;
execute statement_38 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_39 as
delete from "scim_requests"
where "directory_id" = $1 and "at" <= $2;
execute statement_39 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_40 as
update "directory_pushes"
set "last_error" = $1
where "directory_id" = $2 and cast(last_error ->> 'at' as timestamptz) <= $3;
execute statement_40 (
  /* $1 */ null,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_41 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_41 (
  /* $1 */ 'staged',
  /* $2 */ '{"users":1,"events":1,"documents":0,"deliveries":0,"pending_members":0,"undelivered_events":1,"requests":0}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_42 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_42 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_43 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_43 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_44 as
select "id"
from "sync_runs"
where "directory_id" = $1 and "is_cleared" = $2 and "state" not in ($3, $4)
limit $5;
execute statement_44 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ false,
  /* $3 */ 'queued',
  /* $4 */ 'running',
  /* $5 */ 1
);

prepare statement_45 as
delete from "staged_mutations"
where "directory_id" = $1 and created_at < now() - interval '10 minutes' and "created_at" <= $2;
execute statement_45 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_46 as
select exists (select from staged_mutations where directory_id = $1 and created_at <= $2) or exists (
  select
  from sync_runs r
  where r.directory_id = $3 and not r.is_cleared and r.requested_at <= $4 and exists (select from sync_users s where s.run_id = r.id)
) as waits;
execute statement_46 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_47 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_47 (
  /* $1 */ 'end',
  /* $2 */ '{"users":1,"events":1,"requests":0,"documents":0,"deliveries":0,"pending_members":0,"undelivered_events":1}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_48 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_48 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_49 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_49 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_50 as
update "user_erasures"
set "position" = $1, "finished_at" = clock_timestamp()
where "id" = $2;
execute statement_50 (
  /* $1 */ null,
  /* $2 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_51 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_51 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_52 as
insert into audit_log(body)
values ($1);
execute statement_52 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000006","action":"user.erased","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"root_key","id":"root_1","name":"root"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"user","id":"10000000-0000-0000-0000-000000000002"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"erasure_id":"10000000-0000-0000-0000-000000000003","requested_at":"2026-01-01T00:00:00.000Z","users":1,"events":1,"requests":0,"documents":0,"deliveries":0,"pending_members":0,"undelivered_events":1},"result":"success"}'
);

prepare statement_53 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2
limit $3;
execute statement_53 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_54 as
select "directory_id", "user_id", "id"
from "user_erasures"
where "finished_at" is null and progressed_at < now() - interval '30 seconds'
order by "progressed_at" asc
limit $1;
execute statement_54 (
  /* $1 */ 10
);

prepare statement_55 as
delete from user_erasures
where id in (
  select id
  from user_erasures
  where finished_at < now() - interval '30 days'
  order by finished_at
  limit $1
);
execute statement_55 (
  /* $1 */ 10
);

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
insert into "user_erasures"("directory_id", "id", "public_id", "requested_by", "requested_id", "step", "user_id", "value_keys")
values ($1, $2, $3, $4, $5, $6, $7, $8)
returning *;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '{"type":"root_key","id":"root_1","name":"root"}',
  /* $5 */ null,
  /* $6 */ 'user',
  /* $7 */ '10000000-0000-0000-0000-000000000002',
  /* $8 */ '{"ada"}'
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
select "user_id", "public_id"
from "user_erasures"
where "directory_id" = $1 and "requested_id" = $2
order by "requested_at" desc
limit $3;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'other',
  /* $3 */ 1
);

prepare statement_9 as
select "id"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "step" = $3
limit $4;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'user',
  /* $4 */ 1
);

prepare statement_10 as
select "last_sequence"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_11 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_12 as
with dropped as (
  delete from pending_members
  where directory_id = $1 and value_key = any(cast($2 as text[]))
  returning group_id
),
counted as (
  update groups g
  set member_count = g.member_count - d.members, version = g.version + 1, updated_at = now(), pushed = case when g.pushed ->> 'version' = cast(g.version as text) then g.pushed || jsonb_build_object('version', g.version + 1) else g.pushed end
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
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"ada"}',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_13 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "up_to_sequence" = $3, "deleted_at" = clock_timestamp()
where "id" = $4;
execute statement_13 (
  /* $1 */ 'events',
  /* $2 */ '{"users":1,"pending_members":0}',
  /* $3 */ 1,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_14 as
select "step"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3;
execute statement_14 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_15 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_15 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_16 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_16 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_17 as
select
from user_erasures
where directory_id = $1 and finished_at is null and id < $2 and step = any(cast($3 as text[])) and progressed_at > now() - interval '10 minutes'
limit 1;
execute statement_17 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"events","pending","lane","deliveries","documents","requests"}'
);

prepare statement_18 as
select max(sequence) as end
from (
  select sequence, sum(coalesce(bytes, 4096)) over (order by sequence) as total, row_number() over (order by sequence) as place
  from (
    select sequence, bytes
    from stored_events
    where directory_id = $1 and sequence > $2 and sequence <= $3 and true
    order by directory_id, sequence
    limit $4
  ) next
) weighed
where total <= $5 or place = 1;
execute statement_18 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 0,
  /* $3 */ 1,
  /* $4 */ 2000,
  /* $5 */ 33554432
);

prepare statement_19 as
with own as materialized (
  select e.data || coalesce(d.data, '{}') as data
  from stored_events e
  left join event_documents d on d.directory_id = e.directory_id and d.id = e.user_document
  where e.directory_id = $1 and e.sequence > $2 and e.sequence <= $3 and e.data is not null and (e.data ->> 'id' = $4 or exists (
    select
    from event_documents u
    where u.directory_id = e.directory_id and u.id = e.user_document and u.data ->> 'id' = $5
  ))
),
named as (
  select distinct n.value, n.is_external
  from own
  cross join lateral (
    select own.data -> 'raw' ->> 'userName' as value, false as is_external
    union all
    select own.data ->> 'email', false
    union all
    select own.data -> 'raw' ->> 'externalId', true
    union all
    select address ->> 'value', false
    from jsonb_path_query(own.data, '$.raw.emails[*]') address
  ) n
  where n.value <> '' and length(n.value) <= $6
  limit $7
)
select (
  select count(*)
  from own
  where own.data -> 'raw' is distinct from jsonb_build_object('id', cast($8 as text))
) as events, (select json_agg(named order by value) from named) as names;
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 0,
  /* $3 */ 1,
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ 1000,
  /* $7 */ 1000,
  /* $8 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_20 as
with edge as (
  select coalesce((select acked_sequence from webhook_endpoints where directory_id = $1), 0) as acked
),
erased as (
  update stored_events e
  set data = case when e.sequence <= edge.acked then null else jsonb_build_object('id', cast($2 as text), 'first_name', '', 'last_name', '', 'email', '', 'active', false, 'raw', jsonb_build_object('id', cast($3 as text)), 'reason', e.data -> 'reason') || case when e.data -> 'group' is null then '{}' else jsonb_build_object('group', e.data -> 'group') end end,
    user_document = null, user_id = null, group_document = case when e.sequence <= edge.acked then null else e.group_document end
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
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 0,
  /* $6 */ 1,
  /* $7 */ '10000000-0000-0000-0000-000000000002',
  /* $8 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_21 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "value_keys" = $3, "position" = $4
where "id" = $5;
execute statement_21 (
  /* $1 */ 'events',
  /* $2 */ '{"users":1,"pending_members":0,"events":1,"undelivered_events":1}',
  /* $3 */ '{"ada","10000000-0000-0000-0000-000000000002","ada@example.com","external-ada"}',
  /* $4 */ '1',
  /* $5 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_22 as
select "step"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3;
execute statement_22 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_23 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_23 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_24 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_24 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_25 as
select
from user_erasures
where directory_id = $1 and finished_at is null and id < $2 and step = any(cast($3 as text[])) and progressed_at > now() - interval '10 minutes'
limit 1;
execute statement_25 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"events","pending","lane","deliveries","documents","requests"}'
);

prepare statement_26 as
select max(sequence) as end
from (
  select sequence, sum(coalesce(bytes, 4096)) over (order by sequence) as total, row_number() over (order by sequence) as place
  from (
    select sequence, bytes
    from stored_events
    where directory_id = $1 and sequence > $2 and sequence <= $3 and true
    order by directory_id, sequence
    limit $4
  ) next
) weighed
where total <= $5 or place = 1;
execute statement_26 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1,
  /* $3 */ 1,
  /* $4 */ 2000,
  /* $5 */ 33554432
);

prepare statement_27 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_27 (
  /* $1 */ 'pending',
  /* $2 */ '{"users":1,"events":1,"pending_members":0,"undelivered_events":1}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_28 as
select "step"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3;
execute statement_28 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_29 as
select "id"
from "directories"
where "id" = $1
limit $2 for update;
execute statement_29 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_30 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_30 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_31 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_31 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_32 as
select
from user_erasures
where directory_id = $1 and finished_at is null and id < $2 and step = any(cast($3 as text[])) and progressed_at > now() - interval '10 minutes'
limit 1;
execute statement_32 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"events","pending","lane","deliveries","documents","requests"}'
);

prepare statement_33 as
with dropped as (
  delete from pending_members
  where directory_id = $1 and value_key = any(cast($2 as text[]))
  returning group_id
),
counted as (
  update groups g
  set member_count = g.member_count - d.members, version = g.version + 1, updated_at = now(), pushed = case when g.pushed ->> 'version' = cast(g.version as text) then g.pushed || jsonb_build_object('version', g.version + 1) else g.pushed end
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
execute statement_33 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"ada","10000000-0000-0000-0000-000000000002","ada@example.com","external-ada"}',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_34 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_34 (
  /* $1 */ 'lane',
  /* $2 */ '{"users":1,"events":1,"pending_members":0,"undelivered_events":1}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_35 as
select "step"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3;
execute statement_35 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
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
select
from user_erasures
where directory_id = $1 and finished_at is null and id < $2 and step = any(cast($3 as text[])) and progressed_at > now() - interval '10 minutes'
limit 1;
execute statement_38 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"events","pending","lane","deliveries","documents","requests"}'
);

prepare statement_39 as
select "id", "url", "status", "acked_sequence"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_39 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_40 as
select b.id, b.body
from webhook_batches b
where b.directory_id = $1 and b.endpoint_id = $2 and b.status in ('pending', 'exhausted') and b.kind = 'live' and b.body is not null
  and strpos(b.body, $3) > 0;
execute statement_40 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000005',
  /* $3 */ '"10000000-0000-0000-0000-000000000002"'
);

prepare statement_41 as
with open as (
  delete from webhook_batches b
  where b.directory_id = $1 and b.endpoint_id = $2 and b.status = 'pending' and b.kind = 'replay' and b.body is not null and strpos(b.body, $3) > 0
  returning b.id
),
given_up as (
  update webhook_batches b
  set body = null, status = 'canceled'
  where b.directory_id = $4 and b.endpoint_id = $5 and b.status = 'exhausted' and b.kind = 'replay' and b.body is not null
    and strpos(b.body, $6) > 0
  returning b.id
),
attempts as (
  update webhook_attempts a
  set response_body = null, response_headers = null, error = null
  from given_up
  where a.directory_id = $7 and a.batch_id = given_up.id
)
select (select count(*) from open) as open, (select count(*) from given_up) as given_up;
execute statement_41 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000005',
  /* $3 */ '"10000000-0000-0000-0000-000000000002"',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000005',
  /* $6 */ '"10000000-0000-0000-0000-000000000002"',
  /* $7 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_42 as
update "webhook_endpoints"
set "epoch" = epoch + 1
where "directory_id" = $1 and "id" = $2;
execute statement_42 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000005'
);

prepare statement_43 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_43 (
  /* $1 */ 'deliveries',
  /* $2 */ '{"users":1,"events":1,"pending_members":0,"undelivered_events":1,"deliveries":0}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_44 as
select "step"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3;
execute statement_44 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_45 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_45 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_46 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_46 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_47 as
select
from user_erasures
where directory_id = $1 and finished_at is null and id < $2 and step = any(cast($3 as text[])) and progressed_at > now() - interval '10 minutes'
limit 1;
execute statement_47 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"events","pending","lane","deliveries","documents","requests"}'
);

prepare statement_48 as
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
execute statement_48 (
  /* $1 */ '"10000000-0000-0000-0000-000000000002"',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '-infinity',
  /* $4 */ '',
  /* $5 */ 200,
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_49 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_49 (
  /* $1 */ 'documents',
  /* $2 */ '{"users":1,"events":1,"deliveries":0,"pending_members":0,"undelivered_events":1}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_50 as
select "step"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3;
execute statement_50 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_51 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_51 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_52 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_52 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_53 as
select
from user_erasures
where directory_id = $1 and finished_at is null and id < $2 and step = any(cast($3 as text[])) and progressed_at > now() - interval '10 minutes'
limit 1;
execute statement_53 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"events","pending","lane","deliveries","documents","requests"}'
);

prepare statement_54 as
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
execute statement_54 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ 1,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '00000000-0000-0000-0000-000000000000',
  /* $5 */ 500,
  /* $6 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_55 as
update stored_events
set user_id = null
where directory_id = $1 and sequence in (
  select sequence
  from stored_events
  where directory_id = $2 and user_id = $3 and sequence <= $4
  order by sequence
  limit $5
);
execute statement_55 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ 1,
  /* $5 */ 2000
);

prepare statement_56 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_56 (
  /* $1 */ 'requests',
  /* $2 */ '{"users":1,"events":1,"deliveries":0,"pending_members":0,"undelivered_events":1,"documents":0}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_57 as
select "step"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3;
execute statement_57 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_58 as
select "id"
from "directories"
where "id" = $1
limit $2 for update;
execute statement_58 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_59 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_59 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_60 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_60 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_61 as
select
from user_erasures
where directory_id = $1 and finished_at is null and id < $2 and step = any(cast($3 as text[])) and progressed_at > now() - interval '10 minutes'
limit 1;
execute statement_61 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"events","pending","lane","deliveries","documents","requests"}'
);

prepare statement_62 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "requests_until" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_62 (
  /* $1 */ 'requests',
  /* $2 */ '{"users":1,"events":1,"documents":0,"deliveries":0,"pending_members":0,"undelivered_events":1}',
  /* $3 */ '"announced"',
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_63 as
select "step"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3;
execute statement_63 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_64 as
select "id"
from "directories"
where "id" = $1
limit $2 for update;
execute statement_64 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_65 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_65 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_66 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_66 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_67 as
select
from user_erasures
where directory_id = $1 and finished_at is null and id < $2 and step = any(cast($3 as text[])) and progressed_at > now() - interval '10 minutes'
limit 1;
execute statement_67 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"events","pending","lane","deliveries","documents","requests"}'
);

prepare statement_68 as
delete from "scim_requests"
where "directory_id" = $1;
execute statement_68 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_69 as
update "directory_pushes"
set "last_error" = $1
where "directory_id" = $2 and "last_error" is not null;
execute statement_69 (
  /* $1 */ null,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_70 as
with own as (
  select id, subject, is_shared or path like '/Bulk%' as has_others
  from user_requests
  where subject = any(cast($1 as uuid[])) and directory_id = $2
)
delete from user_requests r using own
where r.directory_id = $3 and r.id = own.id and (r.subject = own.subject or not own.has_others);
execute statement_70 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000006","10000000-0000-0000-0000-000000000007","10000000-0000-0000-0000-000000000008","10000000-0000-0000-0000-000000000009"}',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_71 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "value_keys" = $3, "position" = $4
where "id" = $5;
execute statement_71 (
  /* $1 */ 'requests',
  /* $2 */ '{"users":1,"events":1,"documents":0,"deliveries":0,"pending_members":0,"undelivered_events":1,"requests":0}',
  /* $3 */ null,
  /* $4 */ '{"id":"00000000-0000-0000-0000-000000000000","subject":"00000000-0000-0000-0000-000000000000"}',
  /* $5 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_72 as
select "step"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3;
execute statement_72 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_73 as
select "id"
from "directories"
where "id" = $1
limit $2 for update;
execute statement_73 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_74 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_74 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_75 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_75 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_76 as
select
from user_erasures
where directory_id = $1 and finished_at is null and id < $2 and step = any(cast($3 as text[])) and progressed_at > now() - interval '10 minutes'
limit 1;
execute statement_76 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"events","pending","lane","deliveries","documents","requests"}'
);

prepare statement_77 as
with page as materialized (
  select id, subject, detail is not null or strpos(path, chr(63)) > 0 as is_changed
  from user_requests
  where directory_id = $1 and (id, subject) > (cast($2 as uuid), cast($3 as uuid))
  order by directory_id, id, subject
  limit $4
),
cleared as (
  update user_requests r
  set detail = null, path = split_part(r.path, chr(63), 1)
  from page
  where r.directory_id = $5 and r.id = page.id and r.subject = page.subject and page.is_changed
)
select (select count(*) from page) as count, (
  select json_build_object('id', id, 'subject', subject)
  from page
  order by id desc, subject desc
  limit 1
) as last;
execute statement_77 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ '00000000-0000-0000-0000-000000000000',
  /* $4 */ 5000,
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_78 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_78 (
  /* $1 */ 'staged',
  /* $2 */ '{"users":1,"events":1,"requests":0,"documents":0,"deliveries":0,"pending_members":0,"undelivered_events":1}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_79 as
select "step"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3;
execute statement_79 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_80 as
select "id"
from "directories"
where "id" = $1
limit $2 for update;
execute statement_80 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_81 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_81 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_82 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_82 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_83 as
select "id"
from "sync_runs"
where "directory_id" = $1 and "is_cleared" = $2 and "state" not in ($3, $4)
limit $5;
execute statement_83 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ false,
  /* $3 */ 'queued',
  /* $4 */ 'running',
  /* $5 */ 1
);

prepare statement_84 as
with discarded as (
  update file_sets s
  set state = 'done'
  where s.directory_id = $1 and s.state in ('open', 'waiting') and (s.created_at <= $2 or exists (
    select
    from uploaded_files f
    where f.directory_id = s.directory_id and f.set_id = s.id and f.created_at <= $3
  )) and not exists (
    select
    from sync_runs r
    where r.directory_id = s.directory_id and r.state in ('queued', 'running')
  )
  returning s.directory_id, s.id
)
update directories d
set provider_upload = null
from discarded
where d.id = discarded.directory_id and d.provider_upload = discarded.id;
execute statement_84 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_85 as
update uploaded_files
set state = 'void'
where directory_id = $1 and set_id is null and state <> 'void' and created_at <= $2 and created_at < now() - interval '30 minutes';
execute statement_85 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_86 as
select distinct e.directory_id
from file_sets e
where (cast($1 as uuid) is null or e.directory_id = $2) and ((e.state = 'open' and e.created_at < now() - interval '1 hour') or (e.state = 'waiting' and e.created_at < now() - interval '7 days' and not exists (
  select
  from sync_runs r
  where r.directory_id = e.directory_id and r.state in ('queued', 'running')
)))
limit 100;
execute statement_86 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_87 as
select "directory_id", "id"
from "uploaded_files"
where "state" = $1 and "directory_id" = $2
limit $3;
execute statement_87 (
  /* $1 */ 'void',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 1
);

prepare statement_88 as
select f.directory_id, f.id
from uploaded_files f
where (cast($1 as uuid) is null or f.directory_id = $2) and f.state <> 'void' and ((f.set_id is null and f.created_at < now() - interval '1 hour') or exists (
  select
  from file_sets s
  where s.directory_id = f.directory_id and s.id = f.set_id and s.state = 'done'
))
limit 1;
execute statement_88 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_89 as
delete from "staged_mutations"
where "directory_id" = $1 and created_at < now() - interval '10 minutes' and "created_at" <= $2;
execute statement_89 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_90 as
select exists (select from staged_mutations where directory_id = $1 and created_at <= $2) or exists (
  select
  from sync_runs r
  where r.directory_id = $3 and not r.is_cleared and r.requested_at <= $4 and exists (select from sync_users s where s.run_id = r.id)
) or exists (select from file_sets where directory_id = $5 and created_at <= $6) or exists (select from uploaded_files where directory_id = $7 and created_at <= $8) as waits;
execute statement_90 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '2026-01-01T00:00:00.000Z',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '2026-01-01T00:00:00.000Z',
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '2026-01-01T00:00:00.000Z',
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ '2026-01-01T00:00:00.000Z'
);

prepare statement_91 as
update "user_erasures"
set "step" = $1, "counts" = $2, "progressed_at" = clock_timestamp(), "position" = $3
where "id" = $4;
execute statement_91 (
  /* $1 */ 'end',
  /* $2 */ '{"users":1,"events":1,"requests":0,"documents":0,"deliveries":0,"pending_members":0,"undelivered_events":1}',
  /* $3 */ null,
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_92 as
select "step"
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3;
execute statement_92 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_93 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2 and "finished_at" is null
limit $3 for update;
execute statement_93 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_94 as
select "id"
from "directories"
where "id" = $1
limit $2;
execute statement_94 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_95 as
update "user_erasures"
set "position" = $1, "value_keys" = $2, "finished_at" = clock_timestamp()
where "id" = $3;
execute statement_95 (
  /* $1 */ null,
  /* $2 */ null,
  /* $3 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_96 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_96 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_97 as
insert into audit_log(body)
values ($1);
execute statement_97 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000010","action":"user.erased","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"root_key","id":"root_1","name":"root"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"user","id":"10000000-0000-0000-0000-000000000002"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"erasure_id":"10000000-0000-0000-0000-000000000003","requested_at":"2026-01-01T00:00:00.000Z","users":1,"events":1,"requests":0,"documents":0,"deliveries":0,"pending_members":0,"undelivered_events":1},"result":"success"}'
);

prepare statement_98 as
select *
from "user_erasures"
where "directory_id" = $1 and "user_id" = $2
limit $3;
execute statement_98 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_99 as
select e.directory_id, e.user_id, e.id
from user_erasures e
join directories d on d.id = e.directory_id
where e.finished_at is null and e.progressed_at < now() - interval '30 seconds'
order by e.progressed_at
limit $1;
execute statement_99 (
  /* $1 */ 10
);

prepare statement_100 as
delete from user_erasures
where id in (
  select id
  from user_erasures
  where finished_at < now() - interval '30 days'
  order by finished_at
  limit $1
);
execute statement_100 (
  /* $1 */ 10
);

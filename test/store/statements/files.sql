prepare statement_1 as
select pg_advisory_xact_lock(hashtextextended('uploaded files ' || $1, 0));
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_2 as
select count(*) filter (where set_id is null and state in ('receiving', 'received') and created_at > now() - interval '15 minutes') as receiving,
  count(*) as files, coalesce(cast(sum(bytes) as bigint), 0) as bytes
from uploaded_files
where directory_id = $1;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_3 as
insert into "uploaded_files"("directory_id", "id", "kind", "state")
values ($1, $2, $3, $4);
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'users',
  /* $4 */ 'receiving'
);

prepare statement_4 as
select pg_advisory_xact_lock(hashtextextended('uploaded files ' || $1, 0));
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_5 as
select count(*) filter (where set_id is null and state in ('receiving', 'received') and created_at > now() - interval '15 minutes') as receiving,
  count(*) as files, coalesce(cast(sum(bytes) as bigint), 0) as bytes
from uploaded_files
where directory_id = $1;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_6 as
insert into "uploaded_files"("directory_id", "id", "kind", "state")
values ($1, $2, $3, $4);
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 'groups',
  /* $4 */ 'receiving'
);

prepare statement_7 as
select pg_advisory_xact_lock(hashtextextended('uploaded files ' || $1, 0));
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_8 as
select count(*) filter (where set_id is null and state in ('receiving', 'received') and created_at > now() - interval '15 minutes') as receiving,
  count(*) as files, coalesce(cast(sum(bytes) as bigint), 0) as bytes
from uploaded_files
where directory_id = $1;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_9 as
insert into "uploaded_files"("directory_id", "id", "kind", "state")
values ($1, $2, $3, $4);
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000004',
  /* $3 */ 'members',
  /* $4 */ 'receiving'
);

prepare statement_10 as
with counted as (
  update uploaded_files
  set bytes = bytes + cast($1 as bigint)
  where directory_id = cast($2 as uuid) and id = cast($3 as uuid)
)
insert into uploaded_rows(directory_id, file_id, external_id, line, name_key, cells)
select cast($4 as uuid), cast($5 as uuid), r."externalId", r.line, r."nameKey", r.cells
from jsonb_to_recordset(cast($6 as jsonb)) as r("externalId" text, line integer, "nameKey" text, cells jsonb)
on conflict do nothing
returning line;
execute statement_10 (
  /* $1 */ 137,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ '[{"externalId":"u1","line":2,"nameKey":"u1","cells":{"idp_id":"u1"}},{"externalId":"u1","line":3,"nameKey":"u1","cells":{"idp_id":"u1"}}]'
);

prepare statement_11 as
with counted as (
  update uploaded_files
  set bytes = bytes + cast($1 as bigint)
  where directory_id = cast($2 as uuid) and id = cast($3 as uuid)
)
insert into uploaded_rows(directory_id, file_id, external_id, line, name_key, cells)
select cast($4 as uuid), cast($5 as uuid), r."externalId", r.line, r."nameKey", r.cells
from jsonb_to_recordset(cast($6 as jsonb)) as r("externalId" text, line integer, "nameKey" text, cells jsonb)
on conflict do nothing
returning line;
execute statement_11 (
  /* $1 */ 69,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000003',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000003',
  /* $6 */ '[{"externalId":"g1","line":2,"nameKey":"g1","cells":{"idp_id":"g1"}}]'
);

prepare statement_12 as
with counted as (
  update uploaded_files
  set bytes = bytes + cast($1 as bigint)
  where directory_id = cast($2 as uuid) and id = cast($3 as uuid)
)
insert into uploaded_members(directory_id, file_id, group_external_id, first_line, user_external_ids, lines)
select cast($4 as uuid), cast($5 as uuid), m."group", cast(m.lines ->> 0 as integer), array(select jsonb_array_elements_text(m.users)), array(select cast(jsonb_array_elements_text(m.lines) as integer))
from jsonb_to_recordset(cast($6 as jsonb)) as m("group" text, users jsonb, lines jsonb);
execute statement_12 (
  /* $1 */ 43,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000004',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000004',
  /* $6 */ '[{"group":"g1","users":["u1"],"lines":[2]}]'
);

prepare statement_13 as
select line, count(*) over () as total
from (
  select line
  from (
    select line, row_number() over (partition by name_key order by line) as place
    from uploaded_rows
    where directory_id = $1 and file_id = $2
  ) named
  where place > 1
) found
order by line
limit $3;
execute statement_13 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 10
);

prepare statement_14 as
update "uploaded_files"
set "state" = $1, "row_count" = $2
where "directory_id" = $3 and "id" = $4 and "state" = $5;
execute statement_14 (
  /* $1 */ 'received',
  /* $2 */ 1,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ 'receiving'
);

prepare statement_15 as
update "uploaded_files"
set "state" = $1, "row_count" = $2
where "directory_id" = $3 and "id" = $4 and "state" = $5;
execute statement_15 (
  /* $1 */ 'received',
  /* $2 */ 1,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000003',
  /* $5 */ 'receiving'
);

prepare statement_16 as
update "uploaded_files"
set "state" = $1, "row_count" = $2
where "directory_id" = $3 and "id" = $4 and "state" = $5;
execute statement_16 (
  /* $1 */ 'received',
  /* $2 */ 1,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000004',
  /* $5 */ 'receiving'
);

prepare statement_17 as
select line, count(*) over () as total
from (
  select m.line
  from (
    select unnest(user_external_ids) as user_id, unnest(lines) as line
    from uploaded_members
    where directory_id = $1 and file_id = $2
  ) m
  where not exists (
    select
    from uploaded_rows u
    where u.directory_id = $3 and u.file_id = $4 and u.external_id = m.user_id
  )
) found
order by line
limit $5;
execute statement_17 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000004',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ 10
);

prepare statement_18 as
select line, count(*) over () as total
from (
  select m.line
  from (
    select group_external_id as group_id, unnest(lines) as line
    from uploaded_members
    where directory_id = $1 and file_id = $2
  ) m
  where not exists (
    select
    from uploaded_rows g
    where g.directory_id = $3 and g.file_id = $4 and g.external_id = m.group_id
  )
) found
order by line
limit $5;
execute statement_18 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000004',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000003',
  /* $5 */ 10
);

prepare statement_19 as
select "type", "deactivated", "group_count"
from "directories"
where "id" = $1 and "type" = $2
limit $3 for no key update;
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'csv',
  /* $3 */ 1
);

prepare statement_20 as
select "id"
from "file_sets"
where "directory_id" = $1 and "state" = $2
limit $3;
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'open',
  /* $3 */ 1
);

prepare statement_21 as
insert into "file_sets"("directory_id", "id", "state")
values ($1, $2, $3);
execute statement_21 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000005',
  /* $3 */ 'open'
);

prepare statement_22 as
update "uploaded_files"
set "state" = $1, "set_id" = $2
where "directory_id" = $3 and "set_id" = $4 and "kind" in ($5);
execute statement_22 (
  /* $1 */ 'void',
  /* $2 */ null,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000005',
  /* $5 */ 'users'
);

prepare statement_23 as
update "uploaded_files"
set "set_id" = $1
where "directory_id" = $2 and "state" = $3 and "id" in ($4) and (set_id is null or exists (
  select
  from file_sets s
  where s.directory_id = uploaded_files.directory_id and s.id = uploaded_files.set_id and s.state = 'open'
));
execute statement_23 (
  /* $1 */ '10000000-0000-0000-0000-000000000005',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'received',
  /* $4 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_24 as
select "f"."kind", "f"."id"
from "uploaded_files" as "f"
inner join "file_sets" as "s" on "s"."directory_id" = "f"."directory_id" and "s"."id" = "f"."set_id"
where "f"."directory_id" = $1 and "s"."state" = $2 and "f"."state" = $3;
execute statement_24 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'open',
  /* $3 */ 'received'
);

prepare statement_25 as
update "uploaded_files"
set "set_id" = $1
where "id" = $2;
execute statement_25 (
  /* $1 */ null,
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_26 as
select "type", "deactivated", "group_count"
from "directories"
where "id" = $1 and "type" = $2
limit $3 for no key update;
execute statement_26 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'csv',
  /* $3 */ 1
);

prepare statement_27 as
select "id", "state", "groups_seen"
from "sync_runs"
where "directory_id" = $1 and "state" in ($2, $3)
limit $4;
execute statement_27 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'queued',
  /* $3 */ 'running',
  /* $4 */ 1
);

prepare statement_28 as
update "file_sets"
set "state" = $1
where "directory_id" = $2 and "state" in ($3);
execute statement_28 (
  /* $1 */ 'done',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'waiting'
);

prepare statement_29 as
insert into "file_sets"("directory_id", "id", "is_dry_run", "state")
values ($1, $2, $3, $4);
execute statement_29 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000006',
  /* $3 */ false,
  /* $4 */ 'waiting'
);

prepare statement_30 as
update "uploaded_files"
set "set_id" = $1
where "directory_id" = $2 and "state" = $3 and "id" in ($4, $5, $6) and (set_id is null or exists (
  select
  from file_sets s
  where s.directory_id = uploaded_files.directory_id and s.id = uploaded_files.set_id and s.state = 'open'
));
execute statement_30 (
  /* $1 */ '10000000-0000-0000-0000-000000000006',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'received',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000003',
  /* $6 */ '10000000-0000-0000-0000-000000000004'
);

prepare statement_31 as
update "file_sets"
set "state" = $1
where "directory_id" = $2 and "state" = $3;
execute statement_31 (
  /* $1 */ 'done',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'open'
);

prepare statement_32 as
update directories d
set provider_upload = $1, google_authorization_version = d.google_authorization_version + 1, files_begun_at = case when cast($2 as boolean) then d.files_begun_at else f.begun_at end
from (
  select min(created_at) as begun_at
  from uploaded_files
  where directory_id = $3 and set_id = $4
) f
where d.id = $5 and (cast($6 as boolean) or coalesce(d.files_begun_at <= f.begun_at, true));
execute statement_32 (
  /* $1 */ '10000000-0000-0000-0000-000000000006',
  /* $2 */ false,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000006',
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ false
);

prepare statement_33 as
insert into sync_runs(directory_id, id, state, trigger)
values ($1, $2, 'queued', 'upload')
on conflict(directory_id)
where state in ('queued', 'running') do nothing;
execute statement_33 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000007'
);

prepare statement_34 as
select "kind", "row_count"
from "uploaded_files"
where "directory_id" = $1 and "set_id" = $2;
execute statement_34 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000006'
);

prepare statement_35 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_35 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_36 as
insert into audit_log(body)
values ($1);
execute statement_36 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000008","action":"directory.files_uploaded","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"},{"type":"sync_run","id":"10000000-0000-0000-0000-000000000007"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"users":1,"groups":1,"memberships":1,"dry_run":false},"result":"success"}'
);

prepare statement_37 as
select "id"
from "uploaded_files"
where "directory_id" = $1 and "set_id" = $2 and "kind" = $3 and "state" = $4
limit $5;
execute statement_37 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000006',
  /* $3 */ 'users',
  /* $4 */ 'received',
  /* $5 */ 1
);

prepare statement_38 as
select "external_id", "cells"
from "uploaded_rows"
where "directory_id" = $1 and "file_id" = $2 and "external_id" > $3
order by "external_id" asc
limit $4;
execute statement_38 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '',
  /* $4 */ 10
);

prepare statement_39 as
select "first_line", "user_external_ids"
from "uploaded_members"
where "directory_id" = $1 and "file_id" = $2 and "group_external_id" = $3 and "first_line" > $4
order by "first_line" asc
limit $5;
execute statement_39 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000004',
  /* $3 */ 'g1',
  /* $4 */ 0,
  /* $5 */ 10
);

prepare statement_40 as
select pg_advisory_xact_lock(hashtextextended('uploaded files ' || $1, 0));
execute statement_40 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_41 as
select count(*) filter (where set_id is null and state in ('receiving', 'received') and created_at > now() - interval '15 minutes') as receiving,
  count(*) as files, coalesce(cast(sum(bytes) as bigint), 0) as bytes
from uploaded_files
where directory_id = $1;
execute statement_41 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_42 as
insert into "uploaded_files"("directory_id", "id", "kind", "state")
values ($1, $2, $3, $4);
execute statement_42 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000009',
  /* $3 */ 'users',
  /* $4 */ 'receiving'
);

prepare statement_43 as
update "uploaded_files"
set "state" = $1
where "directory_id" = $2 and "set_id" is null and "id" in ($3);
execute statement_43 (
  /* $1 */ 'void',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000009'
);

prepare statement_44 as
select distinct e.directory_id
from file_sets e
where (cast($1 as uuid) is null or e.directory_id = $2) and ((e.state = 'open' and e.created_at < now() - interval '1 hour') or (e.state = 'waiting' and e.created_at < now() - interval '7 days' and not exists (
  select
  from sync_runs r
  where r.directory_id = e.directory_id and r.state in ('queued', 'running')
)))
limit 100;
execute statement_44 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_45 as
select "directory_id", "id"
from "uploaded_files"
where "state" = $1 and "directory_id" = $2
limit $3;
execute statement_45 (
  /* $1 */ 'void',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 1
);

prepare statement_46 as
delete from uploaded_members
where directory_id = $1 and ctid = any(array(
  select ctid
  from uploaded_members
  where directory_id = $2 and file_id = $3
  limit $4
));
execute statement_46 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000009',
  /* $4 */ 10
);

prepare statement_47 as
delete from uploaded_rows
where directory_id = $1 and ctid = any(array(select ctid from uploaded_rows where directory_id = $2 and file_id = $3 limit $4));
execute statement_47 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000009',
  /* $4 */ 10
);

prepare statement_48 as
delete from "uploaded_files"
where "directory_id" = $1 and "id" = $2 and "state" = $3;
execute statement_48 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000009',
  /* $3 */ 'void'
);

prepare statement_49 as
delete from file_sets s
where s.directory_id = $1 and s.state = 'done' and not exists (
  select
  from uploaded_files f
  where f.directory_id = s.directory_id and f.set_id = s.id
);
execute statement_49 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_50 as
select distinct e.directory_id
from file_sets e
where (cast($1 as uuid) is null or e.directory_id = $2) and ((e.state = 'open' and e.created_at < now() - interval '1 hour') or (e.state = 'waiting' and e.created_at < now() - interval '7 days' and not exists (
  select
  from sync_runs r
  where r.directory_id = e.directory_id and r.state in ('queued', 'running')
)))
limit 100;
execute statement_50 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_51 as
select "directory_id", "id"
from "uploaded_files"
where "state" = $1 and "directory_id" = $2
limit $3;
execute statement_51 (
  /* $1 */ 'void',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 1
);

prepare statement_52 as
select f.directory_id, f.id
from uploaded_files f
where (cast($1 as uuid) is null or f.directory_id = $2) and f.state <> 'void' and ((f.set_id is null and f.created_at < now() - interval '1 hour') or exists (
  select
  from file_sets s
  where s.directory_id = f.directory_id and s.id = f.set_id and s.state = 'done'
))
limit 1;
execute statement_52 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

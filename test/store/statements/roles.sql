prepare statement_1 as
select role_table
from directories
where id = $1 for no key update;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_2 as
update "all_directories"
set "role_table" = $1
where "id" = $2;
execute statement_2 (
  /* $1 */ '{"groups":[{"groupName":"Team","key":"team","role":"member","priority":1}],"defaultRole":null,"multiple":false,"pushedRoles":"ignore"}',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
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
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000002","action":"directory.roles_updated","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"roles":{"from":null,"to":{"groups":[{"group_name":"Team","role":"member","priority":1}],"default_role":null,"multiple":false,"pushed_roles":"ignore"}}},"result":"success"}'
);

prepare statement_5 as
with concerned as materialized (
  select id, revision
  from all_directories
  where id = $1 and deleting_at is null
  order by id for no key update
),
moved as (
  update all_directories d
  set revision = d.revision + 1
  from concerned
  where d.id = concerned.id
),
import_goes_on as (
  update imported_directories i
  set revision = i.revision + 1
  from concerned
  where i.directory_id = concerned.id and i.revision = concerned.revision
)
insert into attribute_recomputes as r(directory_id, id)
select id, cast($2 as uuid)
from concerned
on conflict(directory_id) do update
set id = excluded.id, after = null, done = 0, requested_at = excluded.requested_at, progressed_at = excluded.progressed_at,
  finished_at = null
returning r.directory_id, r.id;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_6 as
select d.role_table, d.inactive_users, d.inactive_users_upto, d.user_count, r.id as recompute_id, r.done, r.requested_at,
  r.finished_at
from directories d
left join attribute_recomputes r on r.directory_id = d.id
where d.id = $1;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_7 as
with role_rows as materialized (
  select cast(place - 1 as int) as place, given ->> 'key' as key, given ->> 'groupId' is not null as is_by_id
  from jsonb_array_elements(cast($1 as jsonb) -> 'groups') with ordinality as given_rows(given, place)
),
role_groups as materialized (
  select cast(key as uuid) as id, place
  from role_rows
  where is_by_id
  union all
  select named.id, place
  from role_rows
  cross join lateral (
    select id
    from groups
    where directory_id = $2 and display_name_key = role_rows.key and not role_rows.is_by_id
    offset 0
  ) named
)
select distinct on (role_groups.place) role_groups.place, coalesce(g.public_id, cast(g.id as text)) as id, g.display_name as name
from role_groups
join groups g on g.directory_id = $3 and g.id = role_groups.id
order by role_groups.place, g.created_at, g.id;
execute statement_7 (
  /* $1 */ '{"groups":[{"key":"team","role":"member","priority":1,"groupName":"Team"}],"multiple":false,"defaultRole":null,"pushedRoles":"ignore"}',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_8 as
with role_rows as materialized (
  select cast(place - 1 as int) as place, given ->> 'key' as key, given ->> 'groupId' is not null as is_by_id
  from jsonb_array_elements(cast($1 as jsonb) -> 'groups') with ordinality as given_rows(given, place)
),
role_groups as materialized (
  select cast(key as uuid) as id, place
  from role_rows
  where is_by_id
  union all
  select named.id, place
  from role_rows
  cross join lateral (
    select id
    from groups
    where directory_id = $2 and display_name_key = role_rows.key and not role_rows.is_by_id
    offset 0
  ) named
)
select joined.id, array_agg(distinct role_groups.place) as places
from unnest(array(select unnest(cast($3 as uuid[])))) as joined(id)
cross join lateral (
  select group_id
  from group_members
  where directory_id = $4 and member_id = joined.id
  offset 0
) own
join role_groups on role_groups.id = own.group_id
group by joined.id;
execute statement_8 (
  /* $1 */ '{"groups":[{"groupName":"Team","key":"team","role":"member","priority":1}],"defaultRole":null,"multiple":false,"pushedRoles":"ignore"}',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $4 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_9 as
select "id"
from "attribute_recomputes"
where "directory_id" = $1 and "id" = $2
limit $3 for update;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 1
);

prepare statement_10 as
select "user_id"
from "users_to_recompute"
where "directory_id" = $1
limit $2;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_11 as
update "attribute_recomputes"
set "finished_at" = clock_timestamp()
where "directory_id" = $1 and "id" = $2;
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003'
);

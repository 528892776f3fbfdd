delete from import_members m
where not (exists (select from import_groups r where r.id = m.group_id));

delete from import_members m
where m.group_id = m.member_id or not ((exists (select from import_users r where r.id = m.member_id)) or (exists (select from import_groups r where r.id = m.member_id)));

update import_members m
set kind = case when (exists (select from import_users r where r.id = m.member_id)) then 'user' else 'group' end;

select array_agg(coalesce(r.public_id, cast(r.id as text)) order by updated_at desc, place desc) as ids, (array_agg(place order by updated_at desc, place desc))[2 :] as others
from import_users r
where id is not null
group by id having count(*) > 1
order by min(place);

prepare statement_5 as
delete from import_users
where place = any(cast($1 as bigint[]));
execute statement_5 (
  /* $1 */ '{}'
);

select array_agg(coalesce(r.public_id, cast(r.id as text)) order by updated_at desc, place desc) as ids, (array_agg(place order by updated_at desc, place desc))[2 :] as others
from import_groups r
where id is not null
group by id having count(*) > 1
order by min(place);

prepare statement_7 as
delete from import_groups
where place = any(cast($1 as bigint[]));
execute statement_7 (
  /* $1 */ '{}'
);

select array_agg(coalesce(r.public_id, cast(r.id as text)) order by updated_at desc, place desc) as ids, (array_agg(place order by updated_at desc, place desc))[2 :] as others
from import_users r
where user_name_key is not null
group by user_name_key having count(*) > 1
order by min(place);

prepare statement_9 as
delete from import_users
where place = any(cast($1 as bigint[]));
execute statement_9 (
  /* $1 */ '{}'
);

select array_agg(coalesce(r.public_id, cast(r.id as text)) order by updated_at desc, place desc) as ids, (array_agg(place order by updated_at desc, place desc))[2 :] as others
from import_users r
where external_id is not null
group by external_id having count(*) > 1
order by min(place);

prepare statement_11 as
delete from import_users
where place = any(cast($1 as bigint[]));
execute statement_11 (
  /* $1 */ '{}'
);

select array_agg(coalesce(r.public_id, cast(r.id as text)) order by updated_at desc, place desc) as ids, (array_agg(place order by updated_at desc, place desc))[2 :] as others
from import_groups r
where external_id is not null
group by external_id having count(*) > 1
order by min(place);

prepare statement_13 as
delete from import_groups
where place = any(cast($1 as bigint[]));
execute statement_13 (
  /* $1 */ '{}'
);

select coalesce(r.public_id, cast(r.id as text)) as id
from import_users r
where id in (select id from import_groups);

delete from import_members m
where not exists (select from import_groups r where r.id = m.group_id) or not (exists (select from import_users r where r.id = m.member_id) or exists (select from import_groups r where r.id = m.member_id));

select (select count(*) from import_users) as users, (select count(*) from import_groups) as groups, (select count(*) from import_members) as memberships, (select cast(coalesce(sum(checksum), 0) as text) from import_users) as user_sum, (select cast(coalesce(sum(checksum), 0) as text) from import_members) as membership_sum, (
  select cast(coalesce(max(size), 0) as float8)
  from (select count(*) as size from import_members group by group_id) sizes
) as largest_group, (
  select cast(coalesce(max(groups), 0) as float8)
  from (select count(*) as groups from import_members group by member_id) of_member
) as most_groups, (
  select cast(coalesce(sum(bytes), 0) as float8)
  from (select bytes from import_users union all select bytes from import_groups) all_rows
) as resource_bytes;

prepare statement_17 as
with dropped as (delete from import_queued where occurred_at <= cast($1 as timestamptz))
select count(*) as count, max(occurred_at) as last
from import_queued
where occurred_at > cast($2 as timestamptz) is not false;
execute statement_17 (
  /* $1 */ null,
  /* $2 */ null
);

prepare statement_18 as
with source as materialized (
  select row_number() over (order by place) as place, id, type, user_id, data, cast(null as jsonb) as member, cast(null as jsonb) as member_of,
    occurred_at
  from import_queued
),
numbered as (
  select d.last_sequence + s.place as sequence, s.*, coalesce(e.total_bytes, 0) as before
  from source s
  join all_directories d on d.id = $1
  left join lateral (
    select total_bytes
    from stored_events e
    where e.directory_id = d.id
    order by e.sequence desc
    limit 1
  ) e on true
),
written as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select $2, sequence, id, type, user_id, case when member is null or pg_column_size(member) > 2048 then data else member || data end || case when member_of is null
    or pg_column_size(member_of) > 2048 then '{}' else jsonb_build_object('group', member_of) end || jsonb_build_object('reason', cast($3 as text)),
    case when pg_column_size(member) > 2048 then keep_event_document($4, sequence, sequence, member) end, case when pg_column_size(member_of) > 2048 then keep_event_document($5, sequence, sequence, member_of) end,
    size, before + sum(size) over (order by sequence), occurred_at
  from (
    select *, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end + coalesce(case when pg_column_size(member) > 2048 then octet_length(cast(member as text)) else pg_column_size(member) end, 0) + coalesce(case when pg_column_size(member_of) > 2048 then octet_length(cast(member_of as text)) else pg_column_size(member_of) end, 0) as size
    from numbered
  ) sized
  returning sequence
)
update all_directories d
set last_sequence = greatest(d.last_sequence, (select max(sequence) from written))
where d.id = $6;
execute statement_18 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'import',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_19 as
insert into import_changes(kind, operation, id, place)
select 'users', case when r.id is null then 'created' else 'updated' end, s.id, s.place
from import_users s
left join users r on r.directory_id = $1 and r.id = s.id
where r.id is null or (r.public_id, r.user_name, r.user_name_key, r.external_id, r.display_name_key, r.active, r.first_name, r.last_name, r.email, r.resource, r.pushed - 'version', r.custom_attributes, r.lacks_required) is distinct from (s.public_id, s.user_name, s.user_name_key, s.external_id, s.display_name_key, s.active, s.first_name, s.last_name, s.email, s.resource, s.pushed - 'version', s.custom_attributes, s.lacks_required);
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_20 as
insert into import_changes(kind, operation, id)
select 'users', 'deleted', r.id
from users r
where r.directory_id = $1 and not exists (select from import_users s where s.id = r.id);
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_21 as
insert into import_changes(kind, operation, id, place)
select 'groups', case when r.id is null then 'created' else 'updated' end, s.id, s.place
from import_groups s
left join groups r on r.directory_id = $1 and r.id = s.id
where r.id is null or (r.public_id, r.display_name, r.display_name_key, r.external_id, r.namesake, r.resource, r.pushed - 'version') is distinct from (s.public_id, s.display_name, s.display_name_key, s.external_id, s.namesake, s.resource, s.pushed - 'version');
execute statement_21 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_22 as
insert into import_changes(kind, operation, id)
select 'groups', 'deleted', r.id
from groups r
where r.directory_id = $1 and not exists (select from import_groups s where s.id = r.id);
execute statement_22 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_23 as
insert into import_changes(kind, operation, id, group_id, place)
select 'memberships', 'created', s.member_id, s.group_id, s.place
from import_members s
where not exists (
  select
  from group_members m
  where m.directory_id = $1 and m.group_id = s.group_id and m.member_id = s.member_id
);
execute statement_23 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_24 as
insert into import_changes(kind, operation, id, group_id)
select 'memberships', 'deleted', m.member_id, m.group_id
from group_members m
where m.directory_id = $1 and not exists (
  select
  from import_members s
  where m.group_id = s.group_id and m.member_id = s.member_id
);
execute statement_24 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_25 as
with role_rows as materialized (
  select cast(place - 1 as int) as place, given ->> 'key' as key, given ->> 'groupId' is not null as is_by_id
  from jsonb_array_elements((select role_table from all_directories where id = $1) -> 'groups') with ordinality as given_rows(given, place)
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
insert into users_to_recompute(directory_id, user_id)
select cast($3 as uuid), id
from (
  select c.id
  from role_groups
  join import_changes c on c.kind = 'memberships' and c.group_id = role_groups.id
  union
  select m.member_id
  from role_groups
  join import_changes c on c.kind = 'groups' and c.id = role_groups.id
  join group_members m on m.directory_id = $4 and m.group_id = c.id and m.kind = 'user'
  union
  select id
  from import_changes
  where kind = 'users' and operation = 'updated'
) concerned
on conflict do nothing;
execute statement_25 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_26 as
with user_sizes as materialized (
  select id, bytes
  from import_users
  union all
  select id, octet_length(cast(resource as text)) + coalesce(octet_length(cast(pushed as text)), 0)
  from users r
  where directory_id = $1 and not exists (select from import_users s where s.id = r.id) and id in (select id from import_changes union all select group_id from import_changes)
),
group_sizes as materialized (
  select id, bytes
  from import_groups
  union all
  select id, octet_length(cast(resource as text)) + coalesce(octet_length(cast(pushed as text)), 0)
  from groups r
  where directory_id = $2 and not exists (select from import_groups s where s.id = r.id) and id in (select id from import_changes union all select group_id from import_changes)
)
select d.last_sequence, e.acked_sequence, (
  select total_bytes
  from stored_events
  where directory_id = d.id and sequence = d.last_sequence
) as event_bytes, case when e.acked_sequence < d.last_sequence then (
  select total_bytes - bytes
  from stored_events
  where directory_id = d.id and sequence = e.acked_sequence + 1
) end as delivered_bytes, (
  select cast(coalesce(sum(200 + case c.kind when 'users' then u.bytes when 'groups' then g.bytes else u.bytes + of.bytes end), 0) as float8)
  from import_changes c
  left join user_sizes u on c.kind <> 'groups' and u.id = c.id
  left join group_sizes g on c.kind = 'groups' and g.id = c.id
  left join group_sizes of on of.id = c.group_id
) as bytes
from all_directories d
left join webhook_endpoints e on e.directory_id = d.id
where d.id = $3;
execute statement_26 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_27 as
with source as materialized (
  select row_number() over (order by section, place) as place, gen_random_uuid() as id, type, user_id, data, member, member_of,
    now() as occurred_at
  from (
    select 2 as section, c.place, 'group.' || c.operation as type, cast(null as uuid) as user_id, jsonb_build_object('id', coalesce(r.public_id, cast(r.id as text)), 'name', r.display_name, 'raw', case when cast(r.pushed ->> 'version' as bigint) = r.version then (r.resource || coalesce(r.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(r.pushed -> 'unset')) else r.resource end || jsonb_build_object('id', coalesce(r.public_id, cast(r.id as text)), 'members', cast('[]' as jsonb))) as data,
      cast(null as jsonb) as member, cast(null as jsonb) as member_of
    from import_changes c
    join groups r on r.directory_id = $1 and r.id = c.id
    where c.kind = 'groups' and c.operation in ('deleted')
    union all
    select 3 as section, c.place, 'user.' || c.operation as type, r.id as user_id, jsonb_build_object('id', coalesce(r.public_id, cast(r.id as text)), 'first_name', r.first_name, 'last_name', r.last_name, 'email', r.email, 'active', r.active, 'raw', pushed.raw || jsonb_build_object('id', coalesce(r.public_id, cast(r.id as text)))) || case when r.roles is not null then jsonb_build_object('role', r.roles -> 0, 'roles', r.roles) else case jsonb_typeof(pushed.raw -> 'roles') when 'array' then jsonb_build_object('roles', pushed.raw -> 'roles') when 'object' then jsonb_build_object('roles', jsonb_build_array(pushed.raw -> 'roles')) when 'string' then case when pushed.raw ->> 'roles' = '' then '{}' else jsonb_build_object('roles', string_to_array(pushed.raw ->> 'roles', ',')) end else '{}' end end || case when r.custom_attributes is null then '{}' else jsonb_build_object('custom_attributes', r.custom_attributes) end as data,
      cast(null as jsonb) as member, cast(null as jsonb) as member_of
    from import_changes c
    join users r on r.directory_id = $2 and r.id = c.id
    cross join lateral (
      select case when cast(r.pushed ->> 'version' as bigint) = r.version then (r.resource || coalesce(r.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(r.pushed -> 'unset')) else r.resource end as raw
      offset 0
    ) pushed
    where c.kind = 'users' and c.operation in ('deleted')
    union all
    select 1, c.place, 'group.user_removed', u.id, cast('{}' as jsonb), jsonb_build_object('id', coalesce(u.public_id, cast(u.id as text)), 'first_name', u.first_name, 'last_name', u.last_name, 'email', u.email, 'active', u.active, 'raw', pushed.raw || jsonb_build_object('id', coalesce(u.public_id, cast(u.id as text)))) || case when u.roles is not null then jsonb_build_object('role', u.roles -> 0, 'roles', u.roles) else case jsonb_typeof(pushed.raw -> 'roles') when 'array' then jsonb_build_object('roles', pushed.raw -> 'roles') when 'object' then jsonb_build_object('roles', jsonb_build_array(pushed.raw -> 'roles')) when 'string' then case when pushed.raw ->> 'roles' = '' then '{}' else jsonb_build_object('roles', string_to_array(pushed.raw ->> 'roles', ',')) end else '{}' end end || case when u.custom_attributes is null then '{}' else jsonb_build_object('custom_attributes', u.custom_attributes) end,
      jsonb_build_object('id', coalesce(g.public_id, cast(g.id as text)), 'name', g.display_name, 'raw', case when cast(g.pushed ->> 'version' as bigint) = g.version then (g.resource || coalesce(g.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(g.pushed -> 'unset')) else g.resource end || jsonb_build_object('id', coalesce(g.public_id, cast(g.id as text)), 'members', cast('[]' as jsonb)))
    from import_changes c
    join groups g on g.directory_id = $3 and g.id = c.group_id
    join users u on u.directory_id = $4 and u.id = c.id
    cross join lateral (
      select case when cast(u.pushed ->> 'version' as bigint) = u.version then (u.resource || coalesce(u.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(u.pushed -> 'unset')) else u.resource end as raw
      offset 0
    ) pushed
    where c.kind = 'memberships' and c.operation = 'deleted'
  ) differences
),
numbered as (
  select d.last_sequence + s.place as sequence, s.*, coalesce(e.total_bytes, 0) as before
  from source s
  join all_directories d on d.id = $5
  left join lateral (
    select total_bytes
    from stored_events e
    where e.directory_id = d.id
    order by e.sequence desc
    limit 1
  ) e on true
),
written as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select $6, sequence, id, type, user_id, case when member is null or pg_column_size(member) > 2048 then data else member || data end || case when member_of is null
    or pg_column_size(member_of) > 2048 then '{}' else jsonb_build_object('group', member_of) end || jsonb_build_object('reason', cast($7 as text)),
    case when pg_column_size(member) > 2048 then keep_event_document($8, sequence, sequence, member) end, case when pg_column_size(member_of) > 2048 then keep_event_document($9, sequence, sequence, member_of) end,
    size, before + sum(size) over (order by sequence), occurred_at
  from (
    select *, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end + coalesce(case when pg_column_size(member) > 2048 then octet_length(cast(member as text)) else pg_column_size(member) end, 0) + coalesce(case when pg_column_size(member_of) > 2048 then octet_length(cast(member_of as text)) else pg_column_size(member_of) end, 0) as size
    from numbered
  ) sized
  returning sequence
)
update all_directories d
set last_sequence = greatest(d.last_sequence, (select max(sequence) from written))
where d.id = $10;
execute statement_27 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ 'import',
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ '10000000-0000-0000-0000-000000000001',
  /* $10 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_28 as
delete from group_members m using import_changes c
where c.kind = 'memberships' and c.operation = 'deleted' and m.directory_id = $1 and m.group_id = c.group_id and m.member_id = c.id;
execute statement_28 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_29 as
delete from groups r using import_changes c
where c.kind = 'groups' and c.operation = 'deleted' and r.directory_id = $1 and r.id = c.id;
execute statement_29 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_30 as
delete from users r using import_changes c
where c.kind = 'users' and c.operation = 'deleted' and r.directory_id = $1 and r.id = c.id;
execute statement_30 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_31 as
insert into users(directory_id, id, public_id, user_name, user_name_key, external_id, display_name_key, active, first_name, last_name, email, resource, pushed, version, created_at, updated_at, custom_attributes, lacks_required, group_roles, roles)
select $1, s.id, s.public_id, s.user_name, s.user_name_key, s.external_id, s.display_name_key, s.active, s.first_name, s.last_name,
  s.email, s.resource, s.pushed, s.version, s.created_at, s.updated_at, s.custom_attributes, s.lacks_required, s.group_roles,
  s.roles
from import_users s
join import_changes c on c.kind = 'users' and c.operation = 'created' and c.id = s.id
order by s.place asc;
execute statement_31 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_32 as
update users r
set public_id = s.public_id, user_name = s.user_name, user_name_key = s.user_name_key, external_id = s.external_id, display_name_key = s.display_name_key,
  active = s.active, first_name = s.first_name, last_name = s.last_name, email = s.email, resource = s.resource, pushed = s.pushed || jsonb_build_object('version', r.version + 1),
  custom_attributes = s.custom_attributes, lacks_required = s.lacks_required, updated_at = s.updated_at, version = r.version + 1
from import_users s
join import_changes c on c.kind = 'users' and c.operation = 'updated' and c.id = s.id
where r.directory_id = $1 and r.id = s.id;
execute statement_32 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_33 as
delete from user_emails e using import_changes c
where c.kind = 'users' and c.operation = 'updated' and e.directory_id = $1 and e.user_id = c.id;
execute statement_33 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_34 as
insert into user_emails(directory_id, user_id, value_key)
select $1, s.id, key from import_users s
join import_changes c on c.kind = 'users' and c.operation in ('created', 'updated') and c.id = s.id, unnest(s.email_keys) key;
execute statement_34 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_35 as
insert into groups(directory_id, id, public_id, display_name, display_name_key, external_id, namesake, resource, pushed, version, created_at, updated_at, member_count)
select $1, s.id, s.public_id, s.display_name, s.display_name_key, s.external_id, s.namesake, s.resource, s.pushed, s.version,
  s.created_at, s.updated_at, s.member_count
from import_groups s
join import_changes c on c.kind = 'groups' and c.operation = 'created' and c.id = s.id
order by s.place asc;
execute statement_35 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_36 as
update groups r
set public_id = s.public_id, display_name = s.display_name, display_name_key = s.display_name_key, external_id = s.external_id,
  namesake = s.namesake, resource = s.resource, pushed = s.pushed || jsonb_build_object('version', r.version + 1), updated_at = s.updated_at,
  version = r.version + 1
from import_groups s
join import_changes c on c.kind = 'groups' and c.operation = 'updated' and c.id = s.id
where r.directory_id = $1 and r.id = s.id;
execute statement_36 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_37 as
insert into group_members(directory_id, group_id, member_id, kind)
select $1, c.group_id, c.id, m.kind
from import_changes c
join import_members m on m.group_id = c.group_id and m.member_id = c.id
where c.kind = 'memberships' and c.operation = 'created'
order by c.place asc;
execute statement_37 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_38 as
with role_rows as materialized (
  select cast(place - 1 as int) as place, given ->> 'key' as key, given ->> 'groupId' is not null as is_by_id
  from jsonb_array_elements((select role_table from all_directories where id = $1) -> 'groups') with ordinality as given_rows(given, place)
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
insert into users_to_recompute(directory_id, user_id)
select cast($3 as uuid), id
from (
  select c.id
  from role_groups
  join import_changes c on c.kind = 'memberships' and c.group_id = role_groups.id
  union
  select m.member_id
  from role_groups
  join import_changes c on c.kind = 'groups' and c.id = role_groups.id
  join group_members m on m.directory_id = $4 and m.group_id = c.id and m.kind = 'user'
  union
  select id
  from import_changes
  where kind = 'users' and operation = 'updated'
) concerned
on conflict do nothing;
execute statement_38 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_39 as
insert into attribute_recomputes as r(directory_id, id, after)
select id, gen_random_uuid(), case when false then null else cast('ffffffff-ffff-ffff-ffff-ffffffffffff' as uuid) end
from (
  select cast($1 as uuid) as id
  where exists (select from users_to_recompute where directory_id = $2)
) concerned
on conflict(directory_id) do update
set id = excluded.id, after = excluded.after, done = 0, requested_at = excluded.requested_at, progressed_at = excluded.progressed_at,
  finished_at = null
where r.finished_at is not null or excluded.after is null
returning r.directory_id, r.id;
execute statement_39 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_40 as
with source as materialized (
  select row_number() over (order by section, place) as place, gen_random_uuid() as id, type, user_id, data, member, member_of,
    now() as occurred_at
  from (
    select 1 as section, c.place, 'user.' || c.operation as type, r.id as user_id, jsonb_build_object('id', coalesce(r.public_id, cast(r.id as text)), 'first_name', r.first_name, 'last_name', r.last_name, 'email', r.email, 'active', r.active, 'raw', pushed.raw || jsonb_build_object('id', coalesce(r.public_id, cast(r.id as text)))) || case when r.roles is not null then jsonb_build_object('role', r.roles -> 0, 'roles', r.roles) else case jsonb_typeof(pushed.raw -> 'roles') when 'array' then jsonb_build_object('roles', pushed.raw -> 'roles') when 'object' then jsonb_build_object('roles', jsonb_build_array(pushed.raw -> 'roles')) when 'string' then case when pushed.raw ->> 'roles' = '' then '{}' else jsonb_build_object('roles', string_to_array(pushed.raw ->> 'roles', ',')) end else '{}' end end || case when r.custom_attributes is null then '{}' else jsonb_build_object('custom_attributes', r.custom_attributes) end as data,
      cast(null as jsonb) as member, cast(null as jsonb) as member_of
    from import_changes c
    join users r on r.directory_id = $1 and r.id = c.id
    cross join lateral (
      select case when cast(r.pushed ->> 'version' as bigint) = r.version then (r.resource || coalesce(r.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(r.pushed -> 'unset')) else r.resource end as raw
      offset 0
    ) pushed
    where c.kind = 'users' and c.operation in ('created', 'updated')
    union all
    select 2 as section, c.place, 'group.' || c.operation as type, cast(null as uuid) as user_id, jsonb_build_object('id', coalesce(r.public_id, cast(r.id as text)), 'name', r.display_name, 'raw', case when cast(r.pushed ->> 'version' as bigint) = r.version then (r.resource || coalesce(r.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(r.pushed -> 'unset')) else r.resource end || jsonb_build_object('id', coalesce(r.public_id, cast(r.id as text)), 'members', cast('[]' as jsonb))) as data,
      cast(null as jsonb) as member, cast(null as jsonb) as member_of
    from import_changes c
    join groups r on r.directory_id = $2 and r.id = c.id
    where c.kind = 'groups' and c.operation in ('created', 'updated')
    union all
    select 3, c.place, 'group.user_added', u.id, cast('{}' as jsonb), jsonb_build_object('id', coalesce(u.public_id, cast(u.id as text)), 'first_name', u.first_name, 'last_name', u.last_name, 'email', u.email, 'active', u.active, 'raw', pushed.raw || jsonb_build_object('id', coalesce(u.public_id, cast(u.id as text)))) || case when u.roles is not null then jsonb_build_object('role', u.roles -> 0, 'roles', u.roles) else case jsonb_typeof(pushed.raw -> 'roles') when 'array' then jsonb_build_object('roles', pushed.raw -> 'roles') when 'object' then jsonb_build_object('roles', jsonb_build_array(pushed.raw -> 'roles')) when 'string' then case when pushed.raw ->> 'roles' = '' then '{}' else jsonb_build_object('roles', string_to_array(pushed.raw ->> 'roles', ',')) end else '{}' end end || case when u.custom_attributes is null then '{}' else jsonb_build_object('custom_attributes', u.custom_attributes) end,
      jsonb_build_object('id', coalesce(g.public_id, cast(g.id as text)), 'name', g.display_name, 'raw', case when cast(g.pushed ->> 'version' as bigint) = g.version then (g.resource || coalesce(g.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(g.pushed -> 'unset')) else g.resource end || jsonb_build_object('id', coalesce(g.public_id, cast(g.id as text)), 'members', cast('[]' as jsonb)))
    from import_changes c
    join groups g on g.directory_id = $3 and g.id = c.group_id
    join users u on u.directory_id = $4 and u.id = c.id
    cross join lateral (
      select case when cast(u.pushed ->> 'version' as bigint) = u.version then (u.resource || coalesce(u.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(u.pushed -> 'unset')) else u.resource end as raw
      offset 0
    ) pushed
    where c.kind = 'memberships' and c.operation = 'created'
  ) differences
),
numbered as (
  select d.last_sequence + s.place as sequence, s.*, coalesce(e.total_bytes, 0) as before
  from source s
  join all_directories d on d.id = $5
  left join lateral (
    select total_bytes
    from stored_events e
    where e.directory_id = d.id
    order by e.sequence desc
    limit 1
  ) e on true
),
written as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select $6, sequence, id, type, user_id, case when member is null or pg_column_size(member) > 2048 then data else member || data end || case when member_of is null
    or pg_column_size(member_of) > 2048 then '{}' else jsonb_build_object('group', member_of) end || jsonb_build_object('reason', cast($7 as text)),
    case when pg_column_size(member) > 2048 then keep_event_document($8, sequence, sequence, member) end, case when pg_column_size(member_of) > 2048 then keep_event_document($9, sequence, sequence, member_of) end,
    size, before + sum(size) over (order by sequence), occurred_at
  from (
    select *, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end + coalesce(case when pg_column_size(member) > 2048 then octet_length(cast(member as text)) else pg_column_size(member) end, 0) + coalesce(case when pg_column_size(member_of) > 2048 then octet_length(cast(member_of as text)) else pg_column_size(member_of) end, 0) as size
    from numbered
  ) sized
  returning sequence
)
update all_directories d
set last_sequence = greatest(d.last_sequence, (select max(sequence) from written))
where d.id = $10;
execute statement_40 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ 'import',
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ '10000000-0000-0000-0000-000000000001',
  /* $10 */ '10000000-0000-0000-0000-000000000001'
);

select kind, count(*) as changed, count(*) filter (where operation = 'created') as added
from import_changes
group by kind;

prepare statement_42 as
update groups g
set member_count = coalesce(m.size, 0)
from groups o
left join (
  select group_id, count(*) as size
  from group_members
  where directory_id = $1
  group by group_id
) m on m.group_id = o.id
where g.directory_id = $2 and o.directory_id = $3 and o.id = g.id and g.member_count <> coalesce(m.size, 0);
execute statement_42 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_43 as
update all_directories d
set revision = d.revision + 1, user_count = u.count, group_count = g.count, membership_count = g.members, resource_bytes = u.bytes + g.bytes
from (
  select count(*) as count, coalesce(sum(octet_length(cast(resource as text)) + coalesce(octet_length(cast(pushed as text)), 0)), 0) as bytes
  from users
  where directory_id = $1
) u, (
  select count(*) as count, coalesce(sum(member_count), 0) as members, coalesce(max(member_count), 0) as largest, coalesce(sum(octet_length(cast(resource as text)) + coalesce(octet_length(cast(pushed as text)), 0)), 0) as bytes
  from groups
  where directory_id = $2
) g, (
  select coalesce(max(groups), 0) as most
  from (
    select count(*) as groups
    from group_members
    where directory_id = $3
    group by member_id
  ) of_member
) m
where d.id = $4
returning d.revision, json_build_object('users', d.user_count, 'groups', d.group_count, 'memberships', d.membership_count, 'resourceBytes', d.resource_bytes, 'groupMembers', g.largest, 'groupsPerMember', m.most) as usage;
execute statement_43 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_44 as
select u.users, u.user_sum, g.groups, m.memberships, m.membership_sum
from (
  select count(*) as users, cast(coalesce(sum(cast(cast('x' || left(encode(sha256(convert_to(concat_ws(chr(31), coalesce(u.public_id, cast(u.id as text)), email, case when active then 'true' else 'false' end), 'UTF8')), 'hex'), 15) as bit(60)) as bigint)), 0) as text) as user_sum
  from users u
  where directory_id = $1
) u, (select count(*) as groups from groups where directory_id = $2) g, (
  select count(*) as memberships, cast(coalesce(sum(cast(cast('x' || left(encode(sha256(convert_to(concat_ws(chr(31), coalesce(g.public_id, cast(g.id as text)), case when substr(cast(m.member_id as text), 15, 1) = '8' then coalesce((
    select public_id
    from users
    where directory_id = m.directory_id and id = m.member_id
  ), (
    select public_id
    from groups
    where directory_id = m.directory_id and id = m.member_id
  )) else cast(m.member_id as text) end), 'UTF8')), 'hex'), 15) as bit(60)) as bigint)), 0) as text) as membership_sum
  from group_members m
  join groups g on g.directory_id = m.directory_id and g.id = m.group_id
  where m.directory_id = $3
) m;
execute statement_44 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

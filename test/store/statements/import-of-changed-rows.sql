prepare statement_1 as
delete from import_members m
where not (exists (select from import_groups r where r.id = m.group_id) or exists (select from groups r where r.directory_id = $1 and r.id = m.group_id));
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_2 as
delete from import_members m
where m.group_id = m.member_id or not ((exists (select from import_users r where r.id = m.member_id) or exists (select from users r where r.directory_id = $1 and r.id = m.member_id)) or (exists (select from import_groups r where r.id = m.member_id) or exists (select from groups r where r.directory_id = $2 and r.id = m.member_id)));
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_3 as
update import_members m
set kind = case when (exists (select from import_users r where r.id = m.member_id) or exists (select from users r where r.directory_id = $1 and r.id = m.member_id)) then 'user' else 'group' end;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_4 as
insert into import_changes(kind, operation, id, place)
select 'users', case when r.id is null then 'created' else 'updated' end, s.id, s.place
from import_users s
left join users r on r.directory_id = $1 and r.id = s.id
where r.id is null or (r.public_id, r.user_name, r.user_name_key, r.external_id, r.display_name_key, r.active, r.first_name, r.last_name, r.email, r.resource, r.pushed - 'version', r.custom_attributes, r.lacks_required) is distinct from (s.public_id, s.user_name, s.user_name_key, s.external_id, s.display_name_key, s.active, s.first_name, s.last_name, s.email, s.resource, s.pushed - 'version', s.custom_attributes, s.lacks_required);
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_5 as
insert into import_changes(kind, operation, id, place)
select 'groups', case when r.id is null then 'created' else 'updated' end, s.id, s.place
from import_groups s
left join groups r on r.directory_id = $1 and r.id = s.id
where r.id is null or (r.public_id, r.display_name, r.display_name_key, r.external_id, r.namesake, r.resource, r.pushed - 'version') is distinct from (s.public_id, s.display_name, s.display_name_key, s.external_id, s.namesake, s.resource, s.pushed - 'version');
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_6 as
insert into import_changes(kind, operation, id, group_id, place)
select 'memberships', 'created', s.member_id, s.group_id, s.place
from import_members s
where not exists (
  select
  from group_members m
  where m.directory_id = $1 and m.group_id = s.group_id and m.member_id = s.member_id
);
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_7 as
insert into import_changes(kind, operation, id, group_id)
select 'memberships', 'deleted', m.member_id, m.group_id
from group_members m
where m.directory_id = $1 and false;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_8 as
delete from group_members m using import_changes c
where c.kind = 'memberships' and c.operation = 'deleted' and m.directory_id = $1 and m.group_id = c.group_id and m.member_id = c.id;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_9 as
delete from groups r using import_changes c
where c.kind = 'groups' and c.operation = 'deleted' and r.directory_id = $1 and r.id = c.id;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_10 as
delete from users r using import_changes c
where c.kind = 'users' and c.operation = 'deleted' and r.directory_id = $1 and r.id = c.id;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_11 as
insert into users(directory_id, id, public_id, user_name, user_name_key, external_id, display_name_key, active, first_name, last_name, email, resource, pushed, version, created_at, updated_at, custom_attributes, lacks_required, group_roles, roles)
select $1, s.id, s.public_id, s.user_name, s.user_name_key, s.external_id, s.display_name_key, s.active, s.first_name, s.last_name,
  s.email, s.resource, s.pushed, s.version, s.created_at, s.updated_at, s.custom_attributes, s.lacks_required, s.group_roles,
  s.roles
from import_users s
join import_changes c on c.kind = 'users' and c.operation = 'created' and c.id = s.id
order by s.place asc;
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_12 as
update users r
set public_id = s.public_id, user_name = s.user_name, user_name_key = s.user_name_key, external_id = s.external_id, display_name_key = s.display_name_key,
  active = s.active, first_name = s.first_name, last_name = s.last_name, email = s.email, resource = s.resource, pushed = s.pushed || jsonb_build_object('version', r.version + 1),
  custom_attributes = s.custom_attributes, lacks_required = s.lacks_required, updated_at = s.updated_at, version = r.version + 1
from import_users s
join import_changes c on c.kind = 'users' and c.operation = 'updated' and c.id = s.id
where r.directory_id = $1 and r.id = s.id;
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_13 as
delete from user_emails e using import_changes c
where c.kind = 'users' and c.operation = 'updated' and e.directory_id = $1 and e.user_id = c.id;
execute statement_13 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_14 as
insert into user_emails(directory_id, user_id, value_key)
select $1, s.id, key from import_users s
join import_changes c on c.kind = 'users' and c.operation in ('created', 'updated') and c.id = s.id, unnest(s.email_keys) key;
execute statement_14 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_15 as
insert into groups(directory_id, id, public_id, display_name, display_name_key, external_id, namesake, resource, pushed, version, created_at, updated_at, member_count)
select $1, s.id, s.public_id, s.display_name, s.display_name_key, s.external_id, s.namesake, s.resource, s.pushed, s.version,
  s.created_at, s.updated_at, s.member_count
from import_groups s
join import_changes c on c.kind = 'groups' and c.operation = 'created' and c.id = s.id
order by s.place asc;
execute statement_15 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_16 as
update groups r
set public_id = s.public_id, display_name = s.display_name, display_name_key = s.display_name_key, external_id = s.external_id,
  namesake = s.namesake, resource = s.resource, pushed = s.pushed || jsonb_build_object('version', r.version + 1), updated_at = s.updated_at,
  version = r.version + 1
from import_groups s
join import_changes c on c.kind = 'groups' and c.operation = 'updated' and c.id = s.id
where r.directory_id = $1 and r.id = s.id;
execute statement_16 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_17 as
insert into group_members(directory_id, group_id, member_id, kind)
select $1, c.group_id, c.id, m.kind
from import_changes c
join import_members m on m.group_id = c.group_id and m.member_id = c.id
where c.kind = 'memberships' and c.operation = 'created'
order by c.place asc;
execute statement_17 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

select kind, count(*) as changed, count(*) filter (where operation = 'created') as added
from import_changes
group by kind;

prepare statement_19 as
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
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_20 as
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
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_21 as
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
execute statement_21 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_1 as
select "pass", "planned", "confirms", "mode", "drift", "authorization_version", "upload_id"
from "sync_runs"
where "directory_id" = $1 and "id" = $2 and "state" = $3
limit $4 for no key update;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 'running',
  /* $4 */ 1
);

prepare statement_2 as
delete from sync_changes
where directory_id = $1 and run_id = $2;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_3 as
insert into sync_changes(run_id, directory_id, place, section, operation, external_id, resource_id)
select $1, $2, cast(d.section as bigint) * 1000000000000 + row_number() over (partition by d.section order by d.is_renamed desc, d.external_id),
  d.section, case d.section when 2 then 'delete' when 3 then 'update' else 'create' end, d.external_id, d.id
from (
  select coalesce(staged.external_id, stored.external_id, '') as external_id, stored.id, stored.resource ->> 'userName' is distinct from staged.resource ->> 'userName' as is_renamed,
    case when staged.external_id is null then 2 when stored.id is not null then 3 else 4 end as section
  from (select id, external_id, resource from users where directory_id = $3) stored
  full join (
    select external_id as reported_id, case when not is_removed then external_id end as external_id, case when not is_removed then resource end as resource
    from sync_users
    where run_id = $4 and directory_id = $5
  ) staged on staged.reported_id = stored.external_id
  where staged.resource is distinct from stored.resource
) d;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_4 as
insert into sync_changes(run_id, directory_id, place, section, operation, external_id, resource_id)
select $1, $2, cast(d.section as bigint) * 1000000000000 + row_number() over (partition by d.section order by d.is_renamed desc, d.external_id),
  d.section, case d.section when 5 then 'delete' when 6 then 'update' else 'create' end, d.external_id, d.id
from (
  select coalesce(staged.external_id, stored.external_id, '') as external_id, stored.id, stored.resource ->> 'userName' is distinct from staged.resource ->> 'userName' as is_renamed,
    case when staged.external_id is null then 5 when stored.id is not null then 6 else 7 end as section
  from (select id, external_id, resource from groups where directory_id = $3) stored
  full join (
    select external_id as reported_id, case when not is_removed then external_id end as external_id, case when not is_removed then resource end as resource
    from sync_groups
    where run_id = $4 and directory_id = $5
  ) staged on staged.reported_id = stored.external_id
  where staged.resource is distinct from stored.resource
) d;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_5 as
insert into sync_changes(run_id, directory_id, place, section, operation, external_id, group_external_id)
select $1, $2, cast(d.section as bigint) * 1000000000000 + row_number() over (partition by d.section order by d.group_external_id, d.external_id),
  d.section, case d.section when 8 then 'add' else 'remove' end, d.external_id, d.group_external_id
from (
  select coalesce(staged.group_external_id, stored.group_external_id) as group_external_id, coalesce(staged.external_id, stored.external_id) as external_id,
    case when staged.external_id is null then 1 else 8 end as section
  from (
    select g.external_id as group_external_id, coalesce(u.external_id, n.external_id) as external_id
    from group_members m
    join groups g on g.directory_id = $3 and g.id = m.group_id
    left join users u on u.directory_id = $4 and u.id = m.member_id and m.kind = 'user'
    left join groups n on n.directory_id = $5 and n.id = m.member_id and m.kind = 'group'
    where m.directory_id = $6
    union all
    select g.external_id, p.value
    from pending_members p
    join groups g on g.directory_id = $7 and g.id = p.group_id
    where p.directory_id = $8
  ) stored
  full join (
    select distinct group_external_id, unnest(external_ids) as external_id
    from sync_members
    where run_id = $9 and directory_id = $10
  ) staged on staged.group_external_id = stored.group_external_id and staged.external_id = stored.external_id
  where staged.external_id is null or stored.external_id is null
) d
where not exists (
  select
  from sync_groups gone
  where gone.run_id = $11 and gone.directory_id = $12 and gone.external_id = d.group_external_id and gone.is_gone
);
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ '10000000-0000-0000-0000-000000000002',
  /* $10 */ '10000000-0000-0000-0000-000000000001',
  /* $11 */ '10000000-0000-0000-0000-000000000002',
  /* $12 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_6 as
select section, count(*) as count
from sync_changes
where run_id = $1 and directory_id = $2
group by section;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_7 as
with gone as materialized (
  select section, external_id
  from sync_changes
  where run_id = $1 and directory_id = $2 and section in (2, 5)
)
select (select count(*) from gone where section = 2) + (
  select count(*)
  from directories d
  join sync_changes c on c.run_id = $3 and c.directory_id = d.id and c.section = 3
  join users u on u.directory_id = d.id and u.id = c.resource_id and u.active
  join sync_users staged on staged.run_id = c.run_id and staged.directory_id = d.id and staged.external_id = c.external_id
  where d.id = $4 and d.inactive_users = 'delete' and staged.resource ->> 'active' = 'false'
) as users, (select count(*) from gone where section = 5) as groups, (
  select count(*)
  from sync_changes c
  where run_id = $5 and directory_id = $6 and section = 1 and external_id not in (select external_id from gone) and group_external_id not in (select external_id from gone where section = 5)
) as members;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_8 as
select user_count as users, group_count as groups, (
  select count(*)
  from (
    select g.external_id as group_external_id, coalesce(u.external_id, n.external_id) as external_id
    from group_members m
    join groups g on g.directory_id = $1 and g.id = m.group_id
    left join users u on u.directory_id = $2 and u.id = m.member_id and m.kind = 'user'
    left join groups n on n.directory_id = $3 and n.id = m.member_id and m.kind = 'group'
    where m.directory_id = $4
    union all
    select g.external_id, p.value
    from pending_members p
    join groups g on g.directory_id = $5 and g.id = p.group_id
    where p.directory_id = $6
  ) stored
) as members
from directories
where id = $7;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_9 as
select max(coalesce(g.member_count, 0) + c.added - c.removed) as members
from (
  select group_external_id, count(*) filter (where section = 8) as added, count(*) filter (where section = 1) as removed
  from sync_changes
  where run_id = $1 and directory_id = $2 and section in (1, 8)
  group by group_external_id
) c
left join groups g on g.directory_id = $3 and g.external_id = c.group_external_id
where c.added > c.removed;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_10 as
select max(coalesce(stored.groups, 0) + c.added - c.removed) as groups
from (
  select external_id, count(*) filter (where section = 8) as added, count(*) filter (where section = 1) as removed
  from sync_changes
  where run_id = $1 and directory_id = $2 and section in (1, 8)
  group by external_id
) c
left join (
  select external_id, count(*) as groups
  from (
    select g.external_id as group_external_id, coalesce(u.external_id, n.external_id) as external_id
    from group_members m
    join groups g on g.directory_id = $3 and g.id = m.group_id
    left join users u on u.directory_id = $4 and u.id = m.member_id and m.kind = 'user'
    left join groups n on n.directory_id = $5 and n.id = m.member_id and m.kind = 'group'
    where m.directory_id = $6
    union all
    select g.external_id, p.value
    from pending_members p
    join groups g on g.directory_id = $7 and g.id = p.group_id
    where p.directory_id = $8
  ) members
  group by external_id
) stored using (external_id)
where c.added > c.removed;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_11 as
update "sync_runs"
set "pass" = $1, "phase" = $2, "applied_place" = $3, "failed" = $4, "failures" = $5, "notice" = $6, "planned" = $7, "drift" = $8
where "directory_id" = $9 and "id" = $10;
execute statement_11 (
  /* $1 */ 1,
  /* $2 */ 'applying',
  /* $3 */ 0,
  /* $4 */ 0,
  /* $5 */ '[]',
  /* $6 */ null,
  /* $7 */ '{"counts":{"users":{"created":1,"updated":0,"deleted":0},"groups":{"created":1,"updated":0,"deleted":0},"members":{"added":1,"removed":0}},"removed":{"users":0,"groups":0,"members":0},"stored":{"users":0,"groups":0,"members":0},"largestGroup":1,"mostGroups":1}',
  /* $8 */ null,
  /* $9 */ '10000000-0000-0000-0000-000000000001',
  /* $10 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_12 as
select r.pass, r.failed, next.place, next.section
from sync_runs r
join directories d on d.id = r.directory_id and not d.deactivated
left join lateral (
  select place, section
  from sync_changes
  where run_id = r.id and place > r.applied_place
  order by place
  limit 1
) next on true
where r.directory_id = $1 and r.id = $2 and r.state = 'running';
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_13 as
select *
from (
  select c.place, c.section, c.operation, c.external_id, c.group_external_id, c.resource_id, null as group_id, s.resource,
    s.pushed, coalesce(sum(coalesce(json_weight(s.resource) + coalesce(json_weight(s.pushed), 0), 0) + coalesce(stored.weight, 0)) over (order by c.place rows between unbounded preceding and 1 preceding), 0) as weight_before
  from sync_changes c
  left join sync_users s on s.run_id = c.run_id and s.external_id = c.external_id
  left join lateral (
    select json_weight(resource) + coalesce(json_weight(pushed), 0) + coalesce(json_weight(custom_attributes), 0) + case when roles is null then 0 else json_weight(roles) + coalesce(json_weight(group_roles), 0) end as weight
    from users
    where directory_id = $1 and id = c.resource_id
    offset 0
  ) stored on true
  where c.run_id = $2 and c.directory_id = $3 and c.place >= $4 and c.place < $5
) batch
where weight_before < $6
order by place;
execute statement_13 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 4000000000001,
  /* $5 */ 4000000001001,
  /* $6 */ 8388608
);

prepare statement_14 as
update "sync_runs"
set "applied_place" = $1
where "id" = $2;
execute statement_14 (
  /* $1 */ 8000000000000,
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_15 as
select r.pass, r.failed, next.place, next.section
from sync_runs r
join directories d on d.id = r.directory_id and not d.deactivated
left join lateral (
  select place, section
  from sync_changes
  where run_id = r.id and place > r.applied_place
  order by place
  limit 1
) next on true
where r.directory_id = $1 and r.id = $2 and r.state = 'running';
execute statement_15 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_16 as
select *
from (
  select c.place, c.section, c.operation, c.external_id, c.group_external_id, c.resource_id, g.id as group_id, null as resource,
    null as pushed, coalesce(sum(coalesce(stored.weight, 0)) over (order by c.place rows between unbounded preceding and 1 preceding), 0) as weight_before
  from sync_changes c
  left join groups g on g.directory_id = $1 and g.external_id = c.group_external_id
  left join lateral (
    select case when pg_column_size(u.resource) < 2048 and pg_column_compression(u.resource) is null then 2 * pg_column_size(u.resource) else json_weight(u.resource) end + coalesce(case when pg_column_size(u.pushed) < 2048 and pg_column_compression(u.pushed) is null then 2 * pg_column_size(u.pushed) else json_weight(u.pushed) end, 0) + coalesce(case when pg_column_size(u.custom_attributes) < 2048 and pg_column_compression(u.custom_attributes) is null then 2 * pg_column_size(u.custom_attributes) else json_weight(u.custom_attributes) end, 0) + case when u.roles is null then 0 else json_weight(u.roles) + coalesce(json_weight(u.group_roles), 0) end as weight
    from users u
    where u.directory_id = $2 and u.external_id = c.external_id
    offset 0
  ) stored on true
  where c.run_id = $3 and c.directory_id = $4 and c.place >= $5 and c.place < $6
) batch
where weight_before < $7
order by place;
execute statement_16 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 8000000000001,
  /* $6 */ 8000000002001,
  /* $7 */ 33554432
);

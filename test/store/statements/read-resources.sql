prepare statement_1 as
select r.directory_id, r.id, r.public_id, r.user_name, r.external_id, r.active, r.version, r.created_at, r.updated_at, r.custom_attributes,
  r.lacks_required, r.group_roles, r.roles, weighed.weight, case when weighed.weight <= 32768 then r.resource end as resource,
  case when weighed.weight <= 32768 then r.pushed end as pushed
from users r
cross join lateral (
  select case when pg_column_size(r.resource) < 2048 and pg_column_compression(r.resource) is null then 2 * pg_column_size(r.resource) else json_weight(r.resource) end + coalesce(case when pg_column_size(r.pushed) < 2048 and pg_column_compression(r.pushed) is null then 2 * pg_column_size(r.pushed) else json_weight(r.pushed) end, 0) + coalesce(case when pg_column_size(r.custom_attributes) < 2048 and pg_column_compression(r.custom_attributes) is null then 2 * pg_column_size(r.custom_attributes) else json_weight(r.custom_attributes) end, 0) + case when r.roles is null then 0 else json_weight(r.roles) + coalesce(json_weight(r.group_roles), 0) end as weight
  offset 0
) weighed
where r.directory_id = any(cast($1 as uuid[])) and r.id = $2
order by r.directory_id;
execute statement_1 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_2 as
select r.directory_id, r.id, r.public_id, r.user_name, r.external_id, r.active, r.version, r.created_at, r.updated_at, r.custom_attributes,
  r.lacks_required, r.group_roles, r.roles, weighed.weight, case when weighed.weight <= 32768 then r.resource end as resource,
  case when weighed.weight <= 32768 then r.pushed end as pushed, wanted.value as wanted, few.groups
from unnest(array(select unnest(cast($1 as uuid[]))), array(select unnest(cast($2 as uuid[])))) as wanted(directory_id, value)
cross join lateral (
  select *
  from users
  where directory_id = wanted.directory_id and id = wanted.value
  offset 0
) r
cross join lateral (
  select case when pg_column_size(r.resource) < 2048 and pg_column_compression(r.resource) is null then 2 * pg_column_size(r.resource) else json_weight(r.resource) end + coalesce(case when pg_column_size(r.pushed) < 2048 and pg_column_compression(r.pushed) is null then 2 * pg_column_size(r.pushed) else json_weight(r.pushed) end, 0) + coalesce(case when pg_column_size(r.custom_attributes) < 2048 and pg_column_compression(r.custom_attributes) is null then 2 * pg_column_size(r.custom_attributes) else json_weight(r.custom_attributes) end, 0) + case when r.roles is null then 0 else json_weight(r.roles) + coalesce(json_weight(r.group_roles), 0) end as weight
  offset 0
) weighed
cross join lateral (
  select case when coalesce(sum(weight), 0) <= 32768 then coalesce(jsonb_agg(jsonb_build_object('id', public_id, 'displayName', display_name) order by id), '[]') end as groups
  from (
    select g.id, coalesce(g.public_id, cast(g.id as text)) as public_id, g.display_name, 300 + 2 * octet_length(g.display_name) as weight
    from group_members m
    join groups g on g.directory_id = m.directory_id and g.id = m.group_id
    where m.directory_id = r.directory_id and m.member_id = r.id
    limit 110
  ) of_user
) few;
execute statement_2 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '{"10000000-0000-0000-0000-000000000002"}'
);

prepare statement_3 as
select r.directory_id, r.id, r.public_id, r.display_name, r.display_name_key, r.external_id, r.namesake, r.version, r.created_at,
  r.updated_at, weighed.weight, case when weighed.weight <= 32768 then r.resource end as resource, case when weighed.weight <= 32768 then r.pushed end as pushed
from groups r
cross join lateral (
  select case when pg_column_size(r.resource) < 2048 and pg_column_compression(r.resource) is null then 2 * pg_column_size(r.resource) else json_weight(r.resource) end + coalesce(case when pg_column_size(r.pushed) < 2048 and pg_column_compression(r.pushed) is null then 2 * pg_column_size(r.pushed) else json_weight(r.pushed) end, 0) as weight
  offset 0
) weighed
where r.directory_id = any(cast($1 as uuid[])) and r.id = $2
order by r.directory_id;
execute statement_3 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_4 as
select group_id, cast(sum(240 + coalesce(octet_length(display), 0)) as float8) as weight
from (
  select group_id, display
  from group_members
  where directory_id = $1 and group_id = any(cast($2 as uuid[]))
  union all
  select group_id, display
  from pending_members
  where directory_id = $3 and group_id = any(cast($4 as uuid[]))
) found
group by group_id;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '{"10000000-0000-0000-0000-000000000003"}'
);

prepare statement_5 as
select group_id, json_agg(member order by is_pending, position) as members
from (
  select group_id, position, false as is_pending, case when display is null then json_build_array(member.id, left(kind, 1)) else json_build_array(member.id, left(kind, 1), display) end as member
  from group_members
  cross join lateral (
    select case when substr(cast(group_members.member_id as text), 15, 1) = '8' then coalesce((
      select public_id
      from users
      where directory_id = group_members.directory_id and id = group_members.member_id
    ), (
      select public_id
      from groups
      where directory_id = group_members.directory_id and id = group_members.member_id
    )) else cast(group_members.member_id as text) end as id
    offset 0
  ) member
  where directory_id = $1 and group_id = any(cast($2 as uuid[]))
  union all
  select group_id, position, true, case when display is null then json_build_array(value, null) else json_build_array(value, null, display) end
  from pending_members
  where directory_id = $3 and group_id = any(cast($4 as uuid[]))
) found
group by group_id;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '{"10000000-0000-0000-0000-000000000003"}'
);

prepare statement_6 as
select d.tenant, d.product, (
  select json_agg(json_build_object('id', e.id, 'type', e.type, 'data', e.data, 'sequence', e.sequence, 'at', e.occurred_at) order by e.sequence)
  from (
    select sequence, sum(size) over (order by sequence rows between unbounded preceding and 1 preceding) as size_before
    from (
      select sequence, case when data is null then 0 else coalesce(bytes, octet_length(cast(data as text))) end as size
      from stored_events
      where directory_id = $1 and sequence between $2 and $3
    ) sized
  ) fitting
  cross join lateral (
    select id, type, data, sequence, occurred_at
    from events
    where directory_id = $4 and sequence = fitting.sequence
    offset 0
  ) e
  where coalesce(fitting.size_before, 0) < 524288
) as events
from directories d
where d.id = $5;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1,
  /* $3 */ 2,
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

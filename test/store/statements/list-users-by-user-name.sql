prepare statement_1 as
select r.directory_id, r.id, r.public_id, r.user_name, r.external_id, r.active, r.version, r.created_at, r.updated_at, r.custom_attributes,
  r.lacks_required, r.group_roles, r.roles, weighed.weight, case when weighed.weight <= 32768 then r.resource end as resource,
  case when weighed.weight <= 32768 then r.pushed end as pushed, wanted.value as wanted, few.groups
from unnest(array(select unnest(cast($1 as uuid[]))), array(select unnest(cast($2 as text[])))) as wanted(directory_id, value)
cross join lateral (
  select *
  from users
  where directory_id = wanted.directory_id and user_name_key = wanted.value
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
execute statement_1 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '{"ada"}'
);

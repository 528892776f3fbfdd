prepare statement_1 as
select "id"
from "attribute_recomputes"
where "directory_id" = $1
limit $2;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_2 as
with noted as materialized (
  select array(
    select cast(id as text)
    from (
      select id, coalesce(sum(weight) over (order by id rows between unbounded preceding and 1 preceding), 0) as weight_before
      from (
        select next.id, coalesce(case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) + coalesce(case when pg_column_size(found.custom_attributes) < 2048 and pg_column_compression(found.custom_attributes) is null then 2 * pg_column_size(found.custom_attributes) else json_weight(found.custom_attributes) end, 0) + case when found.roles is null then 0 else json_weight(found.roles) + coalesce(json_weight(found.group_roles), 0) end, 0) as weight
        from (
          select user_id as id
          from users_to_recompute
          where directory_id = $1
          order by user_id
          limit cast($2 as int)
        ) next
        left join users found on found.directory_id = $3 and found.id = next.id
      ) weighed
    ) so_far
    where weight_before < cast($4 as float8)
    order by id
  ) as ids
)
select noted.ids as noted, case when cardinality(noted.ids) = 0 then array(
  select cast(id as text)
  from (
    select id, coalesce(sum(weight) over (order by id rows between unbounded preceding and 1 preceding), 0) as weight_before
    from (
      select next.id, coalesce(case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) + coalesce(case when pg_column_size(found.custom_attributes) < 2048 and pg_column_compression(found.custom_attributes) is null then 2 * pg_column_size(found.custom_attributes) else json_weight(found.custom_attributes) end, 0) + case when found.roles is null then 0 else json_weight(found.roles) + coalesce(json_weight(found.group_roles), 0) end, 0) as weight
      from (
        select id
        from users u
        where u.directory_id = $5 and u.id > greatest(r.after, cast($6 as uuid))
        order by u.directory_id, u.id
        limit cast($7 as int)
      ) next
      left join users found on found.directory_id = $8 and found.id = next.id
    ) weighed
  ) so_far
  where weight_before < cast($9 as float8)
  order by id
) end as ids, exists (
  select
  from (
    select id, outcome
    from mutations
    where applied_at > (select clock_timestamp() - interval '1 second')
    order by applied_at desc
    limit 200
  ) recent
  where outcome ->> 'resourceId' <> cast(id as text)
) as is_busy
from noted
cross join attribute_recomputes r
join directories d on d.id = r.directory_id
where r.directory_id = $10 and r.id = cast($11 as uuid) and r.finished_at is null;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 64,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 8388608,
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '00000000-0000-0000-0000-000000000000',
  /* $7 */ 64,
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ 8388608,
  /* $10 */ '10000000-0000-0000-0000-000000000001',
  /* $11 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_3 as
with found_users as materialized (
  select found.*, case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) + coalesce(case when pg_column_size(found.custom_attributes) < 2048 and pg_column_compression(found.custom_attributes) is null then 2 * pg_column_size(found.custom_attributes) else json_weight(found.custom_attributes) end, 0) + case when found.roles is null then 0 else json_weight(found.roles) + coalesce(json_weight(found.group_roles), 0) end as weight
  from unnest(array(select unnest(cast($1 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from users
    where directory_id = $2 and id = lookup.lookup_value
    offset 0
  ) found
),
role_rows as materialized (
  select cast(place - 1 as int) as place, given ->> 'key' as key, given ->> 'groupId' is not null as is_by_id
  from jsonb_array_elements((select role_table from directories where id = $3) -> 'groups') with ordinality as given_rows(given, place)
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
    where directory_id = $4 and display_name_key = role_rows.key and not role_rows.is_by_id
    offset 0
  ) named
),
found_places as materialized (
  select joined.id, array_agg(distinct role_groups.place) as places
  from unnest(array(select unnest(cast($5 as uuid[])))) as joined(id)
  cross join lateral (
    select group_id
    from group_members
    where directory_id = $6 and member_id = joined.id
    offset 0
  ) own
  join role_groups on role_groups.id = own.group_id
  group by joined.id
),
size as materialized (select coalesce((select sum(weight) from found_users), 0) as bytes)
select d.revision, d.last_sequence, e.acked_sequence, (
  select total_bytes
  from stored_events
  where directory_id = d.id and sequence = d.last_sequence
) as event_bytes, case when e.acked_sequence < d.last_sequence then (
  select total_bytes - bytes
  from stored_events
  where directory_id = d.id and sequence = e.acked_sequence + 1
) end as delivered_bytes, e.url is not null as has_webhook, d.outcomes_trimmed_at, d.user_state_events, d.inactive_users,
  d.inactive_users_upto, d.type, d.attribute_mapping, d.role_table, a.attributes as attribute_schema, d.user_count, d.group_count,
  d.membership_count, d.resource_bytes, d.quotas, date_trunc('milliseconds', clock_timestamp()) as now, (
  select json_agg(outcome)
  from unnest(array(select unnest(cast($7 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $8 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $9 then (select json_agg(found_users) from found_users) end as users, case when size.bytes <= $10 then (select json_agg(json_build_array(id, places)) from found_places) end as places
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $11;
execute statement_3 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ 4194304,
  /* $10 */ 4194304,
  /* $11 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_4 as
with held as (
  update directories d
  set revision = d.revision + 1, last_sequence = d.last_sequence + cast($1 as int), user_count = d.user_count + cast($2 as int),
    group_count = d.group_count + cast($3 as int), membership_count = d.membership_count + cast($4 as int), resource_bytes = d.resource_bytes + cast($5 as bigint),
    outcome_bytes = d.outcome_bytes + cast($6 as int)
  where d.id = $7 and d.revision = cast($8 as bigint)
  returning d.id, d.tenant, d.product, d.outcome_bytes
),
kept as (
  insert into mutations(directory_id, id, outcome, applied_at, total_bytes)
  select held.id, cast(o ->> 'mutationId' as uuid), o, cast($9 as timestamptz), held.outcome_bytes
  from held, jsonb_array_elements(cast($10 as jsonb)) o
),
users_derived as (
  update users u
  set custom_attributes = c.custom_attributes, lacks_required = c.lacks_required, group_roles = c.group_roles, roles = c.roles
  from held, jsonb_to_recordset(cast($11 as jsonb)) as c(id uuid, custom_attributes jsonb, lacks_required boolean, group_roles jsonb, roles jsonb)
  where u.directory_id = held.id and u.id = c.id and u.id = any(cast($12 as uuid[]))
),
users_recomputed as (
  delete from users_to_recompute r using held
  where r.directory_id = held.id and r.user_id = any(cast($13 as uuid[]))
),
import_goes_on as (
  update imported_directories i
  set revision = i.revision + 1
  from held
  where i.directory_id = held.id and i.revision = cast($14 as bigint)
)
select held.id as directory_id, false as turned_on, false as was_on
from held;
execute statement_4 (
  /* $1 */ 0,
  /* $2 */ 0,
  /* $3 */ 0,
  /* $4 */ 0,
  /* $5 */ 0,
  /* $6 */ 307,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ 4,
  /* $9 */ '2026-01-01T00:00:00.000Z',
  /* $10 */ '[{"mutationId":"10000000-0000-0000-0000-000000000004","resourceId":"10000000-0000-0000-0000-000000000004"}]',
  /* $11 */ '[{"id":"10000000-0000-0000-0000-000000000003","custom_attributes":null,"lacks_required":false,"group_roles":null,"roles":[]}]',
  /* $12 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $13 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $14 */ 4
);

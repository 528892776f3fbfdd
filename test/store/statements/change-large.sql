prepare statement_1 as
with names as materialized (
  select id, 'user' as kind, user_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($1 as text[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from users
    where directory_id = $2 and user_name_key = lookup.lookup_value
    offset 0
  ) found
  union
  select id, 'user' as kind, user_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($3 as text[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from users
    where directory_id = $4 and external_id = lookup.lookup_value
    offset 0
  ) found
  union
  select id, 'user' as kind, user_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($5 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from users
    where directory_id = $6 and id = lookup.lookup_value
    offset 0
  ) found
  union
  select id, 'group' as kind, display_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($7 as text[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from groups
    where directory_id = $8 and display_name_key = lookup.lookup_value
    offset 0
  ) found
  union
  select id, 'group' as kind, display_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($9 as text[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from groups
    where directory_id = $10 and external_id = lookup.lookup_value
    offset 0
  ) found
  union
  select id, 'group' as kind, display_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($11 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from groups
    where directory_id = $12 and id = lookup.lookup_value
    offset 0
  ) found
),
found_users as materialized (
  select found.*, case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) + coalesce(case when pg_column_size(found.custom_attributes) < 2048 and pg_column_compression(found.custom_attributes) is null then 2 * pg_column_size(found.custom_attributes) else json_weight(found.custom_attributes) end, 0) + case when found.roles is null then 0 else json_weight(found.roles) + coalesce(json_weight(found.group_roles), 0) end as weight
  from unnest(array(select unnest(cast($13 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from users
    where directory_id = $14 and id = lookup.lookup_value
    offset 0
  ) found
),
found_groups as materialized (
  select found.*, case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) as weight
  from unnest(array(
    select group_id
    from unnest(array(select unnest(cast($15 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from group_members
      where directory_id = $16 and member_id = lookup.lookup_value
      offset 0
    ) found
    union
    select group_id
    from unnest(array(select unnest(cast($17 as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $18 and value_key = lookup.lookup_value
      offset 0
    ) found
  )) as lookup(lookup_value)
  cross join lateral (
    select *
    from groups
    where directory_id = $19 and id = lookup.lookup_value
    offset 0
  ) found
  limit cast($20 as int)
),
found_members as materialized (
  select *
  from (
    select group_id, member_id, kind, display, position
    from unnest(array(select unnest(cast($21 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from group_members
      where directory_id = $22 and member_id = lookup.lookup_value
      offset 0
    ) found
    union all
    select group_id, member_id, kind, display, position
    from unnest(array(select unnest(cast($23 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from group_members
      where directory_id = $24 and group_id = lookup.lookup_value and member_id = any(array(select id from names))
      offset 0
    ) found
    union all
    select group_id, member_id, kind, display, position
    from unnest(array(select unnest(cast($25 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from group_members
      where directory_id = $26 and member_id = lookup.lookup_value and group_id = any(array(
        select group_id
        from unnest(array(select unnest(cast($27 as text[])))) as lookup(lookup_value)
        cross join lateral (
          select *
          from pending_members
          where directory_id = $28 and value_key = lookup.lookup_value
          offset 0
        ) found
        union all
        select unnest(cast($29 as uuid[]))
      ))
      offset 0
    ) found
  ) found
  limit $30
),
found_pending as materialized (
  select *
  from (
    select group_id, value, value_key, display, position
    from unnest(array(select unnest(cast($31 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $32 and group_id = lookup.lookup_value and value_key = any(array(select unnest(cast($33 as text[]))))
      offset 0
    ) found
    union all
    select group_id, value, value_key, display, position
    from unnest(array(select unnest(cast($34 as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $35 and value_key = lookup.lookup_value
      offset 0
    ) found
  ) found
  limit $36
),
size as materialized (
  select coalesce((
    select sum(64 + octet_length(name_key) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(public_id), 0))
    from names
  ), 0) + coalesce((select sum(weight) from found_users), 0) + coalesce((
    select case when count(*) >= cast($37 as int) then 9007199254740991 else sum(weight) end
    from found_groups
  ), 0) + coalesce((select 64 * count(*) from found_members), 0) + coalesce((
    select sum(64 + octet_length(value) + octet_length(value_key) + coalesce(octet_length(display), 0))
    from found_pending
  ), 0) as bytes
)
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
  from unnest(array(select unnest(cast($38 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $39 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $40 then (
  select json_agg(json_build_array(id, kind, name_key, external_id, public_id))
  from names
) end as names, case when size.bytes <= $41 then (select json_agg(found_users) from found_users) end as users, case when size.bytes <= $42 then (select json_agg(found_groups) from found_groups) end as groups, case when size.bytes <= $43 then (
  select json_agg(json_build_array(group_id, ids, kinds) order by since)
  from (
    select group_id, min(position) as since, json_agg(member_id order by position) as ids, string_agg(case kind when 'user' then 'u' else 'g' end, '' order by position) as kinds
    from found_members
    group by group_id
  ) of_each
) end as memberships, case when size.bytes <= $44 then (
  select json_agg(json_build_array(group_id, value, value_key, display) order by position)
  from found_pending
) end as pending, case when size.bytes <= $45 then (
  select json_agg(json_build_array(counted.id, of_one.groups))
  from (select id from names union select unnest(cast($46 as uuid[]))) counted(id)
  cross join lateral (
    select count(*) as groups
    from group_members m
    where m.directory_id = $47 and m.member_id = counted.id
  ) of_one
  where d.group_count + cast($48 as int) >= coalesce(cast(d.quotas ->> 'groups_per_member' as bigint), cast($49 as bigint))
    and of_one.groups > 0
) end as counts
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $50;
execute statement_1 (
  /* $1 */ '{"cy","10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"external-cy","10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002"}',
  /* $4 */ '10000000-0000-0000-0000-000000000003',
  /* $5 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002"}',
  /* $6 */ '10000000-0000-0000-0000-000000000003',
  /* $7 */ '{"division"}',
  /* $8 */ '10000000-0000-0000-0000-000000000003',
  /* $9 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002"}',
  /* $10 */ '10000000-0000-0000-0000-000000000003',
  /* $11 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002"}',
  /* $12 */ '10000000-0000-0000-0000-000000000003',
  /* $13 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $14 */ '10000000-0000-0000-0000-000000000003',
  /* $15 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $16 */ '10000000-0000-0000-0000-000000000003',
  /* $17 */ '{"10000000-0000-0000-0000-000000000004","10000000-0000-0000-0000-000000000005","cy","external-cy"}',
  /* $18 */ '10000000-0000-0000-0000-000000000003',
  /* $19 */ '10000000-0000-0000-0000-000000000003',
  /* $20 */ 65,
  /* $21 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $22 */ '10000000-0000-0000-0000-000000000003',
  /* $23 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $24 */ '10000000-0000-0000-0000-000000000003',
  /* $25 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $26 */ '10000000-0000-0000-0000-000000000003',
  /* $27 */ '{"10000000-0000-0000-0000-000000000004","10000000-0000-0000-0000-000000000005","cy","external-cy"}',
  /* $28 */ '10000000-0000-0000-0000-000000000003',
  /* $29 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $30 */ 1,
  /* $31 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $32 */ '10000000-0000-0000-0000-000000000003',
  /* $33 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002"}',
  /* $34 */ '{"10000000-0000-0000-0000-000000000004","10000000-0000-0000-0000-000000000005","cy","external-cy"}',
  /* $35 */ '10000000-0000-0000-0000-000000000003',
  /* $36 */ 1,
  /* $37 */ 65,
  /* $38 */ '{"10000000-0000-0000-0000-000000000006","10000000-0000-0000-0000-000000000007","10000000-0000-0000-0000-000000000008"}',
  /* $39 */ '10000000-0000-0000-0000-000000000003',
  /* $40 */ 1,
  /* $41 */ 1,
  /* $42 */ 1,
  /* $43 */ 1,
  /* $44 */ 1,
  /* $45 */ 1,
  /* $46 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $47 */ '10000000-0000-0000-0000-000000000003',
  /* $48 */ 4,
  /* $49 */ 5000,
  /* $50 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_2 as
with size as materialized (select 0 as bytes)
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
  from unnest(array(select unnest(cast($1 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $2 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $3;
execute statement_2 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000006","10000000-0000-0000-0000-000000000007","10000000-0000-0000-0000-000000000008"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_3 as
select group_id
from unnest(array(select unnest(cast($1 as uuid[])))) as lookup(lookup_value)
cross join lateral (
  select *
  from group_members
  where directory_id = $2 and member_id = lookup.lookup_value
  offset 0
) found
union
select group_id
from unnest(array(select unnest(cast($3 as text[])))) as lookup(lookup_value)
cross join lateral (
  select *
  from pending_members
  where directory_id = $4 and value_key = lookup.lookup_value
  offset 0
) found;
execute statement_3 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"10000000-0000-0000-0000-000000000004","10000000-0000-0000-0000-000000000005","cy","external-cy"}',
  /* $4 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_4 as
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
  from unnest(array(select unnest(cast($3 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $4 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $5 then (select json_agg(found_users) from found_users) end as users
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $6;
execute statement_4 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{}',
  /* $4 */ '10000000-0000-0000-0000-000000000003',
  /* $5 */ 33554432,
  /* $6 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_5 as
with found_groups as materialized (
  select found.*, case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) as weight
  from unnest(array(select unnest(cast($1 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from groups
    where directory_id = $2 and id = lookup.lookup_value
    offset 0
  ) found
),
size as materialized (select coalesce((select sum(weight) from found_groups), 0) as bytes)
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
  from unnest(array(select unnest(cast($3 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $4 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $5 then (select json_agg(found_groups) from found_groups) end as groups
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $6;
execute statement_5 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000009"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{}',
  /* $4 */ '10000000-0000-0000-0000-000000000003',
  /* $5 */ 33554184,
  /* $6 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_6 as
with names as materialized (
  select id, 'user' as kind, user_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($1 as text[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from users
    where directory_id = $2 and user_name_key = lookup.lookup_value
    offset 0
  ) found
),
size as materialized (
  select coalesce((
    select sum(64 + octet_length(name_key) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(public_id), 0))
    from names
  ), 0) as bytes
)
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
  from unnest(array(select unnest(cast($3 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $4 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $5 then (
  select json_agg(json_build_array(id, kind, name_key, external_id, public_id))
  from names
) end as names
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $6;
execute statement_6 (
  /* $1 */ '{"cy"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{}',
  /* $4 */ '10000000-0000-0000-0000-000000000003',
  /* $5 */ 33554128,
  /* $6 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_7 as
with names as materialized (
  select id, 'user' as kind, user_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($1 as text[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from users
    where directory_id = $2 and external_id = lookup.lookup_value
    offset 0
  ) found
),
size as materialized (
  select coalesce((
    select sum(64 + octet_length(name_key) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(public_id), 0))
    from names
  ), 0) as bytes
)
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
  from unnest(array(select unnest(cast($3 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $4 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $5 then (
  select json_agg(json_build_array(id, kind, name_key, external_id, public_id))
  from names
) end as names
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $6;
execute statement_7 (
  /* $1 */ '{"external-cy"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{}',
  /* $4 */ '10000000-0000-0000-0000-000000000003',
  /* $5 */ 33554128,
  /* $6 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_8 as
with names as materialized (
  select id, 'group' as kind, display_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($1 as text[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from groups
    where directory_id = $2 and display_name_key = lookup.lookup_value
    offset 0
  ) found
),
size as materialized (
  select coalesce((
    select sum(64 + octet_length(name_key) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(public_id), 0))
    from names
  ), 0) as bytes
)
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
  from unnest(array(select unnest(cast($3 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $4 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $5 then (
  select json_agg(json_build_array(id, kind, name_key, external_id, public_id))
  from names
) end as names
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $6;
execute statement_8 (
  /* $1 */ '{"division"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{}',
  /* $4 */ '10000000-0000-0000-0000-000000000003',
  /* $5 */ 33554128,
  /* $6 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_9 as
with names as materialized (
  select id, 'user' as kind, user_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($1 as text[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from users
    where directory_id = $2 and user_name_key = lookup.lookup_value
    offset 0
  ) found
  union
  select id, 'user' as kind, user_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($3 as text[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from users
    where directory_id = $4 and external_id = lookup.lookup_value
    offset 0
  ) found
  union
  select id, 'user' as kind, user_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($5 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from users
    where directory_id = $6 and id = lookup.lookup_value
    offset 0
  ) found
  union
  select id, 'group' as kind, display_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($7 as text[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from groups
    where directory_id = $8 and external_id = lookup.lookup_value
    offset 0
  ) found
  union
  select id, 'group' as kind, display_name_key as name_key, external_id, public_id
  from unnest(array(select unnest(cast($9 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from groups
    where directory_id = $10 and id = lookup.lookup_value
    offset 0
  ) found
),
found_members as materialized (
  select *
  from (
    select group_id, member_id, kind, display, position
    from unnest(array(select unnest(cast($11 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from group_members
      where directory_id = $12 and group_id = lookup.lookup_value and member_id = any(array(select id from names))
      offset 0
    ) found
  ) found
  limit $13
),
found_pending as materialized (
  select *
  from (
    select group_id, value, value_key, display, position
    from unnest(array(select unnest(cast($14 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $15 and group_id = lookup.lookup_value and value_key = any(array(select unnest(cast($16 as text[]))))
      offset 0
    ) found
  ) found
  limit $17
),
size as materialized (
  select coalesce((
    select sum(64 + octet_length(name_key) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(public_id), 0))
    from names
  ), 0) + coalesce((select 64 * count(*) from found_members), 0) + coalesce((
    select sum(64 + octet_length(value) + octet_length(value_key) + coalesce(octet_length(display), 0))
    from found_pending
  ), 0) as bytes
)
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
  from unnest(array(select unnest(cast($18 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $19 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $20 then (
  select json_agg(json_build_array(id, kind, name_key, external_id, public_id))
  from names
) end as names, case when size.bytes <= $21 then (
  select json_agg(json_build_array(group_id, ids, kinds) order by since)
  from (
    select group_id, min(position) as since, json_agg(member_id order by position) as ids, string_agg(case kind when 'user' then 'u' else 'g' end, '' order by position) as kinds
    from found_members
    group by group_id
  ) of_each
) end as memberships, case when size.bytes <= $22 then (
  select json_agg(json_build_array(group_id, value, value_key, display) order by position)
  from found_pending
) end as pending, case when size.bytes <= $23 then (
  select json_agg(json_build_array(counted.id, of_one.groups))
  from (select id from names) counted(id)
  cross join lateral (
    select count(*) as groups
    from group_members m
    where m.directory_id = $24 and m.member_id = counted.id
  ) of_one
  where d.group_count + cast($25 as int) >= coalesce(cast(d.quotas ->> 'groups_per_member' as bigint), cast($26 as bigint))
    and of_one.groups > 0
) end as counts
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $27;
execute statement_9 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002"}',
  /* $4 */ '10000000-0000-0000-0000-000000000003',
  /* $5 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002"}',
  /* $6 */ '10000000-0000-0000-0000-000000000003',
  /* $7 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002"}',
  /* $8 */ '10000000-0000-0000-0000-000000000003',
  /* $9 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002"}',
  /* $10 */ '10000000-0000-0000-0000-000000000003',
  /* $11 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $12 */ '10000000-0000-0000-0000-000000000003',
  /* $13 */ 65537,
  /* $14 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $15 */ '10000000-0000-0000-0000-000000000003',
  /* $16 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002"}',
  /* $17 */ 65537,
  /* $18 */ '{}',
  /* $19 */ '10000000-0000-0000-0000-000000000003',
  /* $20 */ 4194304,
  /* $21 */ 4194304,
  /* $22 */ 4194304,
  /* $23 */ 4194304,
  /* $24 */ '10000000-0000-0000-0000-000000000003',
  /* $25 */ 4,
  /* $26 */ 5000,
  /* $27 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_10 as
with found_members as materialized (
  select *
  from (
    select group_id, member_id, kind, display, position
    from unnest(array(select unnest(cast($1 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from group_members
      where directory_id = $2 and member_id = lookup.lookup_value
      offset 0
    ) found
  ) found
  limit $3
),
size as materialized (select coalesce((select 64 * count(*) from found_members), 0) as bytes)
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
  from unnest(array(select unnest(cast($4 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $5 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $6 then (
  select json_agg(json_build_array(group_id, ids, kinds) order by since)
  from (
    select group_id, min(position) as since, json_agg(member_id order by position) as ids, string_agg(case kind when 'user' then 'u' else 'g' end, '' order by position) as kinds
    from found_members
    group by group_id
  ) of_each
) end as memberships
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $7;
execute statement_10 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 524281,
  /* $4 */ '{}',
  /* $5 */ '10000000-0000-0000-0000-000000000003',
  /* $6 */ 33553970,
  /* $7 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_11 as
with found_pending as materialized (
  select *
  from (
    select group_id, value, value_key, display, position
    from unnest(array(select unnest(cast($1 as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $2 and value_key = lookup.lookup_value
      offset 0
    ) found
  ) found
  limit $3
),
size as materialized (
  select coalesce((
    select sum(64 + octet_length(value) + octet_length(value_key) + coalesce(octet_length(display), 0))
    from found_pending
  ), 0) as bytes
)
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
  from unnest(array(select unnest(cast($4 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $5 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $6 then (
  select json_agg(json_build_array(group_id, value, value_key, display) order by position)
  from found_pending
) end as pending
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $7;
execute statement_11 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000004","10000000-0000-0000-0000-000000000005","cy","external-cy"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 65537,
  /* $4 */ '{}',
  /* $5 */ '10000000-0000-0000-0000-000000000003',
  /* $6 */ 4194304,
  /* $7 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_12 as
with found_members as materialized (
  select *
  from (
    select group_id, member_id, kind, display, position
    from unnest(array(select unnest(cast($1 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from group_members
      where directory_id = $2 and member_id = lookup.lookup_value and group_id = any(array(
        select group_id
        from unnest(array(select unnest(cast($3 as text[])))) as lookup(lookup_value)
        cross join lateral (
          select *
          from pending_members
          where directory_id = $4 and value_key = lookup.lookup_value
          offset 0
        ) found
        union all
        select unnest(cast($5 as uuid[]))
      ))
      offset 0
    ) found
  ) found
  limit $6
),
size as materialized (select coalesce((select 64 * count(*) from found_members), 0) as bytes)
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
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $9 then (
  select json_agg(json_build_array(group_id, ids, kinds) order by since)
  from (
    select group_id, min(position) as since, json_agg(member_id order by position) as ids, string_agg(case kind when 'user' then 'u' else 'g' end, '' order by position) as kinds
    from found_members
    group by group_id
  ) of_each
) end as memberships, case when size.bytes <= $10 then (
  select json_agg(json_build_array(counted.id, of_one.groups))
  from (select unnest(cast($11 as uuid[]))) counted(id)
  cross join lateral (
    select count(*) as groups
    from group_members m
    where m.directory_id = $12 and m.member_id = counted.id
  ) of_one
  where d.group_count + cast($13 as int) >= coalesce(cast(d.quotas ->> 'groups_per_member' as bigint), cast($14 as bigint))
    and of_one.groups > 0
) end as counts
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $15;
execute statement_12 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"10000000-0000-0000-0000-000000000004","10000000-0000-0000-0000-000000000005","cy","external-cy"}',
  /* $4 */ '10000000-0000-0000-0000-000000000003',
  /* $5 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $6 */ 524279,
  /* $7 */ '{}',
  /* $8 */ '10000000-0000-0000-0000-000000000003',
  /* $9 */ 33553820,
  /* $10 */ 33553820,
  /* $11 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $12 */ '10000000-0000-0000-0000-000000000003',
  /* $13 */ 4,
  /* $14 */ 5000,
  /* $15 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_13 as
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
users_deleted as (
  delete from users u using held
  where u.directory_id = held.id and u.id = any(cast($11 as uuid[]))
),
new_users as materialized (
  select held.id as directory_id, u.*
  from held, jsonb_to_recordset(cast($12 as jsonb)) as u(id uuid, public_id text, user_name text, user_name_key text, external_id text, display_name_key text, active boolean, first_name text, last_name text, email text, email_keys text[], resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, custom_attributes jsonb, lacks_required boolean, group_roles jsonb, roles jsonb)
),
users_inserted as (
  insert into users(directory_id, id, public_id, user_name, user_name_key, external_id, display_name_key, active, first_name, last_name, email, resource, pushed, version, created_at, updated_at, custom_attributes, lacks_required, group_roles, roles)
  select directory_id, id, public_id, user_name, user_name_key, external_id, display_name_key, active, first_name, last_name,
    email, resource, pushed, version, created_at, updated_at, custom_attributes, lacks_required, group_roles, roles
  from new_users
),
emails_inserted as (
  insert into user_emails(directory_id, user_id, value_key)
  select directory_id, id, key from new_users, unnest(email_keys) key
),
groups_inserted as (
  insert into groups(directory_id, id, public_id, display_name, display_name_key, external_id, namesake, resource, pushed, version, created_at, updated_at, member_count)
  select held.id, g.*
  from held, jsonb_to_recordset(cast($13 as jsonb)) as g(id uuid, public_id text, display_name text, display_name_key text, external_id text, namesake text, resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, member_count bigint)
),
groups_updated as (
  update groups g
  set display_name = c.display_name, display_name_key = c.display_name_key, external_id = c.external_id, namesake = c.namesake,
    resource = c.resource, pushed = c.pushed, version = c.version, updated_at = c.updated_at, member_count = g.member_count + c.member_count
  from held, jsonb_to_recordset(cast($14 as jsonb)) as c(id uuid, public_id text, display_name text, display_name_key text, external_id text, namesake text, resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, member_count bigint)
  where g.directory_id = held.id and g.id = c.id and g.id = any(cast($15 as uuid[]))
),
members_removed as (
  delete from group_members m using held, lateral (
    select lists."groupId", one."memberId"
    from jsonb_to_recordset(cast($16 as jsonb)) as lists("groupId" uuid, "memberIds" uuid[]), unnest(lists."memberIds") as one("memberId")
    offset 0
  ) r
  where m.directory_id = held.id and m.group_id = r."groupId" and m.member_id = r."memberId" and m.group_id = any(cast($17 as uuid[]))
    and m.member_id = any(cast($18 as uuid[]))
),
members_added as (
  insert into group_members(directory_id, group_id, member_id, kind, display)
  select held.id, a.*
  from held, jsonb_to_recordset(cast($19 as jsonb)) as a("groupId" uuid, "memberId" uuid, kind text, display text)
),
pending_removed as (
  delete from pending_members p using held, jsonb_to_recordset(cast($20 as jsonb)) as r("groupId" uuid, "valueKey" text)
  where p.directory_id = held.id and p.group_id = r."groupId" and p.value_key = r."valueKey" and p.group_id = any(cast($21 as uuid[]))
    and p.value_key = any(cast($22 as text[]))
),
event_groups as materialized (
  select held.id as directory_id, place, data, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end as bytes,
    case when pg_column_size(data) > 2048 then keep_event_document(held.id, first, last, data) end as document
  from held, jsonb_to_recordset(cast($23 as jsonb)) as bound(place int, first bigint, last bigint, data jsonb)
),
event_users as materialized (
  select held.id as directory_id, place, data, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end as bytes,
    case when pg_column_size(data) > 2048 then keep_event_document(held.id, first, last, data) end as document
  from held, jsonb_to_recordset(cast($24 as jsonb)) as bound(place int, first bigint, last bigint, data jsonb)
),
events_emitted as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select directory_id, sequence, e.id, type, user_id, data, user_document, group_document, bytes, cast($25 as bigint) + sum(bytes) over (order by sequence),
    cast($26 as timestamptz)
  from (
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, e.data, cast(null as uuid) as user_document,
      cast(null as uuid) as group_document, case when pg_column_size(e.data) > 2048 then octet_length(cast(e.data as text)) else pg_column_size(e.data) end as bytes
    from held, jsonb_to_recordset(cast($27 as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, data jsonb)
    union all
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, case when pg_column_size(shown.data) > 2048 then '{}' else shown.data end || case when event_groups.document is null then jsonb_build_object('group', event_groups.data) else '{}' end || jsonb_build_object('reason', e.reason) as data,
      case when event_users.place is not null then event_users.document when pg_column_size(shown.data) > 2048 then keep_event_document(held.id, e.sequence, e.sequence, shown.data) end as user_document,
      event_groups.document as group_document, coalesce(event_users.bytes, case when pg_column_size(shown.data) > 2048 then octet_length(cast(shown.data as text)) else pg_column_size(shown.data) end) + event_groups.bytes as bytes
    from held
    cross join jsonb_to_recordset(cast($28 as jsonb)) as e(sequence bigint, id uuid, type text, reason text, "userId" uuid, "user" int, "group" int)
    join event_groups on event_groups.directory_id = held.id and event_groups.place = e."group"
    left join event_users on event_users.directory_id = held.id and event_users.place = e."user"
    left join users u on u.directory_id = held.id and u.id = e."userId" and u.id = any(cast($29 as uuid[]))
    cross join lateral (
      select coalesce(event_users.data, jsonb_build_object('id', coalesce(u.public_id, cast(u.id as text)), 'first_name', u.first_name, 'last_name', u.last_name, 'email', u.email, 'active', u.active, 'raw', pushed.raw || jsonb_build_object('id', coalesce(u.public_id, cast(u.id as text)))) || case when u.roles is not null then jsonb_build_object('role', u.roles -> 0, 'roles', u.roles) else case jsonb_typeof(pushed.raw -> 'roles') when 'array' then jsonb_build_object('roles', pushed.raw -> 'roles') when 'object' then jsonb_build_object('roles', jsonb_build_array(pushed.raw -> 'roles')) when 'string' then case when pushed.raw ->> 'roles' = '' then '{}' else jsonb_build_object('roles', string_to_array(pushed.raw ->> 'roles', ',')) end else '{}' end end || case when u.custom_attributes is null then '{}' else jsonb_build_object('custom_attributes', u.custom_attributes) end) as data
      from (
        select case when cast(u.pushed ->> 'version' as bigint) = u.version then (u.resource || coalesce(u.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(u.pushed -> 'unset')) else u.resource end as raw
      ) pushed
      offset 0
    ) shown
  ) e
  returning id
),
endpoint as (
  select e.id, e.directory_id, e.wake, cast($30 as int) > 0 as has_events
  from held
  join webhook_endpoints e on e.directory_id = held.id for key share of e
),
woken as (
  update webhook_endpoints e
  set wake = true, wake_at = clock_timestamp()
  from endpoint
  where e.id = endpoint.id and not endpoint.wake and endpoint.has_events
  returning e.directory_id
)
select held.id as directory_id, exists (select from woken where woken.directory_id = held.id) as turned_on, coalesce((select bool_or(wake) from endpoint where endpoint.directory_id = held.id), false) as was_on
from held;
execute statement_13 (
  /* $1 */ 8,
  /* $2 */ 0,
  /* $3 */ 1,
  /* $4 */ 0,
  /* $5 */ 23,
  /* $6 */ 1122,
  /* $7 */ '10000000-0000-0000-0000-000000000003',
  /* $8 */ 3,
  /* $9 */ '2026-01-01T00:00:00.000Z',
  /* $10 */ '[{"mutationId":"10000000-0000-0000-0000-000000000006","resourceId":"10000000-0000-0000-0000-000000000004","version":1,"at":"2026-01-01T00:00:00.000Z","emitted":{"first":5,"count":3}},{"mutationId":"10000000-0000-0000-0000-000000000007","resourceId":"10000000-0000-0000-0000-000000000005","version":1,"at":"2026-01-01T00:00:00.000Z","wasPending":true,"emitted":{"first":8,"count":2}},{"mutationId":"10000000-0000-0000-0000-000000000008","resourceId":"10000000-0000-0000-0000-000000000001","emitted":{"first":10,"count":3}}]',
  /* $11 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $12 */ '[{"id":"10000000-0000-0000-0000-000000000005","user_name":"cy","user_name_key":"cy","external_id":"external-cy","display_name_key":null,"active":true,"first_name":"","last_name":"","email":"cy@example.com","email_keys":["cy@example.com"],"resource":{"active":true,"userName":"cy","externalId":"external-cy","emails":[{"value":"cy@example.com"}]},"pushed":null,"custom_attributes":null,"lacks_required":false,"group_roles":null,"roles":null,"version":1,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"}]',
  /* $13 */ '[{"id":"10000000-0000-0000-0000-000000000004","display_name":"Division","display_name_key":"division","external_id":null,"namesake":"","resource":{"displayName":"Division"},"pushed":null,"version":2,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","member_count":1}]',
  /* $14 */ '[{"id":"10000000-0000-0000-0000-000000000009","display_name":"Team","display_name_key":"team","external_id":null,"namesake":"","resource":{"displayName":"Team"},"pushed":null,"version":3,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","member_count":-1}]',
  /* $15 */ '{"10000000-0000-0000-0000-000000000009"}',
  /* $16 */ '[{"groupId":"10000000-0000-0000-0000-000000000009","memberIds":["10000000-0000-0000-0000-000000000001"]}]',
  /* $17 */ '{"10000000-0000-0000-0000-000000000009"}',
  /* $18 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $19 */ '[{"groupId":"10000000-0000-0000-0000-000000000009","memberId":"10000000-0000-0000-0000-000000000005","kind":"user","display":null},{"groupId":"10000000-0000-0000-0000-000000000004","memberId":"10000000-0000-0000-0000-000000000002","kind":"user","display":null}]',
  /* $20 */ '[{"groupId":"10000000-0000-0000-0000-000000000009","valueKey":"external-cy"}]',
  /* $21 */ '{"10000000-0000-0000-0000-000000000009"}',
  /* $22 */ '{"external-cy"}',
  /* $23 */ '[{"place":1,"data":{"id":"10000000-0000-0000-0000-000000000004","name":"Division","raw":{"displayName":"Division","id":"10000000-0000-0000-0000-000000000004","members":[]}},"first":6,"last":7},{"place":2,"data":{"id":"10000000-0000-0000-0000-000000000009","name":"Team","raw":{"displayName":"Team","id":"10000000-0000-0000-0000-000000000009","members":[]}},"first":9,"last":9},{"place":3,"data":{"id":"10000000-0000-0000-0000-000000000009","name":"Team","raw":{"displayName":"Team","id":"10000000-0000-0000-0000-000000000009","members":[]}},"first":10,"last":10},{"place":4,"data":{"id":"10000000-0000-0000-0000-000000000004","name":"Division","raw":{"displayName":"Division","id":"10000000-0000-0000-0000-000000000004","members":[]}},"first":11,"last":11}]',
  /* $24 */ '[{"place":1,"data":{"id":"10000000-0000-0000-0000-000000000001","first_name":"","last_name":"","email":"ada@example.com","active":true,"raw":{"active":true,"emails":[{"value":"ada@example.com"}],"userName":"ada","externalId":"external-ada","id":"10000000-0000-0000-0000-000000000001"}},"first":6,"last":11},{"place":2,"data":{"id":"10000000-0000-0000-0000-000000000005","first_name":"","last_name":"","email":"cy@example.com","active":true,"raw":{"active":true,"userName":"cy","externalId":"external-cy","emails":[{"value":"cy@example.com"}],"id":"10000000-0000-0000-0000-000000000005"}},"first":9,"last":9}]',
  /* $25 */ 1338,
  /* $26 */ '2026-01-01T00:00:00.000Z',
  /* $27 */ '[{"sequence":5,"id":"10000000-0000-0000-0000-000000000010","type":"group.created","data":{"id":"10000000-0000-0000-0000-000000000004","name":"Division","raw":{"displayName":"Division","id":"10000000-0000-0000-0000-000000000004","members":[]},"reason":"scim"}},{"sequence":8,"id":"10000000-0000-0000-0000-000000000011","type":"user.created","userId":"10000000-0000-0000-0000-000000000005","data":{"id":"10000000-0000-0000-0000-000000000005","first_name":"","last_name":"","email":"cy@example.com","active":true,"raw":{"active":true,"userName":"cy","externalId":"external-cy","emails":[{"value":"cy@example.com"}],"id":"10000000-0000-0000-0000-000000000005"},"reason":"scim"}},{"sequence":12,"id":"10000000-0000-0000-0000-000000000012","type":"user.deleted","userId":"10000000-0000-0000-0000-000000000001","data":{"id":"10000000-0000-0000-0000-000000000001","first_name":"","last_name":"","email":"ada@example.com","active":true,"raw":{"active":true,"emails":[{"value":"ada@example.com"}],"userName":"ada","externalId":"external-ada","id":"10000000-0000-0000-0000-000000000001"},"reason":"scim"}}]',
  /* $28 */ '[{"type":"group.user_added","reason":"scim","user":1,"group":1,"id":"10000000-0000-0000-0000-000000000013","userId":"10000000-0000-0000-0000-000000000001","sequence":6},{"type":"group.user_added","reason":"scim","group":1,"id":"10000000-0000-0000-0000-000000000014","userId":"10000000-0000-0000-0000-000000000002","sequence":7},{"type":"group.user_added","reason":"scim","user":2,"group":2,"id":"10000000-0000-0000-0000-000000000015","userId":"10000000-0000-0000-0000-000000000005","sequence":9},{"type":"group.user_removed","reason":"scim","user":1,"group":3,"id":"10000000-0000-0000-0000-000000000016","userId":"10000000-0000-0000-0000-000000000001","sequence":10},{"type":"group.user_removed","reason":"scim","user":1,"group":4,"id":"10000000-0000-0000-0000-000000000017","userId":"10000000-0000-0000-0000-000000000001","sequence":11}]',
  /* $29 */ '{"10000000-0000-0000-0000-000000000002"}',
  /* $30 */ 8
);

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
),
found_users as materialized (
  select found.*, case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) + coalesce(case when pg_column_size(found.custom_attributes) < 2048 and pg_column_compression(found.custom_attributes) is null then 2 * pg_column_size(found.custom_attributes) else json_weight(found.custom_attributes) end, 0) + case when found.roles is null then 0 else json_weight(found.roles) + coalesce(json_weight(found.group_roles), 0) end as weight
  from unnest(array(select unnest(cast($3 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from users
    where directory_id = $4 and id = lookup.lookup_value
    offset 0
  ) found
),
found_groups as materialized (
  select found.*, case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) as weight
  from unnest(array(
    select group_id
    from unnest(array(select unnest(cast($5 as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $6 and value_key = lookup.lookup_value
      offset 0
    ) found
  )) as lookup(lookup_value)
  cross join lateral (
    select *
    from groups
    where directory_id = $7 and id = lookup.lookup_value
    offset 0
  ) found
  limit cast($8 as int)
),
found_members as materialized (
  select *
  from (
    select group_id, member_id, kind, display, position
    from unnest(array(select unnest(cast($9 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from group_members
      where directory_id = $10 and member_id = lookup.lookup_value and group_id = any(array(
        select group_id
        from unnest(array(select unnest(cast($11 as text[])))) as lookup(lookup_value)
        cross join lateral (
          select *
          from pending_members
          where directory_id = $12 and value_key = lookup.lookup_value
          offset 0
        ) found
      ))
      offset 0
    ) found
  ) found
  limit $13
),
found_pending as materialized (
  select *
  from (
    select group_id, value, value_key, display, position
    from unnest(array(select unnest(cast($14 as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $15 and value_key = lookup.lookup_value
      offset 0
    ) found
  ) found
  limit $16
),
size as materialized (
  select coalesce((
    select sum(64 + octet_length(name_key) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(public_id), 0))
    from names
  ), 0) + coalesce((select sum(weight) from found_users), 0) + coalesce((
    select case when count(*) >= cast($17 as int) then 9007199254740991 else sum(weight) end
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
) end as names, case when size.bytes <= $21 then (select json_agg(found_users) from found_users) end as users, case when size.bytes <= $22 then (select json_agg(found_groups) from found_groups) end as groups, case when size.bytes <= $23 then (
  select json_agg(json_build_array(group_id, ids, kinds) order by since)
  from (
    select group_id, min(position) as since, json_agg(member_id order by position) as ids, string_agg(case kind when 'user' then 'u' else 'g' end, '' order by position) as kinds
    from found_members
    group by group_id
  ) of_each
) end as memberships, case when size.bytes <= $24 then (
  select json_agg(json_build_array(group_id, value, value_key, display) order by position)
  from found_pending
) end as pending, case when size.bytes <= $25 then (
  select json_agg(json_build_array(counted.id, of_one.groups))
  from (select unnest(cast($26 as uuid[]))) counted(id)
  cross join lateral (
    select count(*) as groups
    from group_members m
    where m.directory_id = $27 and m.member_id = counted.id
  ) of_one
  where d.group_count + cast($28 as int) >= coalesce(cast(d.quotas ->> 'groups_per_member' as bigint), cast($29 as bigint))
    and of_one.groups > 0
) end as counts
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $30;
execute statement_1 (
  /* $1 */ '{"ada2"}',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '{"10000000-0000-0000-0000-000000000002"}',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '{"ada2"}',
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ 65,
  /* $9 */ '{"10000000-0000-0000-0000-000000000002"}',
  /* $10 */ '10000000-0000-0000-0000-000000000001',
  /* $11 */ '{"ada2"}',
  /* $12 */ '10000000-0000-0000-0000-000000000001',
  /* $13 */ 4097,
  /* $14 */ '{"ada2"}',
  /* $15 */ '10000000-0000-0000-0000-000000000001',
  /* $16 */ 4097,
  /* $17 */ 65,
  /* $18 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $19 */ '10000000-0000-0000-0000-000000000001',
  /* $20 */ 262144,
  /* $21 */ 262144,
  /* $22 */ 262144,
  /* $23 */ 262144,
  /* $24 */ 262144,
  /* $25 */ 262144,
  /* $26 */ '{"10000000-0000-0000-0000-000000000002"}',
  /* $27 */ '10000000-0000-0000-0000-000000000001',
  /* $28 */ 1,
  /* $29 */ 5000,
  /* $30 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_2 as
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
users_updated as (
  update users u
  set user_name = c.user_name, user_name_key = c.user_name_key, external_id = c.external_id, display_name_key = c.display_name_key,
    active = c.active, first_name = c.first_name, last_name = c.last_name, email = c.email, resource = c.resource, pushed = c.pushed,
    version = c.version, updated_at = c.updated_at, custom_attributes = c.custom_attributes, lacks_required = c.lacks_required,
    group_roles = c.group_roles, roles = c.roles
  from held, jsonb_to_recordset(cast($11 as jsonb)) as c(id uuid, public_id text, user_name text, user_name_key text, external_id text, display_name_key text, active boolean, first_name text, last_name text, email text, email_keys text[], resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, custom_attributes jsonb, lacks_required boolean, group_roles jsonb, roles jsonb)
  where u.directory_id = held.id and u.id = c.id and u.id = any(cast($12 as uuid[]))
),
changed_emails as materialized (
  select held.id as directory_id, c.id, key from held, jsonb_to_recordset(cast($13 as jsonb)) as c(id uuid, email_keys text[]),
    unnest(c.email_keys) key
),
emails_gone as (
  delete from user_emails e using held
  where e.directory_id = held.id and e.user_id = any(cast($14 as uuid[])) and not exists (
    select
    from changed_emails c
    where c.directory_id = held.id and c.id = e.user_id and c.key = e.value_key
  )
),
emails_come as (
  insert into user_emails(directory_id, user_id, value_key)
  select directory_id, id, key from changed_emails
  on conflict do nothing
),
events_emitted as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select directory_id, sequence, e.id, type, user_id, data, user_document, group_document, bytes, cast($15 as bigint) + bytes,
    cast($16 as timestamptz)
  from (
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, e.data, cast(null as uuid) as user_document,
      cast(null as uuid) as group_document, case when pg_column_size(e.data) > 2048 then octet_length(cast(e.data as text)) else pg_column_size(e.data) end as bytes
    from held, jsonb_to_recordset(cast($17 as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, data jsonb)
  ) e
  returning directory_id, id, sequence, type, data, user_document, group_document, occurred_at, bytes
),
endpoint as (
  select e.id, e.directory_id, e.wake, cast($18 as int) > 0 as has_events
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
select held.id as directory_id, exists (select from woken where woken.directory_id = held.id) as turned_on, coalesce((select bool_or(wake) from endpoint where endpoint.directory_id = held.id), false) as was_on, (
  select json_object_agg(shown.id, few.groups)
  from unnest(array(select unnest(cast($19 as uuid[])))) shown(id)
  cross join lateral (
    select case when coalesce(sum(weight), 0) <= 32768 then coalesce(jsonb_agg(jsonb_build_object('id', public_id, 'displayName', display_name) order by id), '[]') end as groups
    from (
      select g.id, coalesce(g.public_id, cast(g.id as text)) as public_id, g.display_name, 300 + 2 * octet_length(g.display_name) as weight
      from group_members m
      join groups g on g.directory_id = m.directory_id and g.id = m.group_id
      where m.directory_id = held.id and m.member_id = shown.id
      limit 110
    ) of_user
  ) few
  where few.groups is not null
) as groups_of_shown, json_build_object('tenant', held.tenant, 'product', held.product) as directory, (
  select json_agg(json_build_object('id', id, 'type', type, 'data', case when user_document is null and group_document is null then data else whole_event_data(directory_id, data, user_document, group_document) end, 'sequence', sequence, 'at', occurred_at) order by sequence)
  from events_emitted
  where (select sum(bytes) from events_emitted) <= 524288
) as emitted, cast((select sum(bytes) from events_emitted) as float8) as event_bytes
from held;
execute statement_2 (
  /* $1 */ 1,
  /* $2 */ 0,
  /* $3 */ 0,
  /* $4 */ 0,
  /* $5 */ 2,
  /* $6 */ 383,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ 3,
  /* $9 */ '2026-01-01T00:00:00.000Z',
  /* $10 */ '[{"mutationId":"10000000-0000-0000-0000-000000000003","resourceId":"10000000-0000-0000-0000-000000000002","version":2,"at":"2026-01-01T00:00:00.000Z","emitted":{"first":5,"count":1}}]',
  /* $11 */ '[{"id":"10000000-0000-0000-0000-000000000002","user_name":"ada2","user_name_key":"ada2","external_id":"external-ada","display_name_key":null,"active":true,"first_name":"","last_name":"","email":"ada2@example.com","email_keys":["ada2@example.com"],"resource":{"active":true,"externalId":"external-ada","userName":"ada2","emails":[{"value":"ada2@example.com"}]},"pushed":null,"custom_attributes":null,"lacks_required":false,"group_roles":null,"roles":null,"version":2,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"}]',
  /* $12 */ '{"10000000-0000-0000-0000-000000000002"}',
  /* $13 */ '[{"id":"10000000-0000-0000-0000-000000000002","email_keys":["ada2@example.com"]}]',
  /* $14 */ '{"10000000-0000-0000-0000-000000000002"}',
  /* $15 */ 1338,
  /* $16 */ '2026-01-01T00:00:00.000Z',
  /* $17 */ '[{"sequence":5,"id":"10000000-0000-0000-0000-000000000004","type":"user.updated","userId":"10000000-0000-0000-0000-000000000002","data":{"id":"10000000-0000-0000-0000-000000000002","first_name":"","last_name":"","email":"ada2@example.com","active":true,"raw":{"active":true,"externalId":"external-ada","userName":"ada2","emails":[{"value":"ada2@example.com"}],"id":"10000000-0000-0000-0000-000000000002"},"previous_attributes":{"email":"ada@example.com","raw":{"emails":[{"value":"ada@example.com"}],"userName":"ada"}},"reason":"scim"}}]',
  /* $18 */ 1,
  /* $19 */ '{"10000000-0000-0000-0000-000000000002"}'
);

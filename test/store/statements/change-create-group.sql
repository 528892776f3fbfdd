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
found_groups as materialized (
  select found.*, case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) as weight
  from unnest(array(
    select group_id
    from unnest(array(select unnest(cast($13 as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $14 and value_key = lookup.lookup_value
      offset 0
    ) found
  )) as lookup(lookup_value)
  cross join lateral (
    select *
    from groups
    where directory_id = $15 and id = lookup.lookup_value
    offset 0
  ) found
  limit cast($16 as int)
),
found_members as materialized (
  select *
  from (
    select group_id, member_id, kind, display, position
    from unnest(array(select unnest(cast($17 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from group_members
      where directory_id = $18 and group_id = lookup.lookup_value and member_id = any(array(select id from names))
      offset 0
    ) found
  ) found
  limit $19
),
found_pending as materialized (
  select *
  from (
    select group_id, value, value_key, display, position
    from unnest(array(select unnest(cast($20 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $21 and group_id = lookup.lookup_value and value_key = any(array(select unnest(cast($22 as text[]))))
      offset 0
    ) found
    union all
    select group_id, value, value_key, display, position
    from unnest(array(select unnest(cast($23 as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $24 and value_key = lookup.lookup_value
      offset 0
    ) found
  ) found
  limit $25
),
size as materialized (
  select coalesce((
    select sum(64 + octet_length(name_key) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(public_id), 0))
    from names
  ), 0) + coalesce((
    select case when count(*) >= cast($26 as int) then 9007199254740991 else sum(weight) end
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
  from unnest(array(select unnest(cast($27 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $28 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $29 then (
  select json_agg(json_build_array(id, kind, name_key, external_id, public_id))
  from names
) end as names, case when size.bytes <= $30 then (select json_agg(found_groups) from found_groups) end as groups, case when size.bytes <= $31 then (
  select json_agg(json_build_array(group_id, ids, kinds) order by since)
  from (
    select group_id, min(position) as since, json_agg(member_id order by position) as ids, string_agg(case kind when 'user' then 'u' else 'g' end, '' order by position) as kinds
    from found_members
    group by group_id
  ) of_each
) end as memberships, case when size.bytes <= $32 then (
  select json_agg(json_build_array(group_id, value, value_key, display) order by position)
  from found_pending
) end as pending, case when size.bytes <= $33 then (
  select json_agg(json_build_array(counted.id, of_one.groups))
  from (select id from names) counted(id)
  cross join lateral (
    select count(*) as groups
    from group_members m
    where m.directory_id = $34 and m.member_id = counted.id
  ) of_one
  where d.group_count + cast($35 as int) >= coalesce(cast(d.quotas ->> 'groups_per_member' as bigint), cast($36 as bigint))
    and of_one.groups > 0
) end as counts
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $37;
execute statement_1 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002","external-dee"}',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002","external-dee"}',
  /* $4 */ '10000000-0000-0000-0000-000000000003',
  /* $5 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002","10000000-0000-0000-0000-000000000004"}',
  /* $6 */ '10000000-0000-0000-0000-000000000003',
  /* $7 */ '{"division"}',
  /* $8 */ '10000000-0000-0000-0000-000000000003',
  /* $9 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002","external-dee"}',
  /* $10 */ '10000000-0000-0000-0000-000000000003',
  /* $11 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002","10000000-0000-0000-0000-000000000004"}',
  /* $12 */ '10000000-0000-0000-0000-000000000003',
  /* $13 */ '{"10000000-0000-0000-0000-000000000005"}',
  /* $14 */ '10000000-0000-0000-0000-000000000003',
  /* $15 */ '10000000-0000-0000-0000-000000000003',
  /* $16 */ 65,
  /* $17 */ '{"10000000-0000-0000-0000-000000000005"}',
  /* $18 */ '10000000-0000-0000-0000-000000000003',
  /* $19 */ 4097,
  /* $20 */ '{"10000000-0000-0000-0000-000000000005"}',
  /* $21 */ '10000000-0000-0000-0000-000000000003',
  /* $22 */ '{"10000000-0000-0000-0000-000000000001","10000000-0000-0000-0000-000000000002","external-dee"}',
  /* $23 */ '{"10000000-0000-0000-0000-000000000005"}',
  /* $24 */ '10000000-0000-0000-0000-000000000003',
  /* $25 */ 4097,
  /* $26 */ 65,
  /* $27 */ '{"10000000-0000-0000-0000-000000000006"}',
  /* $28 */ '10000000-0000-0000-0000-000000000003',
  /* $29 */ 262144,
  /* $30 */ 262144,
  /* $31 */ 262144,
  /* $32 */ 262144,
  /* $33 */ 262144,
  /* $34 */ '10000000-0000-0000-0000-000000000003',
  /* $35 */ 1,
  /* $36 */ 5000,
  /* $37 */ '10000000-0000-0000-0000-000000000003'
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
groups_inserted as (
  insert into groups(directory_id, id, public_id, display_name, display_name_key, external_id, namesake, resource, pushed, version, created_at, updated_at, member_count)
  select held.id, g.*
  from held, jsonb_to_recordset(cast($11 as jsonb)) as g(id uuid, public_id text, display_name text, display_name_key text, external_id text, namesake text, resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, member_count bigint)
),
members_added as (
  insert into group_members(directory_id, group_id, member_id, kind, display)
  select held.id, a.*
  from held, jsonb_to_recordset(cast($12 as jsonb)) as a("groupId" uuid, "memberId" uuid, kind text, display text)
),
pending_added as (
  insert into pending_members(directory_id, group_id, value, value_key, display)
  select held.id, a.*
  from held, jsonb_to_recordset(cast($13 as jsonb)) as a("groupId" uuid, value text, "valueKey" text, display text)
),
event_groups as materialized (
  select held.id as directory_id, place, data, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end as bytes,
    case when pg_column_size(data) > 2048 then keep_event_document(held.id, first, last, data) end as document
  from held, jsonb_to_recordset(cast($14 as jsonb)) as bound(place int, first bigint, last bigint, data jsonb)
),
event_users as materialized (
  select held.id as directory_id, place, data, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end as bytes,
    case when pg_column_size(data) > 2048 then keep_event_document(held.id, first, last, data) end as document
  from held, jsonb_to_recordset(cast($15 as jsonb)) as bound(place int, first bigint, last bigint, data jsonb)
),
events_emitted as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select directory_id, sequence, e.id, type, user_id, data, user_document, group_document, bytes, cast($16 as bigint) + sum(bytes) over (order by sequence),
    cast($17 as timestamptz)
  from (
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, e.data, cast(null as uuid) as user_document,
      cast(null as uuid) as group_document, case when pg_column_size(e.data) > 2048 then octet_length(cast(e.data as text)) else pg_column_size(e.data) end as bytes
    from held, jsonb_to_recordset(cast($18 as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, data jsonb)
    union all
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, case when pg_column_size(shown.data) > 2048 then '{}' else shown.data end || case when event_groups.document is null then jsonb_build_object('group', event_groups.data) else '{}' end || jsonb_build_object('reason', e.reason) as data,
      case when event_users.place is not null then event_users.document when pg_column_size(shown.data) > 2048 then keep_event_document(held.id, e.sequence, e.sequence, shown.data) end as user_document,
      event_groups.document as group_document, coalesce(event_users.bytes, case when pg_column_size(shown.data) > 2048 then octet_length(cast(shown.data as text)) else pg_column_size(shown.data) end) + event_groups.bytes as bytes
    from held
    cross join jsonb_to_recordset(cast($19 as jsonb)) as e(sequence bigint, id uuid, type text, reason text, "userId" uuid, "user" int, "group" int)
    join event_groups on event_groups.directory_id = held.id and event_groups.place = e."group"
    left join event_users on event_users.directory_id = held.id and event_users.place = e."user"
    left join users u on u.directory_id = held.id and u.id = e."userId" and u.id = any(cast($20 as uuid[]))
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
  select e.id, e.directory_id, e.wake, cast($21 as int) > 0 as has_events
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
execute statement_2 (
  /* $1 */ 3,
  /* $2 */ 0,
  /* $3 */ 1,
  /* $4 */ 3,
  /* $5 */ 26,
  /* $6 */ 383,
  /* $7 */ '10000000-0000-0000-0000-000000000003',
  /* $8 */ 3,
  /* $9 */ '2026-01-01T00:00:00.000Z',
  /* $10 */ '[{"mutationId":"10000000-0000-0000-0000-000000000006","resourceId":"10000000-0000-0000-0000-000000000005","version":1,"at":"2026-01-01T00:00:00.000Z","emitted":{"first":5,"count":3}}]',
  /* $11 */ '[{"id":"10000000-0000-0000-0000-000000000005","display_name":"Division","display_name_key":"division","external_id":null,"namesake":"","resource":{"displayName":"Division"},"pushed":null,"version":1,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","member_count":3}]',
  /* $12 */ '[{"groupId":"10000000-0000-0000-0000-000000000005","memberId":"10000000-0000-0000-0000-000000000001","kind":"user","display":null},{"groupId":"10000000-0000-0000-0000-000000000005","memberId":"10000000-0000-0000-0000-000000000002","kind":"group","display":null}]',
  /* $13 */ '[{"groupId":"10000000-0000-0000-0000-000000000005","value":"external-dee","valueKey":"external-dee","display":null}]',
  /* $14 */ '[{"place":1,"data":{"id":"10000000-0000-0000-0000-000000000005","name":"Division","raw":{"displayName":"Division","id":"10000000-0000-0000-0000-000000000005","members":[]}},"first":7,"last":7}]',
  /* $15 */ '[]',
  /* $16 */ 1338,
  /* $17 */ '2026-01-01T00:00:00.000Z',
  /* $18 */ '[{"sequence":5,"id":"10000000-0000-0000-0000-000000000007","type":"group.created","data":{"id":"10000000-0000-0000-0000-000000000005","name":"Division","raw":{"displayName":"Division","id":"10000000-0000-0000-0000-000000000005","members":[]},"reason":"scim"}},{"sequence":6,"id":"10000000-0000-0000-0000-000000000008","type":"group.updated","data":{"id":"10000000-0000-0000-0000-000000000005","name":"Division","raw":{"displayName":"Division","id":"10000000-0000-0000-0000-000000000005","members":[]},"previous_attributes":{},"reason":"scim"}}]',
  /* $19 */ '[{"type":"group.user_added","reason":"scim","group":1,"id":"10000000-0000-0000-0000-000000000009","userId":"10000000-0000-0000-0000-000000000001","sequence":7}]',
  /* $20 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $21 */ 3
);

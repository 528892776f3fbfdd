prepare statement_1 as
with found_groups as materialized (
  select found.*, case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) as weight
  from unnest(array(
    select unnest(cast($1 as uuid[]))
    union
    select group_id
    from unnest(array(select unnest(cast($2 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from group_members
      where directory_id = $3 and member_id = lookup.lookup_value
      offset 0
    ) found
  )) as lookup(lookup_value)
  cross join lateral (
    select *
    from groups
    where directory_id = $4 and id = lookup.lookup_value
    offset 0
  ) found
  limit cast($5 as int)
),
found_members as materialized (
  select *
  from (
    select group_id, member_id, kind, display, position
    from unnest(array(select unnest(cast($6 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from group_members
      where directory_id = $7 and group_id = lookup.lookup_value
      offset 0
    ) found
    union all
    select group_id, member_id, kind, display, position
    from unnest(array(select unnest(cast($8 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from group_members
      where directory_id = $9 and member_id = lookup.lookup_value
      offset 0
    ) found
  ) found
  limit $10
),
found_pending as materialized (
  select *
  from (
    select group_id, value, value_key, display, position
    from unnest(array(select unnest(cast($11 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $12 and group_id = lookup.lookup_value
      offset 0
    ) found
  ) found
  limit $13
),
size as materialized (
  select coalesce((
    select case when count(*) >= cast($14 as int) then 9007199254740991 else sum(weight) end
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
  from unnest(array(select unnest(cast($15 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $16 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $17 then (select json_agg(found_groups) from found_groups) end as groups, case when size.bytes <= $18 then (
  select json_agg(json_build_array(group_id, ids, kinds) order by since)
  from (
    select group_id, min(position) as since, json_agg(member_id order by position) as ids, string_agg(case kind when 'user' then 'u' else 'g' end, '' order by position) as kinds
    from found_members
    group by group_id
  ) of_each
) end as memberships, case when size.bytes <= $19 then (
  select json_agg(json_build_array(group_id, value, value_key, display) order by position)
  from found_pending
) end as pending
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $20;
execute statement_1 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '10000000-0000-0000-0000-000000000002',
  /* $5 */ 66,
  /* $6 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $7 */ '10000000-0000-0000-0000-000000000002',
  /* $8 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $9 */ '10000000-0000-0000-0000-000000000002',
  /* $10 */ 4097,
  /* $11 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $12 */ '10000000-0000-0000-0000-000000000002',
  /* $13 */ 4097,
  /* $14 */ 66,
  /* $15 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $16 */ '10000000-0000-0000-0000-000000000002',
  /* $17 */ 262144,
  /* $18 */ 262144,
  /* $19 */ 262144,
  /* $20 */ '10000000-0000-0000-0000-000000000002'
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
groups_deleted as (
  delete from groups g using held
  where g.directory_id = held.id and g.id = any(cast($11 as uuid[]))
),
members_removed as (
  delete from group_members m using held, lateral (
    select lists."groupId", one."memberId"
    from jsonb_to_recordset(cast($12 as jsonb)) as lists("groupId" uuid, "memberIds" uuid[]), unnest(lists."memberIds") as one("memberId")
    offset 0
  ) r
  where m.directory_id = held.id and m.group_id = r."groupId" and m.member_id = r."memberId" and m.group_id = any(cast($13 as uuid[]))
    and m.member_id = any(cast($14 as uuid[]))
),
pending_removed as (
  delete from pending_members p using held, jsonb_to_recordset(cast($15 as jsonb)) as r("groupId" uuid, "valueKey" text)
  where p.directory_id = held.id and p.group_id = r."groupId" and p.value_key = r."valueKey" and p.group_id = any(cast($16 as uuid[]))
    and p.value_key = any(cast($17 as text[]))
),
event_groups as materialized (
  select held.id as directory_id, place, data, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end as bytes,
    case when pg_column_size(data) > 2048 then keep_event_document(held.id, first, last, data) end as document
  from held, jsonb_to_recordset(cast($18 as jsonb)) as bound(place int, first bigint, last bigint, data jsonb)
),
event_users as materialized (
  select held.id as directory_id, place, data, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end as bytes,
    case when pg_column_size(data) > 2048 then keep_event_document(held.id, first, last, data) end as document
  from held, jsonb_to_recordset(cast($19 as jsonb)) as bound(place int, first bigint, last bigint, data jsonb)
),
events_emitted as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select directory_id, sequence, e.id, type, user_id, data, user_document, group_document, bytes, cast($20 as bigint) + sum(bytes) over (order by sequence),
    cast($21 as timestamptz)
  from (
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, e.data, cast(null as uuid) as user_document,
      cast(null as uuid) as group_document, case when pg_column_size(e.data) > 2048 then octet_length(cast(e.data as text)) else pg_column_size(e.data) end as bytes
    from held, jsonb_to_recordset(cast($22 as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, data jsonb)
    union all
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, case when pg_column_size(shown.data) > 2048 then '{}' else shown.data end || case when event_groups.document is null then jsonb_build_object('group', event_groups.data) else '{}' end || jsonb_build_object('reason', e.reason) as data,
      case when event_users.place is not null then event_users.document when pg_column_size(shown.data) > 2048 then keep_event_document(held.id, e.sequence, e.sequence, shown.data) end as user_document,
      event_groups.document as group_document, coalesce(event_users.bytes, case when pg_column_size(shown.data) > 2048 then octet_length(cast(shown.data as text)) else pg_column_size(shown.data) end) + event_groups.bytes as bytes
    from held
    cross join jsonb_to_recordset(cast($23 as jsonb)) as e(sequence bigint, id uuid, type text, reason text, "userId" uuid, "user" int, "group" int)
    join event_groups on event_groups.directory_id = held.id and event_groups.place = e."group"
    left join event_users on event_users.directory_id = held.id and event_users.place = e."user"
    left join users u on u.directory_id = held.id and u.id = e."userId" and u.id = any(cast($24 as uuid[]))
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
  select e.id, e.directory_id, e.wake, cast($25 as int) > 0 as has_events
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
  /* $1 */ 2,
  /* $2 */ 0,
  /* $3 */ -1,
  /* $4 */ -2,
  /* $5 */ -22,
  /* $6 */ 339,
  /* $7 */ '10000000-0000-0000-0000-000000000002',
  /* $8 */ 3,
  /* $9 */ '2026-01-01T00:00:00.000Z',
  /* $10 */ '[{"mutationId":"10000000-0000-0000-0000-000000000003","resourceId":"10000000-0000-0000-0000-000000000001","emitted":{"first":5,"count":2}}]',
  /* $11 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $12 */ '[{"groupId":"10000000-0000-0000-0000-000000000001","memberIds":["10000000-0000-0000-0000-000000000004"]}]',
  /* $13 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $14 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $15 */ '[{"groupId":"10000000-0000-0000-0000-000000000001","valueKey":"external-cy"}]',
  /* $16 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $17 */ '{"external-cy"}',
  /* $18 */ '[{"place":1,"data":{"id":"10000000-0000-0000-0000-000000000001","name":"Team","raw":{"displayName":"Team","id":"10000000-0000-0000-0000-000000000001","members":[]}},"first":5,"last":5}]',
  /* $19 */ '[]',
  /* $20 */ 1338,
  /* $21 */ '2026-01-01T00:00:00.000Z',
  /* $22 */ '[{"sequence":6,"id":"10000000-0000-0000-0000-000000000005","type":"group.deleted","data":{"id":"10000000-0000-0000-0000-000000000001","name":"Team","raw":{"displayName":"Team","id":"10000000-0000-0000-0000-000000000001","members":[]},"reason":"scim"}}]',
  /* $23 */ '[{"type":"group.user_removed","reason":"scim","group":1,"id":"10000000-0000-0000-0000-000000000006","userId":"10000000-0000-0000-0000-000000000004","sequence":5}]',
  /* $24 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $25 */ 2
);

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
found_pending as materialized (
  select *
  from (
    select group_id, value, value_key, display, position
    from unnest(array(select unnest(cast($9 as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $10 and value_key = lookup.lookup_value
      offset 0
    ) found
  ) found
  limit $11
),
size as materialized (
  select coalesce((
    select sum(64 + octet_length(name_key) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(public_id), 0))
    from names
  ), 0) + coalesce((
    select case when count(*) >= cast($12 as int) then 9007199254740991 else sum(weight) end
    from found_groups
  ), 0) + coalesce((
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
  from unnest(array(select unnest(cast($13 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $14 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $15 then (
  select json_agg(json_build_array(id, kind, name_key, external_id, public_id))
  from names
) end as names, case when size.bytes <= $16 then (select json_agg(found_groups) from found_groups) end as groups, case when size.bytes <= $17 then (
  select json_agg(json_build_array(group_id, value, value_key, display) order by position)
  from found_pending
) end as pending
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $18;
execute statement_1 (
  /* $1 */ '{"cy"}',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '{"external-cy"}',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '{"10000000-0000-0000-0000-000000000002","cy","external-cy"}',
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ 65,
  /* $9 */ '{"10000000-0000-0000-0000-000000000002","cy","external-cy"}',
  /* $10 */ '10000000-0000-0000-0000-000000000001',
  /* $11 */ 4097,
  /* $12 */ 65,
  /* $13 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $14 */ '10000000-0000-0000-0000-000000000001',
  /* $15 */ 262144,
  /* $16 */ 262144,
  /* $17 */ 262144,
  /* $18 */ '10000000-0000-0000-0000-000000000001'
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
new_users as materialized (
  select held.id as directory_id, u.*
  from held, jsonb_to_recordset(cast($11 as jsonb)) as u(id uuid, public_id text, user_name text, user_name_key text, external_id text, display_name_key text, active boolean, first_name text, last_name text, email text, email_keys text[], resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, custom_attributes jsonb, lacks_required boolean, group_roles jsonb, roles jsonb)
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
groups_updated as (
  update groups g
  set display_name = c.display_name, display_name_key = c.display_name_key, external_id = c.external_id, namesake = c.namesake,
    resource = c.resource, pushed = c.pushed, version = c.version, updated_at = c.updated_at, member_count = g.member_count + c.member_count
  from held, jsonb_to_recordset(cast($12 as jsonb)) as c(id uuid, public_id text, display_name text, display_name_key text, external_id text, namesake text, resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, member_count bigint)
  where g.directory_id = held.id and g.id = c.id and g.id = any(cast($13 as uuid[]))
),
members_added as (
  insert into group_members(directory_id, group_id, member_id, kind, display)
  select held.id, a.*
  from held, jsonb_to_recordset(cast($14 as jsonb)) as a("groupId" uuid, "memberId" uuid, kind text, display text)
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
  returning directory_id, id, sequence, type, data, user_document, group_document, occurred_at, bytes
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
select held.id as directory_id, exists (select from woken where woken.directory_id = held.id) as turned_on, coalesce((select bool_or(wake) from endpoint where endpoint.directory_id = held.id), false) as was_on, json_build_object('tenant', held.tenant, 'product', held.product) as directory, (
  select json_agg(json_build_object('id', id, 'type', type, 'data', case when user_document is null and group_document is null then data else whole_event_data(directory_id, data, user_document, group_document) end, 'sequence', sequence, 'at', occurred_at) order by sequence)
  from events_emitted
  where (select sum(bytes) from events_emitted) <= 524288
) as emitted, cast((select sum(bytes) from events_emitted) as float8) as event_bytes
from held;
execute statement_2 (
  /* $1 */ 2,
  /* $2 */ 1,
  /* $3 */ 0,
  /* $4 */ 0,
  /* $5 */ 96,
  /* $6 */ 401,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ 3,
  /* $9 */ '2026-01-01T00:00:00.000Z',
  /* $10 */ '[{"mutationId":"10000000-0000-0000-0000-000000000003","resourceId":"10000000-0000-0000-0000-000000000002","version":1,"at":"2026-01-01T00:00:00.000Z","wasPending":true,"emitted":{"first":5,"count":2}}]',
  /* $11 */ '[{"id":"10000000-0000-0000-0000-000000000002","user_name":"cy","user_name_key":"cy","external_id":"external-cy","display_name_key":null,"active":true,"first_name":"","last_name":"","email":"cy@example.com","email_keys":["cy@example.com"],"resource":{"active":true,"userName":"cy","externalId":"external-cy","emails":[{"value":"cy@example.com"}]},"pushed":null,"custom_attributes":null,"lacks_required":false,"group_roles":null,"roles":null,"version":1,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"}]',
  /* $12 */ '[{"id":"10000000-0000-0000-0000-000000000004","display_name":"Team","display_name_key":"team","external_id":null,"namesake":"","resource":{"displayName":"Team"},"pushed":null,"version":2,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","member_count":0}]',
  /* $13 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $14 */ '[{"groupId":"10000000-0000-0000-0000-000000000004","memberId":"10000000-0000-0000-0000-000000000002","kind":"user","display":null}]',
  /* $15 */ '[{"groupId":"10000000-0000-0000-0000-000000000004","valueKey":"external-cy"}]',
  /* $16 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $17 */ '{"external-cy"}',
  /* $18 */ '[{"place":1,"data":{"id":"10000000-0000-0000-0000-000000000004","name":"Team","raw":{"displayName":"Team","id":"10000000-0000-0000-0000-000000000004","members":[]}},"first":6,"last":6}]',
  /* $19 */ '[{"place":1,"data":{"id":"10000000-0000-0000-0000-000000000002","first_name":"","last_name":"","email":"cy@example.com","active":true,"raw":{"active":true,"userName":"cy","externalId":"external-cy","emails":[{"value":"cy@example.com"}],"id":"10000000-0000-0000-0000-000000000002"}},"first":6,"last":6}]',
  /* $20 */ 1338,
  /* $21 */ '2026-01-01T00:00:00.000Z',
  /* $22 */ '[{"sequence":5,"id":"10000000-0000-0000-0000-000000000005","type":"user.created","userId":"10000000-0000-0000-0000-000000000002","data":{"id":"10000000-0000-0000-0000-000000000002","first_name":"","last_name":"","email":"cy@example.com","active":true,"raw":{"active":true,"userName":"cy","externalId":"external-cy","emails":[{"value":"cy@example.com"}],"id":"10000000-0000-0000-0000-000000000002"},"reason":"scim"}}]',
  /* $23 */ '[{"type":"group.user_added","reason":"scim","user":1,"group":1,"id":"10000000-0000-0000-0000-000000000006","userId":"10000000-0000-0000-0000-000000000002","sequence":6}]',
  /* $24 */ '{}',
  /* $25 */ 2
);

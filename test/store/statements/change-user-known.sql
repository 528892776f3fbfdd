prepare statement_1 as
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
events_emitted as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select directory_id, sequence, e.id, type, user_id, data, user_document, group_document, bytes, cast($13 as bigint) + bytes,
    cast($14 as timestamptz)
  from (
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, e.data, cast(null as uuid) as user_document,
      cast(null as uuid) as group_document, case when pg_column_size(e.data) > 2048 then octet_length(cast(e.data as text)) else pg_column_size(e.data) end as bytes
    from held, jsonb_to_recordset(cast($15 as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, data jsonb)
  ) e
  returning directory_id, id, sequence, type, data, user_document, group_document, occurred_at, bytes
),
endpoint as (
  select e.id, e.directory_id, e.wake, cast($16 as int) > 0 as has_events
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
  from unnest(array(select unnest(cast($17 as uuid[])))) shown(id)
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
execute statement_1 (
  /* $1 */ 1,
  /* $2 */ 0,
  /* $3 */ 0,
  /* $4 */ 0,
  /* $5 */ 1,
  /* $6 */ 383,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ 3,
  /* $9 */ '2026-01-01T00:00:00.000Z',
  /* $10 */ '[{"mutationId":"10000000-0000-0000-0000-000000000002","resourceId":"10000000-0000-0000-0000-000000000003","version":2,"at":"2026-01-01T00:00:00.000Z","emitted":{"first":5,"count":1}}]',
  /* $11 */ '[{"id":"10000000-0000-0000-0000-000000000003","user_name":"ada","user_name_key":"ada","external_id":"external-ada","display_name_key":null,"active":false,"first_name":"","last_name":"","email":"ada@example.com","email_keys":["ada@example.com"],"resource":{"active":false,"userName":"ada","externalId":"external-ada","emails":[{"value":"ada@example.com"}]},"pushed":null,"custom_attributes":null,"lacks_required":false,"group_roles":null,"roles":null,"version":2,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"}]',
  /* $12 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $13 */ 1338,
  /* $14 */ '2026-01-01T00:00:00.000Z',
  /* $15 */ '[{"sequence":5,"id":"10000000-0000-0000-0000-000000000004","type":"user.updated","userId":"10000000-0000-0000-0000-000000000003","data":{"id":"10000000-0000-0000-0000-000000000003","first_name":"","last_name":"","email":"ada@example.com","active":false,"raw":{"active":false,"userName":"ada","externalId":"external-ada","emails":[{"value":"ada@example.com"}],"id":"10000000-0000-0000-0000-000000000003"},"previous_attributes":{"active":true,"raw":{"active":true}},"reason":"scim"}}]',
  /* $16 */ 1,
  /* $17 */ '{"10000000-0000-0000-0000-000000000003"}'
);

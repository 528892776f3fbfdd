prepare statement_1 as
with held as (
  update directories d
  set revision = d.revision + 1, last_sequence = d.last_sequence + cast($1 as int), user_count = d.user_count + cast($2 as int),
    group_count = d.group_count + cast($3 as int), membership_count = d.membership_count + cast($4 as int), resource_bytes = d.resource_bytes + cast($5 as bigint),
    outcome_bytes = d.outcome_bytes + cast($6 as int)
  where d.id = $7 and d.revision = cast($8 as bigint) and not exists (
    select
    from unnest(array(select unnest(cast($9 as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from users
      where directory_id = $10 and user_name_key = lookup.lookup_value
      offset 0
    ) found
  ) and not exists (
    select
    from unnest(array(select unnest(cast($11 as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from users
      where directory_id = $12 and external_id = lookup.lookup_value
      offset 0
    ) found
  ) and not exists (
    select
    from unnest(array(select unnest(cast($13 as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $14 and value_key = lookup.lookup_value
      offset 0
    ) found
  )
  returning d.id, d.tenant, d.product, d.outcome_bytes
),
kept as (
  insert into mutations(directory_id, id, outcome, applied_at, total_bytes)
  select held.id, cast(o ->> 'mutationId' as uuid), o, cast($15 as timestamptz), held.outcome_bytes
  from held, jsonb_array_elements(cast($16 as jsonb)) o
),
new_users as materialized (
  select held.id as directory_id, u.*
  from held, jsonb_to_recordset(cast($17 as jsonb)) as u(id uuid, public_id text, user_name text, user_name_key text, external_id text, display_name_key text, active boolean, first_name text, last_name text, email text, email_keys text[], resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, custom_attributes jsonb, lacks_required boolean, group_roles jsonb, roles jsonb)
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
events_emitted as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select directory_id, sequence, e.id, type, user_id, data, user_document, group_document, bytes, cast($18 as bigint) + bytes,
    cast($19 as timestamptz)
  from (
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, e.data, cast(null as uuid) as user_document,
      cast(null as uuid) as group_document, case when pg_column_size(e.data) > 2048 then octet_length(cast(e.data as text)) else pg_column_size(e.data) end as bytes
    from held, jsonb_to_recordset(cast($20 as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, data jsonb)
  ) e
  returning directory_id, id, sequence, type, data, user_document, group_document, occurred_at, bytes
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
select held.id as directory_id, exists (select from woken where woken.directory_id = held.id) as turned_on, coalesce((select bool_or(wake) from endpoint where endpoint.directory_id = held.id), false) as was_on, json_build_object('tenant', held.tenant, 'product', held.product) as directory, (
  select json_agg(json_build_object('id', id, 'type', type, 'data', case when user_document is null and group_document is null then data else whole_event_data(directory_id, data, user_document, group_document) end, 'sequence', sequence, 'at', occurred_at) order by sequence)
  from events_emitted
  where (select sum(bytes) from events_emitted) <= 524288
) as emitted, cast((select sum(bytes) from events_emitted) as float8) as event_bytes
from held;
execute statement_1 (
  /* $1 */ 1,
  /* $2 */ 1,
  /* $3 */ 0,
  /* $4 */ 0,
  /* $5 */ 99,
  /* $6 */ 383,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ 3,
  /* $9 */ '{"dan"}',
  /* $10 */ '10000000-0000-0000-0000-000000000001',
  /* $11 */ '{"external-dan"}',
  /* $12 */ '10000000-0000-0000-0000-000000000001',
  /* $13 */ '{"10000000-0000-0000-0000-000000000002","dan","external-dan"}',
  /* $14 */ '10000000-0000-0000-0000-000000000001',
  /* $15 */ '2026-01-01T00:00:00.000Z',
  /* $16 */ '[{"mutationId":"10000000-0000-0000-0000-000000000003","resourceId":"10000000-0000-0000-0000-000000000002","version":1,"at":"2026-01-01T00:00:00.000Z","emitted":{"first":5,"count":1}}]',
  /* $17 */ '[{"id":"10000000-0000-0000-0000-000000000002","user_name":"dan","user_name_key":"dan","external_id":"external-dan","display_name_key":null,"active":true,"first_name":"","last_name":"","email":"dan@example.com","email_keys":["dan@example.com"],"resource":{"active":true,"userName":"dan","externalId":"external-dan","emails":[{"value":"dan@example.com"}]},"pushed":null,"custom_attributes":null,"lacks_required":false,"group_roles":null,"roles":null,"version":1,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"}]',
  /* $18 */ 1338,
  /* $19 */ '2026-01-01T00:00:00.000Z',
  /* $20 */ '[{"sequence":5,"id":"10000000-0000-0000-0000-000000000004","type":"user.created","userId":"10000000-0000-0000-0000-000000000002","data":{"id":"10000000-0000-0000-0000-000000000002","first_name":"","last_name":"","email":"dan@example.com","active":true,"raw":{"active":true,"userName":"dan","externalId":"external-dan","emails":[{"value":"dan@example.com"}],"id":"10000000-0000-0000-0000-000000000002"},"reason":"scim"}}]',
  /* $21 */ 1
);

prepare statement_1 as
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
found_groups as materialized (
  select found.*, case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) as weight
  from unnest(array(select unnest(cast($3 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from groups
    where directory_id = $4 and id = lookup.lookup_value
    offset 0
  ) found
  limit cast($5 as int)
),
size as materialized (
  select coalesce((
    select sum(64 + octet_length(name_key) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(public_id), 0))
    from names
  ), 0) + coalesce((
    select case when count(*) >= cast($6 as int) then 9007199254740991 else sum(weight) end
    from found_groups
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
  from unnest(array(select unnest(cast($7 as uuid[])))) as lookup(lookup_value)
  cross join lateral (
    select *
    from mutations
    where directory_id = $8 and id = lookup.lookup_value
    offset 0
  ) found
) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $9 then (
  select json_agg(json_build_array(id, kind, name_key, external_id, public_id))
  from names
) end as names, case when size.bytes <= $10 then (select json_agg(found_groups) from found_groups) end as groups
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $11;
execute statement_1 (
  /* $1 */ '{"others"}',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '{"10000000-0000-0000-0000-000000000002"}',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 66,
  /* $6 */ 66,
  /* $7 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ 262144,
  /* $10 */ 262144,
  /* $11 */ '10000000-0000-0000-0000-000000000001'
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
groups_updated as (
  update groups g
  set display_name = c.display_name, display_name_key = c.display_name_key, external_id = c.external_id, namesake = c.namesake,
    resource = c.resource, pushed = c.pushed, version = c.version, updated_at = c.updated_at, member_count = g.member_count + c.member_count
  from held, jsonb_to_recordset(cast($11 as jsonb)) as c(id uuid, public_id text, display_name text, display_name_key text, external_id text, namesake text, resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, member_count bigint)
  where g.directory_id = held.id and g.id = c.id and g.id = any(cast($12 as uuid[]))
),
users_to_compute as (
  insert into users_to_recompute(directory_id, user_id)
  select held.id, noted.id
  from held, lateral (
    select cast(value as uuid) as id
    from jsonb_array_elements_text(cast($13 as jsonb))
    union
    select m.member_id
    from jsonb_array_elements_text(cast($14 as jsonb)) renamed(id)
    join group_members m on m.directory_id = held.id and m.group_id = cast(renamed.id as uuid) and m.kind = 'user'
  ) noted
  on conflict do nothing
),
recompute_begun as (
  insert into attribute_recomputes as r(directory_id, id, after)
  select id, gen_random_uuid(), case when concerned.everyone then null else cast('ffffffff-ffff-ffff-ffff-ffffffffffff' as uuid) end
  from (
    select held.id, jsonb_array_length(cast($15 as jsonb)) > 0 as everyone
    from held
    where jsonb_array_length(cast($16 as jsonb)) + jsonb_array_length(cast($17 as jsonb)) + jsonb_array_length(cast($18 as jsonb)) > 0
  ) concerned
  on conflict(directory_id) do update
  set id = excluded.id, after = excluded.after, done = 0, requested_at = excluded.requested_at, progressed_at = excluded.progressed_at,
    finished_at = null
  where r.finished_at is not null or excluded.after is null
  returning r.directory_id, r.id
),
events_emitted as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select directory_id, sequence, e.id, type, user_id, data, user_document, group_document, bytes, cast($19 as bigint) + bytes,
    cast($20 as timestamptz)
  from (
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, e.data, cast(null as uuid) as user_document,
      cast(null as uuid) as group_document, case when pg_column_size(e.data) > 2048 then octet_length(cast(e.data as text)) else pg_column_size(e.data) end as bytes
    from held, jsonb_to_recordset(cast($21 as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, data jsonb)
  ) e
  returning id
),
endpoint as (
  select e.id, e.directory_id, e.wake, cast($22 as int) > 0 as has_events
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
select held.id as directory_id, exists (select from woken where woken.directory_id = held.id) as turned_on, coalesce((select bool_or(wake) from endpoint where endpoint.directory_id = held.id), false) as was_on, (select id from recompute_begun where recompute_begun.directory_id = held.id) as recompute_id
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
  /* $10 */ '[{"mutationId":"10000000-0000-0000-0000-000000000003","resourceId":"10000000-0000-0000-0000-000000000002","version":2,"at":"2026-01-01T00:00:00.000Z","emitted":{"first":4,"count":1}}]',
  /* $11 */ '[{"id":"10000000-0000-0000-0000-000000000002","display_name":"Others","display_name_key":"others","external_id":null,"namesake":"","resource":{"displayName":"Others"},"pushed":null,"version":2,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","member_count":0}]',
  /* $12 */ '{"10000000-0000-0000-0000-000000000002"}',
  /* $13 */ '[]',
  /* $14 */ '["10000000-0000-0000-0000-000000000002"]',
  /* $15 */ '[]',
  /* $16 */ '[]',
  /* $17 */ '["10000000-0000-0000-0000-000000000002"]',
  /* $18 */ '[]',
  /* $19 */ 1008,
  /* $20 */ '2026-01-01T00:00:00.000Z',
  /* $21 */ '[{"sequence":4,"id":"10000000-0000-0000-0000-000000000004","type":"group.updated","data":{"id":"10000000-0000-0000-0000-000000000002","name":"Others","raw":{"displayName":"Others","id":"10000000-0000-0000-0000-000000000002","members":[]},"previous_attributes":{"name":"Team","raw":{"displayName":"Team"}},"reason":"scim"}}]',
  /* $22 */ 1
);

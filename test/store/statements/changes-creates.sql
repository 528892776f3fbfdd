prepare statement_1 as
select given."directoryId" as directory_id, of_directory.*
from jsonb_to_recordset(cast($1 as jsonb)) as given("directoryId" uuid, "userNameKeys" text[], "userExternalIds" text[], "arriving" text[], "maxGroups" int, "pendingAs" text[], "mutationIds" uuid[])
cross join lateral (
  with names as materialized (
    select id, 'user' as kind, user_name_key as name_key, external_id, public_id
    from unnest(array(select unnest(cast(given."userNameKeys" as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from users
      where directory_id = given."directoryId" and user_name_key = lookup.lookup_value
      offset 0
    ) found
    union
    select id, 'user' as kind, user_name_key as name_key, external_id, public_id
    from unnest(array(select unnest(cast(given."userExternalIds" as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from users
      where directory_id = given."directoryId" and external_id = lookup.lookup_value
      offset 0
    ) found
  ),
  found_groups as materialized (
    select found.*, case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) as weight
    from unnest(array(
      select group_id
      from unnest(array(select unnest(cast(given."arriving" as text[])))) as lookup(lookup_value)
      cross join lateral (
        select *
        from pending_members
        where directory_id = given."directoryId" and value_key = lookup.lookup_value
        offset 0
      ) found
    )) as lookup(lookup_value)
    cross join lateral (
      select *
      from groups
      where directory_id = given."directoryId" and id = lookup.lookup_value
      offset 0
    ) found
    limit cast(given."maxGroups" as int)
  ),
  found_pending as materialized (
    select *
    from (
      select group_id, value, value_key, display, position
      from unnest(array(select unnest(cast(given."pendingAs" as text[])))) as lookup(lookup_value)
      cross join lateral (
        select *
        from pending_members
        where directory_id = given."directoryId" and value_key = lookup.lookup_value
        offset 0
      ) found
    ) found
    limit $2
  ),
  size as materialized (
    select coalesce((
      select sum(64 + octet_length(name_key) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(public_id), 0))
      from names
    ), 0) + coalesce((
      select case when count(*) >= cast(given."maxGroups" as int) then 9007199254740991 else sum(weight) end
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
    from unnest(array(select unnest(cast(given."mutationIds" as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from mutations
      where directory_id = given."directoryId" and id = lookup.lookup_value
      offset 0
    ) found
  ) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $3 then (
    select json_agg(json_build_array(id, kind, name_key, external_id, public_id))
    from names
  ) end as names, case when size.bytes <= $4 then (select json_agg(found_groups) from found_groups) end as groups, case when size.bytes <= $5 then (
    select json_agg(json_build_array(group_id, value, value_key, display) order by position)
    from found_pending
  ) end as pending
  from directories d
  cross join size
  left join webhook_endpoints e on e.directory_id = d.id
  left join attribute_schemas a on a.product = d.product
  where d.id = given."directoryId"
  offset 0
) of_directory;
execute statement_1 (
  /* $1 */ '[{"userNameKeys":["cy"],"userExternalIds":["external-cy"],"arriving":["10000000-0000-0000-0000-000000000001","cy","external-cy"],"maxGroups":65,"pendingAs":["10000000-0000-0000-0000-000000000001","cy","external-cy"],"directoryId":"10000000-0000-0000-0000-000000000002","mutationIds":["10000000-0000-0000-0000-000000000003"],"groupsMore":3},{"userNameKeys":["dan"],"userExternalIds":["external-dan"],"arriving":["10000000-0000-0000-0000-000000000004","dan","external-dan"],"maxGroups":65,"pendingAs":["10000000-0000-0000-0000-000000000004","dan","external-dan"],"directoryId":"10000000-0000-0000-0000-000000000005","mutationIds":["10000000-0000-0000-0000-000000000006"],"groupsMore":3}]',
  /* $2 */ 1025,
  /* $3 */ 65536,
  /* $4 */ 65536,
  /* $5 */ 65536
);

prepare statement_2 as
with given as materialized (
  select *
  from jsonb_to_recordset(cast($1 as jsonb)) as given("directoryId" uuid, "eventCount" int, "usersMore" int, "groupsMore" int, "membershipsMore" int, "resourceBytesMore" bigint, "outcomeBytes" int, "revision" bigint, "now" timestamptz, "outcomes" jsonb, "usersInserted" jsonb, "eventBytes" bigint, "wholeEvents" jsonb)
),
locked as materialized (
  select d.id
  from given
  join directories d on d.id = given."directoryId" and d.revision = cast(given."revision" as bigint)
  join webhook_endpoints e on e.directory_id = d.id
  where true
  order by d.id for no key update of d skip locked for key share of e skip locked
),
held as (
  update directories d
  set revision = d.revision + 1, last_sequence = d.last_sequence + cast(given."eventCount" as int), user_count = d.user_count + cast(given."usersMore" as int),
    group_count = d.group_count + cast(given."groupsMore" as int), membership_count = d.membership_count + cast(given."membershipsMore" as int),
    resource_bytes = d.resource_bytes + cast(given."resourceBytesMore" as bigint), outcome_bytes = d.outcome_bytes + cast(given."outcomeBytes" as int)
  from given
  join locked on locked.id = given."directoryId"
  where d.id = given."directoryId"
  returning d.id, d.tenant, d.product, d.outcome_bytes, given.*
),
kept as (
  insert into mutations(directory_id, id, outcome, applied_at, total_bytes)
  select held.id, cast(o ->> 'mutationId' as uuid), o, cast(held."now" as timestamptz), held.outcome_bytes
  from held, jsonb_array_elements(cast(held."outcomes" as jsonb)) o
),
new_users as materialized (
  select held.id as directory_id, u.*
  from held, jsonb_to_recordset(cast(held."usersInserted" as jsonb)) as u(id uuid, public_id text, user_name text, user_name_key text, external_id text, display_name_key text, active boolean, first_name text, last_name text, email text, email_keys text[], resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, custom_attributes jsonb, lacks_required boolean, group_roles jsonb, roles jsonb)
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
  select directory_id, sequence, e.id, type, user_id, data, user_document, group_document, bytes, cast(held."eventBytes" as bigint) + sum(bytes) over (partition by directory_id order by sequence),
    cast(held."now" as timestamptz)
  from (
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, e.data, cast(null as uuid) as user_document,
      cast(null as uuid) as group_document, case when pg_column_size(e.data) > 2048 then octet_length(cast(e.data as text)) else pg_column_size(e.data) end as bytes
    from held, jsonb_to_recordset(cast(held."wholeEvents" as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, data jsonb)
  ) e
  join held on held.id = e.directory_id
  returning id
),
endpoint as (
  select e.id, e.directory_id, e.wake, cast(held."eventCount" as int) > 0 as has_events
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
  /* $1 */ '[{"directoryId":"10000000-0000-0000-0000-000000000002","revision":0,"now":"2026-01-01T00:00:00.000Z","eventCount":1,"usersMore":1,"groupsMore":0,"membershipsMore":0,"resourceBytesMore":96,"outcomeBytes":383,"outcomes":[{"mutationId":"10000000-0000-0000-0000-000000000003","resourceId":"10000000-0000-0000-0000-000000000001","version":1,"at":"2026-01-01T00:00:00.000Z","emitted":{"first":1,"count":1}}],"usersInserted":[{"id":"10000000-0000-0000-0000-000000000001","user_name":"cy","user_name_key":"cy","external_id":"external-cy","display_name_key":null,"active":true,"first_name":"","last_name":"","email":"cy@example.com","email_keys":["cy@example.com"],"resource":{"active":true,"userName":"cy","externalId":"external-cy","emails":[{"value":"cy@example.com"}]},"pushed":null,"custom_attributes":null,"lacks_required":false,"group_roles":null,"roles":null,"version":1,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"}],"eventBytes":0,"wholeEvents":[{"sequence":1,"id":"10000000-0000-0000-0000-000000000007","type":"user.created","userId":"10000000-0000-0000-0000-000000000001","data":{"id":"10000000-0000-0000-0000-000000000001","first_name":"","last_name":"","email":"cy@example.com","active":true,"raw":{"active":true,"userName":"cy","externalId":"external-cy","emails":[{"value":"cy@example.com"}],"id":"10000000-0000-0000-0000-000000000001"},"reason":"scim"}}]},{"directoryId":"10000000-0000-0000-0000-000000000005","revision":3,"now":"2026-01-01T00:00:00.000Z","eventCount":1,"usersMore":1,"groupsMore":0,"membershipsMore":0,"resourceBytesMore":99,"outcomeBytes":383,"outcomes":[{"mutationId":"10000000-0000-0000-0000-000000000006","resourceId":"10000000-0000-0000-0000-000000000004","version":1,"at":"2026-01-01T00:00:00.000Z","emitted":{"first":5,"count":1}}],"usersInserted":[{"id":"10000000-0000-0000-0000-000000000004","user_name":"dan","user_name_key":"dan","external_id":"external-dan","display_name_key":null,"active":true,"first_name":"","last_name":"","email":"dan@example.com","email_keys":["dan@example.com"],"resource":{"active":true,"userName":"dan","externalId":"external-dan","emails":[{"value":"dan@example.com"}]},"pushed":null,"custom_attributes":null,"lacks_required":false,"group_roles":null,"roles":null,"version":1,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"}],"eventBytes":1338,"wholeEvents":[{"sequence":5,"id":"10000000-0000-0000-0000-000000000008","type":"user.created","userId":"10000000-0000-0000-0000-000000000004","data":{"id":"10000000-0000-0000-0000-000000000004","first_name":"","last_name":"","email":"dan@example.com","active":true,"raw":{"active":true,"userName":"dan","externalId":"external-dan","emails":[{"value":"dan@example.com"}],"id":"10000000-0000-0000-0000-000000000004"},"reason":"scim"}}]}]'
);

prepare statement_1 as
select "revision", "inactive_users", "inactive_users_upto", "removing_at"
from "directories"
where "id" = $1
limit $2;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_2 as
with inactive as materialized (
  select id, case when pg_column_size(u.resource) < 2048 and pg_column_compression(u.resource) is null then 2 * pg_column_size(u.resource) else json_weight(u.resource) end + coalesce(case when pg_column_size(u.pushed) < 2048 and pg_column_compression(u.pushed) is null then 2 * pg_column_size(u.pushed) else json_weight(u.pushed) end, 0) + coalesce(case when pg_column_size(u.custom_attributes) < 2048 and pg_column_compression(u.custom_attributes) is null then 2 * pg_column_size(u.custom_attributes) else json_weight(u.custom_attributes) end, 0) + case when u.roles is null then 0 else json_weight(u.roles) + coalesce(json_weight(u.group_roles), 0) end as bytes
  from users u
  where directory_id = $1 and not active
  limit $2
),
joined as materialized (
  select inactive.bytes + case when pg_column_size(g.resource) < 2048 and pg_column_compression(g.resource) is null then 2 * pg_column_size(g.resource) else json_weight(g.resource) end + coalesce(case when pg_column_size(g.pushed) < 2048 and pg_column_compression(g.pushed) is null then 2 * pg_column_size(g.pushed) else json_weight(g.pushed) end, 0) as bytes
  from inactive
  join group_members m on m.directory_id = $3 and m.member_id = inactive.id
  join groups g on g.directory_id = $4 and g.id = m.group_id
  limit $5
)
select (select count(*) from inactive) as users, (select count(*) from joined) as memberships, cast(coalesce((select sum(bytes) from inactive), 0) + coalesce((select sum(bytes) from joined), 0) as float8) as bytes;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 10001,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 10001
);

prepare statement_3 as
select "tenant", "deactivated", "inactive_users", "inactive_users_upto", "revision", "google_authorization_version", "provider_account",
  "provider_account_unread", "quotas", "on_directory_delete", "removing_at"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_4 as
select "d".*, "e"."url" as "webhook_url", "e"."sealed_url" as "webhook_sealed_url", "e"."legacy_signatures" as "webhook_legacy_signatures",
  (
  select "s"."secret"
  from "webhook_secrets" as "s"
  where s.directory_id = d.id and s.endpoint_id = e.id
  order by "s"."created_at" desc
  limit $1
) as "webhook_secret"
from "directories" as "d"
inner join "webhook_endpoints" as "e" on "e"."directory_id" = "d"."id"
where "d"."id" = $2;
execute statement_4 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_5 as
select d.last_sequence, e.acked_sequence, (
  select total_bytes
  from stored_events
  where directory_id = d.id and sequence = d.last_sequence
) as event_bytes, case when e.acked_sequence < d.last_sequence then (
  select total_bytes - bytes
  from stored_events
  where directory_id = d.id and sequence = e.acked_sequence + 1
) end as delivered_bytes, d.quotas, e.url is not null as has_webhook
from all_directories d
left join webhook_endpoints e on e.directory_id = d.id
where d.id = $1;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_6 as
update all_directories
set revision = revision + 1
where id = $1;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_7 as
with source as materialized (
  select row_number() over (order by section, user_key, group_key) as place, gen_random_uuid() as id, type, user_key as user_id,
    data, member, member_of, clock_timestamp() as occurred_at
  from (
    select 3 as section, u.id as user_key, cast(null as uuid) as group_key, 'user.deleted' as type, jsonb_build_object('id', coalesce(u.public_id, cast(u.id as text)), 'first_name', u.first_name, 'last_name', u.last_name, 'email', u.email, 'active', u.active, 'raw', pushed.raw || jsonb_build_object('id', coalesce(u.public_id, cast(u.id as text)))) || case when u.roles is not null then jsonb_build_object('role', u.roles -> 0, 'roles', u.roles) else case jsonb_typeof(pushed.raw -> 'roles') when 'array' then jsonb_build_object('roles', pushed.raw -> 'roles') when 'object' then jsonb_build_object('roles', jsonb_build_array(pushed.raw -> 'roles')) when 'string' then case when pushed.raw ->> 'roles' = '' then '{}' else jsonb_build_object('roles', string_to_array(pushed.raw ->> 'roles', ',')) end else '{}' end end || case when u.custom_attributes is null then '{}' else jsonb_build_object('custom_attributes', u.custom_attributes) end as data,
      cast(null as jsonb) as member, cast(null as jsonb) as member_of
    from users u
    cross join lateral (
      select case when cast(u.pushed ->> 'version' as bigint) = u.version then (u.resource || coalesce(u.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(u.pushed -> 'unset')) else u.resource end as raw
      offset 0
    ) pushed
    where u.directory_id = $1 and not u.active and u.id > cast($2 as uuid) and u.id <= cast($3 as uuid)
    union all
    select 2, u.id, g.id, 'group.user_removed', cast('{}' as jsonb), jsonb_build_object('id', coalesce(u.public_id, cast(u.id as text)), 'first_name', u.first_name, 'last_name', u.last_name, 'email', u.email, 'active', u.active, 'raw', pushed.raw || jsonb_build_object('id', coalesce(u.public_id, cast(u.id as text)))) || case when u.roles is not null then jsonb_build_object('role', u.roles -> 0, 'roles', u.roles) else case jsonb_typeof(pushed.raw -> 'roles') when 'array' then jsonb_build_object('roles', pushed.raw -> 'roles') when 'object' then jsonb_build_object('roles', jsonb_build_array(pushed.raw -> 'roles')) when 'string' then case when pushed.raw ->> 'roles' = '' then '{}' else jsonb_build_object('roles', string_to_array(pushed.raw ->> 'roles', ',')) end else '{}' end end || case when u.custom_attributes is null then '{}' else jsonb_build_object('custom_attributes', u.custom_attributes) end,
      jsonb_build_object('id', coalesce(g.public_id, cast(g.id as text)), 'name', g.display_name, 'raw', case when cast(g.pushed ->> 'version' as bigint) = g.version then (g.resource || coalesce(g.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(g.pushed -> 'unset')) else g.resource end || jsonb_build_object('id', coalesce(g.public_id, cast(g.id as text)), 'members', cast('[]' as jsonb)))
    from users u
    cross join lateral (
      select case when cast(u.pushed ->> 'version' as bigint) = u.version then (u.resource || coalesce(u.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(u.pushed -> 'unset')) else u.resource end as raw
      offset 0
    ) pushed
    join group_members m on m.directory_id = $4 and m.member_id = u.id
    join groups g on g.directory_id = $5 and g.id = m.group_id
    where u.directory_id = $6 and not u.active and u.id > cast($7 as uuid) and u.id <= cast($8 as uuid)
  ) of_inactive
),
numbered as (
  select d.last_sequence + s.place as sequence, s.*, coalesce(e.total_bytes, 0) as before
  from source s
  join all_directories d on d.id = $9
  left join lateral (
    select total_bytes
    from stored_events e
    where e.directory_id = d.id
    order by e.sequence desc
    limit 1
  ) e on true
),
written as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select $10, sequence, id, type, user_id, case when member is null or pg_column_size(member) > 2048 then data else member || data end || case when member_of is null
    or pg_column_size(member_of) > 2048 then '{}' else jsonb_build_object('group', member_of) end || jsonb_build_object('reason', cast($11 as text)),
    case when pg_column_size(member) > 2048 then keep_event_document($12, sequence, sequence, member) end, case when pg_column_size(member_of) > 2048 then keep_event_document($13, sequence, sequence, member_of) end,
    size, before + sum(size) over (order by sequence), occurred_at
  from (
    select *, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end + coalesce(case when pg_column_size(member) > 2048 then octet_length(cast(member as text)) else pg_column_size(member) end, 0) + coalesce(case when pg_column_size(member_of) > 2048 then octet_length(cast(member_of as text)) else pg_column_size(member_of) end, 0) as size
    from numbered
  ) sized
  returning sequence
)
update all_directories d
set last_sequence = greatest(d.last_sequence, (select max(sequence) from written))
where d.id = $14;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '00000000-0000-0000-0000-000000000000',
  /* $8 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $9 */ '10000000-0000-0000-0000-000000000001',
  /* $10 */ '10000000-0000-0000-0000-000000000001',
  /* $11 */ 'setting',
  /* $12 */ '10000000-0000-0000-0000-000000000001',
  /* $13 */ '10000000-0000-0000-0000-000000000001',
  /* $14 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_8 as
with endpoint as (select id, wake from webhook_endpoints where directory_id = $1 for key share)
update webhook_endpoints e
set wake = true, wake_at = clock_timestamp()
from endpoint
where e.id = endpoint.id and not endpoint.wake;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_9 as
update "directories"
set "inactive_users" = $1, "updated_at" = CURRENT_TIMESTAMP
where "id" = $2;
execute statement_9 (
  /* $1 */ 'delete',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_10 as
insert into audit_log(body)
values ($1);
execute statement_10 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000002","action":"directory.updated","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"inactive_users":{"from":"keep","to":"delete"}},"result":"success"}'
);

prepare statement_11 as
select "d".*, "e"."url" as "webhook_url", "e"."sealed_url" as "webhook_sealed_url", "e"."legacy_signatures" as "webhook_legacy_signatures",
  (
  select "s"."secret"
  from "webhook_secrets" as "s"
  where s.directory_id = d.id and s.endpoint_id = e.id
  order by "s"."created_at" desc
  limit $1
) as "webhook_secret"
from "directories" as "d"
inner join "webhook_endpoints" as "e" on "e"."directory_id" = "d"."id"
where "d"."id" = $2;
execute statement_11 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_12 as
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
  ) found
  limit $8
),
found_pending as materialized (
  select *
  from (
    select group_id, value, value_key, display, position
    from unnest(array(select unnest(cast($9 as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from pending_members
      where directory_id = $10 and group_id = lookup.lookup_value
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
  select json_agg(json_build_array(group_id, ids, kinds) order by since)
  from (
    select group_id, min(position) as since, json_agg(member_id order by position) as ids, string_agg(case kind when 'user' then 'u' else 'g' end, '' order by position) as kinds
    from found_members
    group by group_id
  ) of_each
) end as memberships, case when size.bytes <= $18 then (
  select json_agg(json_build_array(group_id, value, value_key, display) order by position)
  from found_pending
) end as pending
from directories d
cross join size
left join webhook_endpoints e on e.directory_id = d.id
left join attribute_schemas a on a.product = d.product
where d.id = $19;
execute statement_12 (
  /* $1 */ '{"team"}',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 66,
  /* $6 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ 4097,
  /* $9 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $10 */ '10000000-0000-0000-0000-000000000001',
  /* $11 */ 4097,
  /* $12 */ 66,
  /* $13 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $14 */ '10000000-0000-0000-0000-000000000001',
  /* $15 */ 262144,
  /* $16 */ 262144,
  /* $17 */ 262144,
  /* $18 */ 262144,
  /* $19 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_13 as
select id
from unnest(array(select unnest(cast($1 as uuid[])))) as lookup(lookup_value)
cross join lateral (
  select *
  from users
  where directory_id = $2 and id = lookup.lookup_value and not (users.active or users.id <= cast($3 as uuid) or users.id > cast($4 as uuid))
  offset 0
) found;
execute statement_13 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000005","10000000-0000-0000-0000-000000000006"}',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '00000000-0000-0000-0000-000000000000',
  /* $4 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff'
);

prepare statement_14 as
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
members_removed as (
  delete from group_members m using held, lateral (
    select lists."groupId", one."memberId"
    from jsonb_to_recordset(cast($13 as jsonb)) as lists("groupId" uuid, "memberIds" uuid[]), unnest(lists."memberIds") as one("memberId")
    offset 0
  ) r
  where m.directory_id = held.id and m.group_id = r."groupId" and m.member_id = r."memberId" and m.group_id = any(cast($14 as uuid[]))
    and m.member_id = any(cast($15 as uuid[]))
),
event_groups as materialized (
  select held.id as directory_id, place, data, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end as bytes,
    case when pg_column_size(data) > 2048 then keep_event_document(held.id, first, last, data) end as document
  from held, jsonb_to_recordset(cast($16 as jsonb)) as bound(place int, first bigint, last bigint, data jsonb)
),
event_users as materialized (
  select held.id as directory_id, place, data, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end as bytes,
    case when pg_column_size(data) > 2048 then keep_event_document(held.id, first, last, data) end as document
  from held, jsonb_to_recordset(cast($17 as jsonb)) as bound(place int, first bigint, last bigint, data jsonb)
),
events_emitted as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select directory_id, sequence, e.id, type, user_id, data, user_document, group_document, bytes, cast($18 as bigint) + bytes,
    cast($19 as timestamptz)
  from (
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, case when pg_column_size(shown.data) > 2048 then '{}' else shown.data end || case when event_groups.document is null then jsonb_build_object('group', event_groups.data) else '{}' end || jsonb_build_object('reason', e.reason) as data,
      case when event_users.place is not null then event_users.document when pg_column_size(shown.data) > 2048 then keep_event_document(held.id, e.sequence, e.sequence, shown.data) end as user_document,
      event_groups.document as group_document, coalesce(event_users.bytes, case when pg_column_size(shown.data) > 2048 then octet_length(cast(shown.data as text)) else pg_column_size(shown.data) end) + event_groups.bytes as bytes
    from held
    cross join jsonb_to_recordset(cast($20 as jsonb)) as e(sequence bigint, id uuid, type text, reason text, "userId" uuid, "user" int, "group" int)
    join event_groups on event_groups.directory_id = held.id and event_groups.place = e."group"
    left join event_users on event_users.directory_id = held.id and event_users.place = e."user"
    left join users u on u.directory_id = held.id and u.id = e."userId" and u.id = any(cast($21 as uuid[]))
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
select held.id as directory_id, exists (select from woken where woken.directory_id = held.id) as turned_on, coalesce((select bool_or(wake) from endpoint where endpoint.directory_id = held.id), false) as was_on
from held;
execute statement_14 (
  /* $1 */ 1,
  /* $2 */ 0,
  /* $3 */ 0,
  /* $4 */ -2,
  /* $5 */ 0,
  /* $6 */ 383,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ 2,
  /* $9 */ '2026-01-01T00:00:00.000Z',
  /* $10 */ '[{"mutationId":"10000000-0000-0000-0000-000000000004","resourceId":"10000000-0000-0000-0000-000000000003","version":2,"at":"2026-01-01T00:00:00.000Z","emitted":{"first":9,"count":1}}]',
  /* $11 */ '[{"id":"10000000-0000-0000-0000-000000000003","display_name":"Team","display_name_key":"team","external_id":null,"namesake":"","resource":{"displayName":"Team"},"pushed":null,"version":2,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","member_count":-2}]',
  /* $12 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $13 */ '[{"groupId":"10000000-0000-0000-0000-000000000003","memberIds":["10000000-0000-0000-0000-000000000005","10000000-0000-0000-0000-000000000006"]}]',
  /* $14 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $15 */ '{"10000000-0000-0000-0000-000000000005","10000000-0000-0000-0000-000000000006"}',
  /* $16 */ '[{"place":1,"data":{"id":"10000000-0000-0000-0000-000000000003","name":"Team","raw":{"displayName":"Team","id":"10000000-0000-0000-0000-000000000003","members":[]}},"first":9,"last":9}]',
  /* $17 */ '[]',
  /* $18 */ 2912,
  /* $19 */ '2026-01-01T00:00:00.000Z',
  /* $20 */ '[{"type":"group.user_removed","reason":"scim","group":1,"id":"10000000-0000-0000-0000-000000000007","userId":"10000000-0000-0000-0000-000000000005","sequence":9}]',
  /* $21 */ '{"10000000-0000-0000-0000-000000000005"}',
  /* $22 */ 1
);

select set_config('idle_in_transaction_session_timeout', '240s', true), set_config('jit', 'off', true);

prepare statement_16 as
select tenant, product, last_sequence, inactive_users, inactive_users_upto, now() as at
from directories
where id = $1;
execute statement_16 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_17 as
select pg_try_advisory_xact_lock(hashtextextended($1, 7265636532)) as is_locked;
execute statement_17 (
  /* $1 */ 't'
);

prepare statement_18 as
select pg_try_advisory_xact_lock(7265636533 + cast($1 as int)) as is_locked;
execute statement_18 (
  /* $1 */ 1
);

prepare statement_19 as
select *
from (
  select page.*, sum(weight) over (order by id rows between unbounded preceding and 1 preceding) as weight_before
  from (
    select r.*, case when pg_column_size(r.resource) < 2048 and pg_column_compression(r.resource) is null then 2 * pg_column_size(r.resource) else json_weight(r.resource) end + coalesce(case when pg_column_size(r.pushed) < 2048 and pg_column_compression(r.pushed) is null then 2 * pg_column_size(r.pushed) else json_weight(r.pushed) end, 0) + coalesce(case when pg_column_size(r.custom_attributes) < 2048 and pg_column_compression(r.custom_attributes) is null then 2 * pg_column_size(r.custom_attributes) else json_weight(r.custom_attributes) end, 0) + case when r.roles is null then 0 else json_weight(r.roles) + coalesce(json_weight(r.group_roles), 0) end as weight
    from users r
    where directory_id = $1 and id > $2 and (r.active or r.id <= cast($3 as uuid) or r.id > cast($4 as uuid))
    order by directory_id, id
    limit $5
  ) page
) weighed
where coalesce(weight_before, 0) < $6
order by id;
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ '00000000-0000-0000-0000-000000000000',
  /* $4 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $5 */ 500,
  /* $6 */ 2097152
);

prepare statement_20 as
select *
from (
  select page.*, sum(weight) over (order by id rows between unbounded preceding and 1 preceding) as weight_before
  from (
    select r.*, case when pg_column_size(r.resource) < 2048 and pg_column_compression(r.resource) is null then 2 * pg_column_size(r.resource) else json_weight(r.resource) end + coalesce(case when pg_column_size(r.pushed) < 2048 and pg_column_compression(r.pushed) is null then 2 * pg_column_size(r.pushed) else json_weight(r.pushed) end, 0) + coalesce(case when pg_column_size(r.custom_attributes) < 2048 and pg_column_compression(r.custom_attributes) is null then 2 * pg_column_size(r.custom_attributes) else json_weight(r.custom_attributes) end, 0) + case when r.roles is null then 0 else json_weight(r.roles) + coalesce(json_weight(r.group_roles), 0) end as weight
    from users r
    where directory_id = $1 and id > $2 and (r.active or r.id <= cast($3 as uuid) or r.id > cast($4 as uuid))
    order by directory_id, id
    limit $5
  ) page
) weighed
where coalesce(weight_before, 0) < $6
order by id;
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000005',
  /* $3 */ '00000000-0000-0000-0000-000000000000',
  /* $4 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $5 */ 16,
  /* $6 */ 2097152
);

prepare statement_21 as
select string_agg(line, '') as lines, cast(count(*) as int) as count, (array_agg(group_key))[count(*)] as group_key, (array_agg(member_key))[count(*)] as member_key
from (
  select m.group_id as group_key, m.member_id as member_key, '{"type":"membership","data":{"group_id":' || cast(to_json(case when substr(cast(m.group_id as text), 15, 1) = '8' then (
    select coalesce(public_id, cast(id as text))
    from groups
    where directory_id = m.directory_id and id = m.group_id
  ) else cast(m.group_id as text) end) as text) || ',"user_id":' || cast(to_json(case when substr(cast(m.member_id as text), 15, 1) = '8' then coalesce((
    select public_id
    from users
    where directory_id = m.directory_id and id = m.member_id
  ), (
    select public_id
    from groups
    where directory_id = m.directory_id and id = m.member_id
  )) else cast(m.member_id as text) end) as text) || '}}' || chr(10) as line
  from group_members m
  where directory_id = $1 and (group_id, member_id) > (cast($2 as uuid), cast($3 as uuid)) and kind = 'user' and exists (
    select
    from users shown
    where shown.directory_id = m.directory_id and shown.id = m.member_id and (shown.active or shown.id <= cast($4 as uuid) or shown.id > cast($5 as uuid))
  )
  order by directory_id, group_id, member_id
  limit $6
) page having count(*) > 0;
execute statement_21 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ '00000000-0000-0000-0000-000000000000',
  /* $4 */ '00000000-0000-0000-0000-000000000000',
  /* $5 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $6 */ 5000
);

prepare statement_22 as
select "inactive_users", "inactive_users_upto"
from "directories"
where "id" = $1
limit $2;
execute statement_22 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_23 as
select *
from ((
  select coalesce(r.public_id, cast(r.id as text)) collate "C" as id, null as hash
  from users r
  where r.directory_id = $1 and true and (r.active or r.id <= cast($2 as uuid) or r.id > cast($3 as uuid)) and not substr(cast(r.id as text), 15, 1) = '8'
    and r.id between cast($4 as uuid) and cast($5 as uuid) and coalesce(r.public_id, cast(r.id as text)) collate "C" > $6
  order by r.directory_id, r.id
  limit $7
) union all (
  select coalesce(r.public_id, cast(r.id as text)) collate "C" as id, null as hash
  from users r
  where r.directory_id = $8 and true and (r.active or r.id <= cast($9 as uuid) or r.id > cast($10 as uuid)) and get_byte(uuid_send(r.id), 6) / 16 <> 7
    and substr(cast(r.id as text), 15, 1) = '8' and coalesce(r.public_id, cast(r.id as text)) collate "C" > $11
  order by 1
  limit $12
)) found
order by id collate "C"
limit $13;
execute statement_23 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $4 */ '00000000-0000-0000-0000-000000000000',
  /* $5 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $6 */ '',
  /* $7 */ 10,
  /* $8 */ '10000000-0000-0000-0000-000000000001',
  /* $9 */ '00000000-0000-0000-0000-000000000000',
  /* $10 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $11 */ '',
  /* $12 */ 10,
  /* $13 */ 10
);

prepare statement_24 as
select "inactive_users", "inactive_users_upto"
from "directories"
where "id" = $1
limit $2;
execute statement_24 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_25 as
select "id"
from "groups"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_25 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 1
);

prepare statement_26 as
select *
from ((
  select case when substr(cast(r.member_id as text), 15, 1) = '8' then coalesce((
    select public_id
    from users
    where directory_id = r.directory_id and id = r.member_id
  ), (
    select public_id
    from groups
    where directory_id = r.directory_id and id = r.member_id
  )) else cast(r.member_id as text) end collate "C" as id, null as hash
  from group_members r
  where r.directory_id = $1 and r.group_id = cast($2 as uuid) and r.kind = 'user' and exists (
    select
    from users shown
    where shown.directory_id = r.directory_id and shown.id = r.member_id and (shown.active or shown.id <= cast($3 as uuid) or shown.id > cast($4 as uuid))
  ) and not substr(cast(r.member_id as text), 15, 1) = '8' and r.member_id between cast($5 as uuid) and cast($6 as uuid) and case when substr(cast(r.member_id as text), 15, 1) = '8' then coalesce((
    select public_id
    from users
    where directory_id = r.directory_id and id = r.member_id
  ), (
    select public_id
    from groups
    where directory_id = r.directory_id and id = r.member_id
  )) else cast(r.member_id as text) end collate "C" > $7
  order by r.directory_id, r.group_id, r.member_id
  limit $8
) union all (
  select case when substr(cast(r.member_id as text), 15, 1) = '8' then coalesce((
    select public_id
    from users
    where directory_id = r.directory_id and id = r.member_id
  ), (
    select public_id
    from groups
    where directory_id = r.directory_id and id = r.member_id
  )) else cast(r.member_id as text) end collate "C" as id, null as hash
  from group_members r
  where r.directory_id = $9 and r.group_id = cast($10 as uuid) and r.kind = 'user' and exists (
    select
    from users shown
    where shown.directory_id = r.directory_id and shown.id = r.member_id and (shown.active or shown.id <= cast($11 as uuid) or shown.id > cast($12 as uuid))
  ) and get_byte(uuid_send(r.member_id), 6) / 16 <> 7 and substr(cast(r.member_id as text), 15, 1) = '8' and case when substr(cast(r.member_id as text), 15, 1) = '8' then coalesce((
    select public_id
    from users
    where directory_id = r.directory_id and id = r.member_id
  ), (
    select public_id
    from groups
    where directory_id = r.directory_id and id = r.member_id
  )) else cast(r.member_id as text) end collate "C" > $13
  order by 1
  limit $14
)) found
order by id collate "C"
limit $15;
execute statement_26 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '00000000-0000-0000-0000-000000000000',
  /* $4 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $5 */ '00000000-0000-0000-0000-000000000000',
  /* $6 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $7 */ '',
  /* $8 */ 10,
  /* $9 */ '10000000-0000-0000-0000-000000000001',
  /* $10 */ '10000000-0000-0000-0000-000000000003',
  /* $11 */ '00000000-0000-0000-0000-000000000000',
  /* $12 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $13 */ '',
  /* $14 */ 10,
  /* $15 */ 10
);

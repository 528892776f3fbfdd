prepare statement_1 as
select given."directoryId" as directory_id, of_directory.*
from jsonb_to_recordset(cast($1 as jsonb)) as given("directoryId" uuid, "userNameKeys" text[], "userExternalIds" text[], "namedUserIds" uuid[], "displayNameKeys" text[], "groupExternalIds" text[], "namedGroupIds" uuid[], "userIds" uuid[], "groupIds" uuid[], "leaving" uuid[], "arriving" text[], "maxGroups" int, "allMembersOf" uuid[], "membersLeaving" uuid[], "someMembersOf" uuid[], "renamed" uuid[], "renamedAs" text[], "renamedIn" uuid[], "pendingInAll" uuid[], "pendingInSome" uuid[], "valueKeys" text[], "pendingAs" text[], "mutationIds" uuid[], "displaysOf" uuid[], "countedAs" uuid[], "groupsMore" int)
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
    union
    select id, 'user' as kind, user_name_key as name_key, external_id, public_id
    from unnest(array(select unnest(cast(given."namedUserIds" as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from users
      where directory_id = given."directoryId" and id = lookup.lookup_value
      offset 0
    ) found
    union
    select id, 'group' as kind, display_name_key as name_key, external_id, public_id
    from unnest(array(select unnest(cast(given."displayNameKeys" as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from groups
      where directory_id = given."directoryId" and display_name_key = lookup.lookup_value
      offset 0
    ) found
    union
    select id, 'group' as kind, display_name_key as name_key, external_id, public_id
    from unnest(array(select unnest(cast(given."groupExternalIds" as text[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from groups
      where directory_id = given."directoryId" and external_id = lookup.lookup_value
      offset 0
    ) found
    union
    select id, 'group' as kind, display_name_key as name_key, external_id, public_id
    from unnest(array(select unnest(cast(given."namedGroupIds" as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from groups
      where directory_id = given."directoryId" and id = lookup.lookup_value
      offset 0
    ) found
  ),
  found_users as materialized (
    select found.*, case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) + coalesce(case when pg_column_size(found.custom_attributes) < 2048 and pg_column_compression(found.custom_attributes) is null then 2 * pg_column_size(found.custom_attributes) else json_weight(found.custom_attributes) end, 0) + case when found.roles is null then 0 else json_weight(found.roles) + coalesce(json_weight(found.group_roles), 0) end as weight
    from unnest(array(select unnest(cast(given."userIds" as uuid[])))) as lookup(lookup_value)
    cross join lateral (
      select *
      from users
      where directory_id = given."directoryId" and id = lookup.lookup_value
      offset 0
    ) found
  ),
  found_groups as materialized (
    select found.*, case when pg_column_size(found.resource) < 2048 and pg_column_compression(found.resource) is null then 2 * pg_column_size(found.resource) else json_weight(found.resource) end + coalesce(case when pg_column_size(found.pushed) < 2048 and pg_column_compression(found.pushed) is null then 2 * pg_column_size(found.pushed) else json_weight(found.pushed) end, 0) as weight
    from unnest(array(
      select unnest(cast(given."groupIds" as uuid[]))
      union
      select group_id
      from unnest(array(select unnest(cast(given."leaving" as uuid[])))) as lookup(lookup_value)
      cross join lateral (
        select *
        from group_members
        where directory_id = given."directoryId" and member_id = lookup.lookup_value
        offset 0
      ) found
      union
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
  found_members as materialized (
    select *
    from (
      select group_id, member_id, kind, display, position
      from unnest(array(select unnest(cast(given."allMembersOf" as uuid[])))) as lookup(lookup_value)
      cross join lateral (
        select *
        from group_members
        where directory_id = given."directoryId" and group_id = lookup.lookup_value
        offset 0
      ) found
      union all
      select group_id, member_id, kind, display, position
      from unnest(array(select unnest(cast(given."membersLeaving" as uuid[])))) as lookup(lookup_value)
      cross join lateral (
        select *
        from group_members
        where directory_id = given."directoryId" and member_id = lookup.lookup_value
        offset 0
      ) found
      union all
      select group_id, member_id, kind, display, position
      from unnest(array(select unnest(cast(given."someMembersOf" as uuid[])))) as lookup(lookup_value)
      cross join lateral (
        select *
        from group_members
        where directory_id = given."directoryId" and group_id = lookup.lookup_value and member_id = any(array(select id from names))
        offset 0
      ) found
      union all
      select group_id, member_id, kind, display, position
      from unnest(array(select unnest(cast(given."renamed" as uuid[])))) as lookup(lookup_value)
      cross join lateral (
        select *
        from group_members
        where directory_id = given."directoryId" and member_id = lookup.lookup_value and group_id = any(array(
          select group_id
          from unnest(array(select unnest(cast(given."renamedAs" as text[])))) as lookup(lookup_value)
          cross join lateral (
            select *
            from pending_members
            where directory_id = given."directoryId" and value_key = lookup.lookup_value
            offset 0
          ) found
          union all
          select unnest(cast(given."renamedIn" as uuid[]))
        ))
        offset 0
      ) found
    ) found
    limit $2
  ),
  found_pending as materialized (
    select *
    from (
      select group_id, value, value_key, display, position
      from unnest(array(select unnest(cast(given."pendingInAll" as uuid[])))) as lookup(lookup_value)
      cross join lateral (
        select *
        from pending_members
        where directory_id = given."directoryId" and group_id = lookup.lookup_value
        offset 0
      ) found
      union all
      select group_id, value, value_key, display, position
      from unnest(array(select unnest(cast(given."pendingInSome" as uuid[])))) as lookup(lookup_value)
      cross join lateral (
        select *
        from pending_members
        where directory_id = given."directoryId" and group_id = lookup.lookup_value and value_key = any(array(select unnest(cast(given."valueKeys" as text[]))))
        offset 0
      ) found
      union all
      select group_id, value, value_key, display, position
      from unnest(array(select unnest(cast(given."pendingAs" as text[])))) as lookup(lookup_value)
      cross join lateral (
        select *
        from pending_members
        where directory_id = given."directoryId" and value_key = lookup.lookup_value
        offset 0
      ) found
    ) found
    limit $3
  ),
  size as materialized (
    select coalesce((
      select sum(64 + octet_length(name_key) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(public_id), 0))
      from names
    ), 0) + coalesce((select sum(weight) from found_users), 0) + coalesce((
      select case when count(*) >= cast(given."maxGroups" as int) then 9007199254740991 else sum(weight) end
      from found_groups
    ), 0) + coalesce((
      select sum(64 + coalesce(octet_length(display), 0) + case when substr(cast(found_members.member_id as text), 15, 1) = '8' then 100 else 0 end)
      from found_members
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
  ) as known, cast(size.bytes as float8) as bytes, case when size.bytes <= $4 then (
    select json_agg(json_build_array(id, kind, name_key, external_id, public_id))
    from names
  ) end as names, case when size.bytes <= $5 then (select json_agg(found_users) from found_users) end as users, case when size.bytes <= $6 then (select json_agg(found_groups) from found_groups) end as groups, case when size.bytes <= $7 then (
    select json_agg(json_build_array(group_id, ids, kinds, displays, public_ids) order by since)
    from (
      select group_id, min(position) as since, json_agg(member_id order by position) as ids, string_agg(case kind when 'user' then 'u' else 'g' end, '' order by position) as kinds,
        json_agg(display order by position) filter (where group_id = any(cast(given."displaysOf" as uuid[]))) as displays,
        json_agg(case when substr(cast(found_members.member_id as text), 15, 1) = '8' then case when substr(cast(found_members.member_id as text), 15, 1) = '8' then coalesce((
        select public_id
        from users
        where directory_id = given."directoryId" and id = found_members.member_id
      ), (
        select public_id
        from groups
        where directory_id = given."directoryId" and id = found_members.member_id
      )) else cast(found_members.member_id as text) end end order by position) filter (where group_id = any(cast(given."displaysOf" as uuid[]))) as public_ids
      from found_members
      group by group_id
    ) of_each
  ) end as memberships, case when size.bytes <= $8 then (
    select json_agg(json_build_array(group_id, value, value_key, display) order by position)
    from found_pending
  ) end as pending, case when size.bytes <= $9 then (
    select json_agg(json_build_array(counted.id, of_one.groups))
    from (select id from names union select unnest(cast(given."countedAs" as uuid[]))) counted(id)
    cross join lateral (
      select count(*) as groups
      from group_members m
      where m.directory_id = given."directoryId" and m.member_id = counted.id
    ) of_one
    where d.group_count + cast(given."groupsMore" as int) >= coalesce(cast(d.quotas ->> 'groups_per_member' as bigint), cast($10 as bigint))
      and of_one.groups > 0
  ) end as counts
  from directories d
  cross join size
  left join webhook_endpoints e on e.directory_id = d.id
  left join attribute_schemas a on a.product = d.product
  where d.id = given."directoryId"
  offset 0
) of_directory;
execute statement_1 (
  /* $1 */ '[{"userNameKeys":["cy"],"userExternalIds":["external-cy"],"arriving":["10000000-0000-0000-0000-000000000001","cy","external-cy"],"maxGroups":65,"pendingAs":["10000000-0000-0000-0000-000000000001","cy","external-cy"],"directoryId":"10000000-0000-0000-0000-000000000002","mutationIds":["10000000-0000-0000-0000-000000000003"],"groupsMore":3},{"userNameKeys":["10000000-0000-0000-0000-000000000004"],"userExternalIds":["10000000-0000-0000-0000-000000000004"],"namedUserIds":["10000000-0000-0000-0000-000000000004"],"displayNameKeys":["division"],"groupExternalIds":["10000000-0000-0000-0000-000000000004"],"namedGroupIds":["10000000-0000-0000-0000-000000000004"],"arriving":["10000000-0000-0000-0000-000000000005"],"maxGroups":65,"someMembersOf":["10000000-0000-0000-0000-000000000005"],"pendingInSome":["10000000-0000-0000-0000-000000000005"],"valueKeys":["10000000-0000-0000-0000-000000000004"],"pendingAs":["10000000-0000-0000-0000-000000000005"],"directoryId":"10000000-0000-0000-0000-000000000006","mutationIds":["10000000-0000-0000-0000-000000000007"],"groupsMore":1}]',
  /* $2 */ 1025,
  /* $3 */ 1025,
  /* $4 */ 65536,
  /* $5 */ 65536,
  /* $6 */ 65536,
  /* $7 */ 65536,
  /* $8 */ 65536,
  /* $9 */ 65536,
  /* $10 */ 5000
);

prepare statement_2 as
with given as materialized (
  select *
  from jsonb_to_recordset(cast($1 as jsonb)) as given("directoryId" uuid, "eventCount" int, "usersMore" int, "groupsMore" int, "membershipsMore" int, "resourceBytesMore" bigint, "outcomeBytes" int, "revision" bigint, "now" timestamptz, "outcomes" jsonb, "usersDeletedIds" uuid[], "usersInserted" jsonb, "usersUpdated" jsonb, "usersUpdatedIds" uuid[], "emailsUpdated" jsonb, "emailsUpdatedIds" uuid[], "groupsDeletedIds" uuid[], "groupsInserted" jsonb, "groupsUpdated" jsonb, "groupsUpdatedIds" uuid[], "membersRemoved" jsonb, "membersRemovedGroups" uuid[], "membersRemovedIds" uuid[], "membersAdded" jsonb, "pendingRemoved" jsonb, "pendingRemovedGroups" uuid[], "pendingRemovedKeys" text[], "pendingAdded" jsonb, "eventGroups" jsonb, "eventUsers" jsonb, "eventBytes" bigint, "wholeEvents" jsonb, "memberEvents" jsonb, "memberEventUsers" uuid[])
),
locked as materialized (
  select d.id
  from given
  join directories d on d.id = given."directoryId" and d.revision = cast(given."revision" as bigint)
  join webhook_endpoints e on e.directory_id = d.id
  where coalesce((
    select sum(pg_column_size(found.resource) + coalesce(pg_column_size(found.pushed), 0) + coalesce(pg_column_size(found.custom_attributes), 0) + coalesce(pg_column_size(found.roles), 0))
    from unnest(array(
      select "userId"
      from jsonb_to_recordset(cast(given."memberEvents" as jsonb)) as e("userId" uuid, "user" int)
      where "user" is null
    )) as lookup(lookup_value)
    cross join lateral (
      select *
      from users
      where directory_id = given."directoryId" and id = lookup.lookup_value
      offset 0
    ) found
  ), 0) <= $2
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
users_deleted as (
  delete from users u using held
  where u.directory_id = held.id and u.id = any(cast(held."usersDeletedIds" as uuid[]))
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
users_updated as (
  update users u
  set user_name = c.user_name, user_name_key = c.user_name_key, external_id = c.external_id, display_name_key = c.display_name_key,
    active = c.active, first_name = c.first_name, last_name = c.last_name, email = c.email, resource = c.resource, pushed = c.pushed,
    version = c.version, updated_at = c.updated_at, custom_attributes = c.custom_attributes, lacks_required = c.lacks_required,
    group_roles = c.group_roles, roles = c.roles
  from held, jsonb_to_recordset(cast(held."usersUpdated" as jsonb)) as c(id uuid, public_id text, user_name text, user_name_key text, external_id text, display_name_key text, active boolean, first_name text, last_name text, email text, email_keys text[], resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, custom_attributes jsonb, lacks_required boolean, group_roles jsonb, roles jsonb)
  where u.directory_id = held.id and u.id = c.id and u.id = any(cast(held."usersUpdatedIds" as uuid[]))
),
changed_emails as materialized (
  select held.id as directory_id, c.id, key from held, jsonb_to_recordset(cast(held."emailsUpdated" as jsonb)) as c(id uuid, email_keys text[]),
    unnest(c.email_keys) key
),
emails_gone as (
  delete from user_emails e using held
  where e.directory_id = held.id and e.user_id = any(cast(held."emailsUpdatedIds" as uuid[])) and not exists (
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
groups_deleted as (
  delete from groups g using held
  where g.directory_id = held.id and g.id = any(cast(held."groupsDeletedIds" as uuid[]))
),
groups_inserted as (
  insert into groups(directory_id, id, public_id, display_name, display_name_key, external_id, namesake, resource, pushed, version, created_at, updated_at, member_count)
  select held.id, g.*
  from held, jsonb_to_recordset(cast(held."groupsInserted" as jsonb)) as g(id uuid, public_id text, display_name text, display_name_key text, external_id text, namesake text, resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, member_count bigint)
),
groups_updated as (
  update groups g
  set display_name = c.display_name, display_name_key = c.display_name_key, external_id = c.external_id, namesake = c.namesake,
    resource = c.resource, pushed = c.pushed, version = c.version, updated_at = c.updated_at, member_count = g.member_count + c.member_count
  from held, jsonb_to_recordset(cast(held."groupsUpdated" as jsonb)) as c(id uuid, public_id text, display_name text, display_name_key text, external_id text, namesake text, resource jsonb, pushed jsonb, version bigint, created_at timestamptz, updated_at timestamptz, member_count bigint)
  where g.directory_id = held.id and g.id = c.id and g.id = any(cast(held."groupsUpdatedIds" as uuid[]))
),
members_removed as (
  delete from group_members m using held, lateral (
    select lists."groupId", one."memberId"
    from jsonb_to_recordset(cast(held."membersRemoved" as jsonb)) as lists("groupId" uuid, "memberIds" uuid[]), unnest(lists."memberIds") as one("memberId")
    offset 0
  ) r
  where m.directory_id = held.id and m.group_id = r."groupId" and m.member_id = r."memberId" and m.group_id = any(cast(held."membersRemovedGroups" as uuid[]))
    and m.member_id = any(cast(held."membersRemovedIds" as uuid[]))
),
members_added as (
  insert into group_members(directory_id, group_id, member_id, kind, display)
  select held.id, a.*
  from held, jsonb_to_recordset(cast(held."membersAdded" as jsonb)) as a("groupId" uuid, "memberId" uuid, kind text, display text)
),
pending_removed as (
  delete from pending_members p using held, jsonb_to_recordset(cast(held."pendingRemoved" as jsonb)) as r("groupId" uuid, "valueKey" text)
  where p.directory_id = held.id and p.group_id = r."groupId" and p.value_key = r."valueKey" and p.group_id = any(cast(held."pendingRemovedGroups" as uuid[]))
    and p.value_key = any(cast(held."pendingRemovedKeys" as text[]))
),
pending_added as (
  insert into pending_members(directory_id, group_id, value, value_key, display)
  select held.id, a.*
  from held, jsonb_to_recordset(cast(held."pendingAdded" as jsonb)) as a("groupId" uuid, value text, "valueKey" text, display text)
),
event_groups as materialized (
  select held.id as directory_id, place, data, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end as bytes,
    case when pg_column_size(data) > 2048 then keep_event_document(held.id, first, last, data) end as document
  from held, jsonb_to_recordset(cast(held."eventGroups" as jsonb)) as bound(place int, first bigint, last bigint, data jsonb)
),
event_users as materialized (
  select held.id as directory_id, place, data, case when pg_column_size(data) > 2048 then octet_length(cast(data as text)) else pg_column_size(data) end as bytes,
    case when pg_column_size(data) > 2048 then keep_event_document(held.id, first, last, data) end as document
  from held, jsonb_to_recordset(cast(held."eventUsers" as jsonb)) as bound(place int, first bigint, last bigint, data jsonb)
),
events_emitted as (
  insert into stored_events(directory_id, sequence, id, type, user_id, data, user_document, group_document, bytes, total_bytes, occurred_at)
  select directory_id, sequence, e.id, type, user_id, data, user_document, group_document, bytes, cast(held."eventBytes" as bigint) + sum(bytes) over (partition by directory_id order by sequence),
    cast(held."now" as timestamptz)
  from (
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, e.data, cast(null as uuid) as user_document,
      cast(null as uuid) as group_document, case when pg_column_size(e.data) > 2048 then octet_length(cast(e.data as text)) else pg_column_size(e.data) end as bytes
    from held, jsonb_to_recordset(cast(held."wholeEvents" as jsonb)) as e(sequence bigint, id uuid, type text, "userId" uuid, data jsonb)
    union all
    select held.id as directory_id, e.sequence, e.id, e.type, e."userId" as user_id, case when pg_column_size(shown.data) > 2048 then '{}' else shown.data end || case when event_groups.document is null then jsonb_build_object('group', event_groups.data) else '{}' end || jsonb_build_object('reason', e.reason) as data,
      case when event_users.place is not null then event_users.document when pg_column_size(shown.data) > 2048 then keep_event_document(held.id, e.sequence, e.sequence, shown.data) end as user_document,
      event_groups.document as group_document, coalesce(event_users.bytes, case when pg_column_size(shown.data) > 2048 then octet_length(cast(shown.data as text)) else pg_column_size(shown.data) end) + event_groups.bytes as bytes
    from held
    cross join jsonb_to_recordset(cast(held."memberEvents" as jsonb)) as e(sequence bigint, id uuid, type text, reason text, "userId" uuid, "user" int, "group" int)
    join event_groups on event_groups.directory_id = held.id and event_groups.place = e."group"
    left join event_users on event_users.directory_id = held.id and event_users.place = e."user"
    left join users u on u.directory_id = held.id and u.id = e."userId" and u.id = any(cast(held."memberEventUsers" as uuid[]))
    cross join lateral (
      select coalesce(event_users.data, jsonb_build_object('id', coalesce(u.public_id, cast(u.id as text)), 'first_name', u.first_name, 'last_name', u.last_name, 'email', u.email, 'active', u.active, 'raw', pushed.raw || jsonb_build_object('id', coalesce(u.public_id, cast(u.id as text)))) || case when u.roles is not null then jsonb_build_object('role', u.roles -> 0, 'roles', u.roles) else case jsonb_typeof(pushed.raw -> 'roles') when 'array' then jsonb_build_object('roles', pushed.raw -> 'roles') when 'object' then jsonb_build_object('roles', jsonb_build_array(pushed.raw -> 'roles')) when 'string' then case when pushed.raw ->> 'roles' = '' then '{}' else jsonb_build_object('roles', string_to_array(pushed.raw ->> 'roles', ',')) end else '{}' end end || case when u.custom_attributes is null then '{}' else jsonb_build_object('custom_attributes', u.custom_attributes) end) as data
      from (
        select case when cast(u.pushed ->> 'version' as bigint) = u.version then (u.resource || coalesce(u.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(u.pushed -> 'unset')) else u.resource end as raw
      ) pushed
      offset 0
    ) shown
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
  /* $1 */ '[{"directoryId":"10000000-0000-0000-0000-000000000002","revision":0,"now":"2026-01-01T00:00:00.000Z","eventCount":1,"usersMore":1,"groupsMore":0,"membershipsMore":0,"resourceBytesMore":96,"outcomeBytes":383,"outcomes":[{"mutationId":"10000000-0000-0000-0000-000000000003","resourceId":"10000000-0000-0000-0000-000000000001","version":1,"at":"2026-01-01T00:00:00.000Z","emitted":{"first":1,"count":1}}],"usersInserted":[{"id":"10000000-0000-0000-0000-000000000001","user_name":"cy","user_name_key":"cy","external_id":"external-cy","display_name_key":null,"active":true,"first_name":"","last_name":"","email":"cy@example.com","email_keys":["cy@example.com"],"resource":{"active":true,"userName":"cy","externalId":"external-cy","emails":[{"value":"cy@example.com"}]},"pushed":null,"custom_attributes":null,"lacks_required":false,"group_roles":null,"roles":null,"version":1,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"}],"eventBytes":0,"wholeEvents":[{"sequence":1,"id":"10000000-0000-0000-0000-000000000008","type":"user.created","userId":"10000000-0000-0000-0000-000000000001","data":{"id":"10000000-0000-0000-0000-000000000001","first_name":"","last_name":"","email":"cy@example.com","active":true,"raw":{"active":true,"userName":"cy","externalId":"external-cy","emails":[{"value":"cy@example.com"}],"id":"10000000-0000-0000-0000-000000000001"},"reason":"scim"}}]},{"directoryId":"10000000-0000-0000-0000-000000000006","revision":3,"now":"2026-01-01T00:00:00.000Z","eventCount":2,"usersMore":0,"groupsMore":1,"membershipsMore":1,"resourceBytesMore":26,"outcomeBytes":383,"outcomes":[{"mutationId":"10000000-0000-0000-0000-000000000007","resourceId":"10000000-0000-0000-0000-000000000005","version":1,"at":"2026-01-01T00:00:00.000Z","emitted":{"first":5,"count":2}}],"groupsInserted":[{"id":"10000000-0000-0000-0000-000000000005","display_name":"Division","display_name_key":"division","external_id":null,"namesake":"","resource":{"displayName":"Division"},"pushed":null,"version":1,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","member_count":1}],"membersAdded":[{"groupId":"10000000-0000-0000-0000-000000000005","memberId":"10000000-0000-0000-0000-000000000004","kind":"user","display":null}],"eventBytes":1338,"memberEventUsers":["10000000-0000-0000-0000-000000000004"],"wholeEvents":[{"sequence":5,"id":"10000000-0000-0000-0000-000000000009","type":"group.created","data":{"id":"10000000-0000-0000-0000-000000000005","name":"Division","raw":{"displayName":"Division","id":"10000000-0000-0000-0000-000000000005","members":[]},"reason":"scim"}}],"memberEvents":[{"type":"group.user_added","reason":"scim","group":1,"id":"10000000-0000-0000-0000-000000000010","userId":"10000000-0000-0000-0000-000000000004","sequence":6}],"eventGroups":[{"place":1,"data":{"id":"10000000-0000-0000-0000-000000000005","name":"Division","raw":{"displayName":"Division","id":"10000000-0000-0000-0000-000000000005","members":[]}},"first":6,"last":6}],"eventUsers":[]}]',
  /* $2 */ 65536
);

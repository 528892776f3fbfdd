prepare statement_1 as
update "all_directories"
set "inactive_users" = $1, "inactive_users_upto" = $2
where "id" = $3;
execute statement_1 (
  /* $1 */ 'delete',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_2 as
select "removing_at", "inactive_users_upto"
from "directories"
where "id" = $1
limit $2;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_3 as
select "id"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_4 as
select d.last_sequence, e.acked_sequence, (
  select total_bytes
  from stored_events
  where directory_id = d.id and sequence = d.last_sequence
) as event_bytes, case when e.acked_sequence < d.last_sequence then (
  select total_bytes - bytes
  from stored_events
  where directory_id = d.id and sequence = e.acked_sequence + 1
) end as delivered_bytes, d.quotas, e.url is not null as has_webhook, d.inactive_users, d.inactive_users_upto
from directories d
join webhook_endpoints e on e.directory_id = d.id
where d.id = $1 and d.removing_at is null;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_5 as
select id
from (
  select id, sum(events) over preceding as events_before, sum(bytes) over preceding as bytes_before
  from (
    select u.id, case when u.active then 0 else 1 + of_user.count end as events, case when u.active then 0 else (case when pg_column_size(u.resource) < 2048 and pg_column_compression(u.resource) is null then 2 * pg_column_size(u.resource) else json_weight(u.resource) end + coalesce(case when pg_column_size(u.pushed) < 2048 and pg_column_compression(u.pushed) is null then 2 * pg_column_size(u.pushed) else json_weight(u.pushed) end, 0) + coalesce(case when pg_column_size(u.custom_attributes) < 2048 and pg_column_compression(u.custom_attributes) is null then 2 * pg_column_size(u.custom_attributes) else json_weight(u.custom_attributes) end, 0) + case when u.roles is null then 0 else json_weight(u.roles) + coalesce(json_weight(u.group_roles), 0) end) * (1 + of_user.count) end as bytes
    from (
      select *
      from users
      where directory_id = $1 and id > cast($2 as uuid)
      order by directory_id, id
      limit $3
    ) u
    cross join lateral (
      select count(*) as count
      from group_members m
      where not u.active and m.directory_id = $4 and m.member_id = u.id
    ) of_user
  ) weighed
  window preceding as (order by id rows between unbounded preceding and 1 preceding)
) so_far
where coalesce(events_before, 0) < $5 and coalesce(bytes_before, 0) < $6
order by id desc
limit 1;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ 5000,
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 1000,
  /* $6 */ 8388608
);

prepare statement_6 as
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
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ '10000000-0000-0000-0000-000000000001',
  /* $6 */ '10000000-0000-0000-0000-000000000001',
  /* $7 */ '00000000-0000-0000-0000-000000000000',
  /* $8 */ '10000000-0000-0000-0000-000000000002',
  /* $9 */ '10000000-0000-0000-0000-000000000001',
  /* $10 */ '10000000-0000-0000-0000-000000000001',
  /* $11 */ 'setting',
  /* $12 */ '10000000-0000-0000-0000-000000000001',
  /* $13 */ '10000000-0000-0000-0000-000000000001',
  /* $14 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_7 as
with endpoint as (select id, wake from webhook_endpoints where directory_id = $1 for key share)
update webhook_endpoints e
set wake = true, wake_at = clock_timestamp()
from endpoint
where e.id = endpoint.id and not endpoint.wake;
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_8 as
update "directories"
set "inactive_users_upto" = $1, "batches_at" = CURRENT_TIMESTAMP, "revision" = revision + 1
where "id" = $2;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_9 as
select "id"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_10 as
select d.last_sequence, e.acked_sequence, (
  select total_bytes
  from stored_events
  where directory_id = d.id and sequence = d.last_sequence
) as event_bytes, case when e.acked_sequence < d.last_sequence then (
  select total_bytes - bytes
  from stored_events
  where directory_id = d.id and sequence = e.acked_sequence + 1
) end as delivered_bytes, d.quotas, e.url is not null as has_webhook, d.inactive_users, d.inactive_users_upto
from directories d
join webhook_endpoints e on e.directory_id = d.id
where d.id = $1 and d.removing_at is null;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_11 as
select id
from (
  select id, sum(events) over preceding as events_before, sum(bytes) over preceding as bytes_before
  from (
    select u.id, case when u.active then 0 else 1 + of_user.count end as events, case when u.active then 0 else (case when pg_column_size(u.resource) < 2048 and pg_column_compression(u.resource) is null then 2 * pg_column_size(u.resource) else json_weight(u.resource) end + coalesce(case when pg_column_size(u.pushed) < 2048 and pg_column_compression(u.pushed) is null then 2 * pg_column_size(u.pushed) else json_weight(u.pushed) end, 0) + coalesce(case when pg_column_size(u.custom_attributes) < 2048 and pg_column_compression(u.custom_attributes) is null then 2 * pg_column_size(u.custom_attributes) else json_weight(u.custom_attributes) end, 0) + case when u.roles is null then 0 else json_weight(u.roles) + coalesce(json_weight(u.group_roles), 0) end) * (1 + of_user.count) end as bytes
    from (
      select *
      from users
      where directory_id = $1 and id > cast($2 as uuid)
      order by directory_id, id
      limit $3
    ) u
    cross join lateral (
      select count(*) as count
      from group_members m
      where not u.active and m.directory_id = $4 and m.member_id = u.id
    ) of_user
  ) weighed
  window preceding as (order by id rows between unbounded preceding and 1 preceding)
) so_far
where coalesce(events_before, 0) < $5 and coalesce(bytes_before, 0) < $6
order by id desc
limit 1;
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 5000,
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 1000,
  /* $6 */ 8388608
);

prepare statement_12 as
update "directories"
set "inactive_users_upto" = $1, "batches_at" = $2, "revision" = revision + 1
where "id" = $3;
execute statement_12 (
  /* $1 */ null,
  /* $2 */ null,
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_13 as
update "all_directories"
set "on_directory_delete" = $1
where "id" = $2;
execute statement_13 (
  /* $1 */ 'events',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_14 as
select "revision", "deactivated", "on_directory_delete", "removing_at", "inactive_users", "inactive_users_upto"
from "directories"
where "id" = $1
limit $2;
execute statement_14 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_15 as
select d.group_count as groups, d.user_count - (
  select count(*)
  from users u
  where u.directory_id = d.id and not (u.active or u.id <= cast($1 as uuid) or u.id > cast($2 as uuid))
) as users, (
  select count(*)
  from group_members m
  where m.directory_id = d.id and m.kind = 'user' and exists (
    select
    from users shown
    where shown.directory_id = m.directory_id and shown.id = m.member_id and (shown.active or shown.id <= cast($3 as uuid) or shown.id > cast($4 as uuid))
  )
) as memberships
from directories d
where d.id = $5;
execute statement_15 (
  /* $1 */ '00000000-0000-0000-0000-000000000000',
  /* $2 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $3 */ '00000000-0000-0000-0000-000000000000',
  /* $4 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_16 as
select "revision", "deactivated", "on_directory_delete", "removing_at", "inactive_users", "inactive_users_upto"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_16 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_17 as
update "directories"
set "deactivated" = $1, "removing_at" = CURRENT_TIMESTAMP, "batches_at" = CURRENT_TIMESTAMP, "updated_at" = CURRENT_TIMESTAMP,
  "revision" = revision + 1
where "id" = $2;
execute statement_17 (
  /* $1 */ true,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_18 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_18 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_19 as
insert into audit_log(body)
values ($1);
execute statement_19 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000003","action":"directory.deleted","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"t","product":"p"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"events":3},"result":"success"}'
);

prepare statement_20 as
with noted as (
  update all_directories
  set batches_at = now()
  where id = $1 and removing_at is not null and deleting_at is null and (batches_at is null or batches_at < now() - interval '10 seconds')
)
select d.last_sequence, e.acked_sequence, (
  select total_bytes
  from stored_events
  where directory_id = d.id and sequence = d.last_sequence
) as event_bytes, case when e.acked_sequence < d.last_sequence then (
  select total_bytes - bytes
  from stored_events
  where directory_id = d.id and sequence = e.acked_sequence + 1
) end as delivered_bytes, d.quotas, e.url is not null as has_webhook, (e.url is null or e.status in ('disabled', 'misconfigured'))
  and greatest(d.removing_at, e.updated_at, (
  select occurred_at
  from stored_events
  where directory_id = d.id and sequence = d.last_sequence
)) < now() - interval '1 day' as is_given_up
from directories d
join webhook_endpoints e on e.directory_id = d.id
where d.id = $2 and d.removing_at is not null;
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_21 as
select id
from (
  select id, sum(memberships) over preceding as memberships_before, sum(bytes) over preceding as bytes_before
  from (
    select next.id, of_one.count as memberships, (case when pg_column_size(next.resource) < 2048 and pg_column_compression(next.resource) is null then 2 * pg_column_size(next.resource) else json_weight(next.resource) end + coalesce(case when pg_column_size(next.pushed) < 2048 and pg_column_compression(next.pushed) is null then 2 * pg_column_size(next.pushed) else json_weight(next.pushed) end, 0) + coalesce(case when pg_column_size(next.custom_attributes) < 2048 and pg_column_compression(next.custom_attributes) is null then 2 * pg_column_size(next.custom_attributes) else json_weight(next.custom_attributes) end, 0) + case when next.roles is null then 0 else json_weight(next.roles) + coalesce(json_weight(next.group_roles), 0) end) * (1 + of_one.count) as bytes
    from (
      select *
      from users
      where directory_id = $1 and id > $2
      order by directory_id, id
      limit $3
    ) next
    cross join lateral (
      select count(*) as count
      from (
        select 1
        from group_members m
        where m.directory_id = $4 and m.member_id = next.id
        limit $5
      ) counted
    ) of_one
  ) weighed
  window preceding as (order by id rows between unbounded preceding and 1 preceding)
) so_far
where coalesce(memberships_before, 0) < $6 and coalesce(bytes_before, 0) < $7
order by id;
execute statement_21 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ 200,
  /* $4 */ '10000000-0000-0000-0000-000000000001',
  /* $5 */ 1000,
  /* $6 */ 1000,
  /* $7 */ 8388608
);

prepare statement_22 as
select "id"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_22 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_23 as
select "id"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_23 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_24 as
select work.*, (select count(*) from (select from users where directory_id = $1 limit 1) u) + (select count(*) from (select from groups where directory_id = $2 limit 1) g) as resources_left
from (
  select d.last_sequence, e.acked_sequence, (
    select total_bytes
    from stored_events
    where directory_id = d.id and sequence = d.last_sequence
  ) as event_bytes, case when e.acked_sequence < d.last_sequence then (
    select total_bytes - bytes
    from stored_events
    where directory_id = d.id and sequence = e.acked_sequence + 1
  ) end as delivered_bytes, d.quotas, e.url is not null as has_webhook, (e.url is null or e.status in ('disabled', 'misconfigured'))
    and greatest(d.removing_at, e.updated_at, (
    select occurred_at
    from stored_events
    where directory_id = d.id and sequence = d.last_sequence
  )) < now() - interval '1 day' as is_given_up
  from directories d
  join webhook_endpoints e on e.directory_id = d.id
  where d.id = $3 and d.removing_at is not null
) work;
execute statement_24 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_25 as
select id
from all_directories
where batches_at < now() - interval '45 seconds' and deleting_at is null
order by batches_at
limit $1;
execute statement_25 (
  /* $1 */ 10
);

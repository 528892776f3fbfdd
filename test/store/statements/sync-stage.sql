prepare statement_1 as
with run as (
  select id, directory_id
  from sync_runs
  where directory_id = $1 and id = $2 and state = 'running' and phase = any(cast($3 as text[])) for no key update
),
staged as (
  insert into sync_users(run_id, directory_id, external_id, resource, pushed, bytes, added_bytes)
  select run.id, run.directory_id, item."externalId", item.resource, item.pushed, size.bytes, size.bytes
  from run, jsonb_to_recordset(cast($4 as jsonb)) as item("externalId" text, resource jsonb, pushed jsonb), lateral (
    select octet_length(cast(resource as text)) + coalesce(octet_length(cast(pushed as text)), 0) as bytes
  ) size
  on conflict(run_id, external_id) do update
  set resource = excluded.resource, pushed = excluded.pushed, bytes = excluded.bytes, added_bytes = excluded.bytes - sync_users.bytes,
    is_removed = false
  returning xmax = 0 as is_new, added_bytes
)
update sync_runs r
set phase = $5, pages = pages + cast($6 as int), users_listed = users_listed + $7, notice = null, users_seen = users_seen + (select count(*) from staged where is_new), starts = case when exists (select from staged where is_new) then 0 else starts end, staged_bytes = staged_bytes + (select coalesce(sum(added_bytes), 0) from staged)
from run
join directories d on d.id = run.directory_id
where r.directory_id = run.directory_id and r.id = run.id
returning r.staged_bytes + (
  select coalesce(cast(sum(other.staged_bytes) as bigint), 0)
  from sync_runs other
  where other.directory_id = r.directory_id and not other.is_cleared and other.id <> r.id
) as staged_bytes, d.quotas;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '{"users"}',
  /* $4 */ '[{"externalId":"1","resource":{"userName":"1@acme.example","externalId":"1","active":true}}]',
  /* $5 */ 'users',
  /* $6 */ 1,
  /* $7 */ 1
);

prepare statement_2 as
with run as (
  select id, directory_id
  from sync_runs
  where directory_id = $1 and id = $2 and state = 'running' and phase = any(cast($3 as text[])) for no key update
),
staged as (
  insert into sync_groups(run_id, directory_id, external_id, resource, pushed, bytes, added_bytes)
  select run.id, run.directory_id, item."externalId", item.resource, item.pushed, size.bytes, size.bytes
  from run, jsonb_to_recordset(cast($4 as jsonb)) as item("externalId" text, resource jsonb, pushed jsonb), lateral (
    select octet_length(cast(resource as text)) + coalesce(octet_length(cast(pushed as text)), 0) as bytes
  ) size
  on conflict(run_id, external_id) do update
  set resource = excluded.resource, pushed = excluded.pushed, bytes = excluded.bytes, added_bytes = excluded.bytes - sync_groups.bytes,
    is_removed = false
  returning xmax = 0 as is_new, added_bytes
)
update sync_runs r
set phase = $5, pages = pages + cast($6 as int), users_listed = users_listed + $7, notice = null, groups_seen = groups_seen + (select count(*) from staged where is_new), starts = case when exists (select from staged where is_new) then 0 else starts end, staged_bytes = staged_bytes + (select coalesce(sum(added_bytes), 0) from staged)
from run
join directories d on d.id = run.directory_id
where r.directory_id = run.directory_id and r.id = run.id
returning r.staged_bytes + (
  select coalesce(cast(sum(other.staged_bytes) as bigint), 0)
  from sync_runs other
  where other.directory_id = r.directory_id and not other.is_cleared and other.id <> r.id
) as staged_bytes, d.quotas;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '{"users","groups"}',
  /* $4 */ '[{"externalId":"g","resource":{"displayName":"g","externalId":"g"}}]',
  /* $5 */ 'groups',
  /* $6 */ 1,
  /* $7 */ 0
);

prepare statement_3 as
with run as (
  select id, directory_id
  from sync_runs
  where directory_id = $1 and id = $2 and state = 'running' and phase = any(cast($3 as text[])) for no key update
),
staged as (
  insert into sync_members(run_id, directory_id, group_external_id, first_external_id, external_ids, bytes, added_bytes)
  select run.id, run.directory_id, page ->> 'group', page #>> '{externalIds,0}', ids, octet_length(array_to_string(ids, ',')),
    octet_length(array_to_string(ids, ','))
  from run, jsonb_array_elements(cast($4 as jsonb)) page, lateral (select array(select jsonb_array_elements_text(page -> 'externalIds')) as ids) listed
  on conflict(run_id, group_external_id, first_external_id) do update
  set(external_ids, bytes, added_bytes) = (
    select ids, octet_length(array_to_string(ids, ',')), octet_length(array_to_string(ids, ',')) - sync_members.bytes
    from (
      select array(select distinct unnest(sync_members.external_ids || excluded.external_ids)) as ids
    ) merged
  )
  returning xmax = 0 as is_new, cardinality(external_ids) as size, added_bytes
)
update sync_runs r
set phase = $5, pages = pages + cast($6 as int), users_listed = users_listed + $7, notice = null, members_seen = members_seen + (select coalesce(sum(size), 0) from staged where is_new), starts = case when exists (select from staged where is_new) then 0 else starts end, staged_bytes = staged_bytes + (select coalesce(sum(added_bytes), 0) from staged)
from run
join directories d on d.id = run.directory_id
where r.directory_id = run.directory_id and r.id = run.id
returning r.staged_bytes + (
  select coalesce(cast(sum(other.staged_bytes) as bigint), 0)
  from sync_runs other
  where other.directory_id = r.directory_id and not other.is_cleared and other.id <> r.id
) as staged_bytes, d.quotas;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '{"groups","members"}',
  /* $4 */ '[{"group":"g","externalIds":["1"]}]',
  /* $5 */ 'members',
  /* $6 */ 1,
  /* $7 */ 0
);

prepare statement_1 as
with run as (
  select id, directory_id
  from sync_runs
  where directory_id = $1 and id = $2 and state = 'running' and phase = any(cast($3 as text[])) for no key update
),
staged as (
  insert into sync_users(run_id, directory_id, external_id, resource)
  select run.id, run.directory_id, item."externalId", item.resource
  from run, jsonb_to_recordset(cast($4 as jsonb)) as item("externalId" text, resource jsonb)
  on conflict(run_id, external_id) do update
  set resource = excluded.resource
  returning xmax = 0 as is_new
)
update sync_runs r
set phase = $5, pages = pages + cast($6 as int), users_listed = users_listed + $7, notice = null, users_seen = users_seen + (select count(*) from staged where is_new), starts = case when exists (select from staged where is_new) then 0 else starts end
from run
where r.directory_id = run.directory_id and r.id = run.id;
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
  insert into sync_groups(run_id, directory_id, external_id, resource)
  select run.id, run.directory_id, item."externalId", item.resource
  from run, jsonb_to_recordset(cast($4 as jsonb)) as item("externalId" text, resource jsonb)
  on conflict(run_id, external_id) do update
  set resource = excluded.resource
  returning xmax = 0 as is_new
)
update sync_runs r
set phase = $5, pages = pages + cast($6 as int), users_listed = users_listed + $7, notice = null, groups_seen = groups_seen + (select count(*) from staged where is_new), starts = case when exists (select from staged where is_new) then 0 else starts end
from run
where r.directory_id = run.directory_id and r.id = run.id;
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
  insert into sync_members(run_id, directory_id, group_external_id, first_external_id, external_ids)
  select run.id, run.directory_id, page ->> 'group', page #>> '{externalIds,0}', array(select jsonb_array_elements_text(page -> 'externalIds'))
  from run, jsonb_array_elements(cast($4 as jsonb)) page
  on conflict(run_id, group_external_id, first_external_id) do update
  set external_ids = array(select distinct unnest(sync_members.external_ids || excluded.external_ids))
  returning xmax = 0 as is_new, cardinality(external_ids) as size
)
update sync_runs r
set phase = $5, pages = pages + cast($6 as int), users_listed = users_listed + $7, notice = null, members_seen = members_seen + (select coalesce(sum(size), 0) from staged where is_new), starts = case when exists (select from staged where is_new) then 0 else starts end
from run
where r.directory_id = run.directory_id and r.id = run.id;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '{"groups","members"}',
  /* $4 */ '[{"group":"g","externalIds":["1"]}]',
  /* $5 */ 'members',
  /* $6 */ 1,
  /* $7 */ 0
);

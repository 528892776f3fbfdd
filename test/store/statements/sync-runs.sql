prepare statement_1 as
with ready as (
  select id
  from directories
  where type = $1 and not deactivated and google_authorization_error is null and (google_access_token is not null or google_refresh_token is not null or google_admin_email is not null or provider_account is not null or provider_upload is not null)
    and not exists (
    select
    from imported_directories i
    where i.directory_id = directories.id and i.followed
  )
),
requested as (
  insert into sync_runs(directory_id, id, state, trigger)
  select id, gen_random_uuid(), 'queued', 'cron'
  from ready
  on conflict(directory_id)
  where state in ('queued', 'running') do nothing
  returning directory_id, id
)
select directory_id, id, true as is_new
from requested
union all
select r.directory_id, r.id, false
from ready
join sync_runs r on r.directory_id = ready.id and r.state in ('queued', 'running')
order by directory_id;
execute statement_1 (
  /* $1 */ 'google'
);

prepare statement_2 as
insert into audit_log(body)
values ($1);
execute statement_2 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000001","action":"sync.started","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"type":"google","runs":1},"result":"success"}'
);

prepare statement_3 as
insert into sync_runs(directory_id, id, state, trigger)
select id, $1, 'queued', 'schedule'
from directories
where id = $2 and type = any(cast($3 as text[])) and not deactivated and google_authorization_error is null and (google_access_token is not null or google_refresh_token is not null or google_admin_email is not null or provider_account is not null or provider_upload is not null)
  and not exists (
  select
  from imported_directories i
  where i.directory_id = directories.id and i.followed
)
on conflict(directory_id)
where state in ('queued', 'running') do nothing;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000002',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '{"google","entra"}'
);

prepare statement_4 as
select "google_authorization_version", "provider_upload", (not deactivated and google_authorization_error is null and (google_access_token is not null or google_refresh_token is not null or google_admin_email is not null or provider_account is not null or provider_upload is not null)) as is_ready
from "directories"
where "id" = $1 and "type" in ($2, $3, $4)
limit $5 for no key update;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ 'google',
  /* $3 */ 'entra',
  /* $4 */ 'csv',
  /* $5 */ 1
);

prepare statement_5 as
select *
from "sync_runs"
where "directory_id" = $1 and "state" in ($2, $3)
limit $4 for update;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ 'queued',
  /* $3 */ 'running',
  /* $4 */ 1
);

prepare statement_6 as
select "starts"
from "sync_runs"
where "directory_id" = $1 and "state" not in ($2, $3)
order by "requested_at" desc
limit $4;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ 'queued',
  /* $3 */ 'running',
  /* $4 */ 1
);

prepare statement_7 as
delete from sync_runs
where directory_id = $1 and id in (
  select id
  from sync_runs
  where directory_id = $2 and state not in ('queued', 'running')
  order by requested_at desc
  offset $3
);
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 100
);

prepare statement_8 as
update "sync_runs"
set "state" = $1, "workflow_run" = $2, "authorization_version" = $3, "upload_id" = $4, "started_at" = CURRENT_TIMESTAMP
where "directory_id" = $5 and "id" = $6;
execute statement_8 (
  /* $1 */ 'running',
  /* $2 */ '10000000-0000-0000-0000-000000000004',
  /* $3 */ 0,
  /* $4 */ null,
  /* $5 */ '10000000-0000-0000-0000-000000000003',
  /* $6 */ '10000000-0000-0000-0000-000000000005'
);

prepare statement_9 as
select "google_authorization_version", "provider_upload", (not deactivated and google_authorization_error is null and (google_access_token is not null or google_refresh_token is not null or google_admin_email is not null or provider_account is not null or provider_upload is not null)) as is_ready
from "directories"
where "id" = $1 and "type" in ($2, $3, $4)
limit $5 for no key update;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ 'google',
  /* $3 */ 'entra',
  /* $4 */ 'csv',
  /* $5 */ 1
);

prepare statement_10 as
select *
from "sync_runs"
where "directory_id" = $1 and "state" in ($2, $3)
limit $4 for update;
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ 'queued',
  /* $3 */ 'running',
  /* $4 */ 1
);

prepare statement_11 as
update "sync_runs"
set "state" = $1, "error_code" = $2, "error" = $3, "notice" = $4, "finished_at" = CURRENT_TIMESTAMP
where "directory_id" = $5 and "id" = $6 and "state" in ($7, $8);
execute statement_11 (
  /* $1 */ 'failed',
  /* $2 */ 'internal',
  /* $3 */ 'Its workflow was terminated. Nothing is lost: the next run catches up.',
  /* $4 */ null,
  /* $5 */ '10000000-0000-0000-0000-000000000003',
  /* $6 */ '10000000-0000-0000-0000-000000000005',
  /* $7 */ 'queued',
  /* $8 */ 'running'
);

prepare statement_12 as
delete from sync_runs
where directory_id = $1 and id in (
  select id
  from sync_runs
  where directory_id = $2 and state not in ('queued', 'running')
  order by requested_at desc
  offset $3
);
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 100
);

prepare statement_13 as
insert into "sync_runs"("authorization_version", "confirms", "directory_id", "id", "left_behind", "requested_at", "started_at", "state", "trigger", "upload_id", "workflow_run")
values ($1, $2, $3, $4, $5, clock_timestamp(), CURRENT_TIMESTAMP, $6, $7, $8, $9);
execute statement_13 (
  /* $1 */ 0,
  /* $2 */ null,
  /* $3 */ '10000000-0000-0000-0000-000000000003',
  /* $4 */ '10000000-0000-0000-0000-000000000006',
  /* $5 */ 1,
  /* $6 */ 'running',
  /* $7 */ 'cron',
  /* $8 */ null,
  /* $9 */ '10000000-0000-0000-0000-000000000007'
);

prepare statement_14 as
select "d".*, "r"."authorization_version" as "run_authorization_version", "r"."phase", "r"."mode", "r"."epoch", "r"."confirms",
  "r"."users_seen", "r"."groups_seen", "r"."members_seen", "r"."pages", (
  select decided.state <> 'succeeded'
  from sync_runs decided
  where decided.directory_id = r.directory_id and (decided.state in ('succeeded', 'needs_confirmation') or decided.error_code = 'refused')
  order by decided.finished_at desc
  limit 1
) as awaits_confirmation, r.staged_bytes + (
  select coalesce(cast(sum(other.staged_bytes) as bigint), 0)
  from sync_runs other
  where other.directory_id = r.directory_id and not other.is_cleared and other.id <> r.id
) as staged_bytes, (
  select is_dry_run
  from file_sets s
  where s.directory_id = d.id and s.id = d.provider_upload
) as is_dry_run
from "directories" as "d"
inner join "sync_runs" as "r" on "r"."directory_id" = "d"."id"
where "d"."id" = $1 and "r"."id" = $2 and "r"."state" = $3 and "d"."type" in ($4, $5, $6)
limit $7;
execute statement_14 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ '10000000-0000-0000-0000-000000000006',
  /* $3 */ 'running',
  /* $4 */ 'google',
  /* $5 */ 'entra',
  /* $6 */ 'csv',
  /* $7 */ 1
);

prepare statement_15 as
select "id"
from "sync_runs"
where "directory_id" = $1 and "is_cleared" = $2 and "state" not in ($3, $4)
limit $5;
execute statement_15 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ false,
  /* $3 */ 'queued',
  /* $4 */ 'running',
  /* $5 */ 1
);

prepare statement_16 as
delete from sync_changes
where directory_id = $1 and ctid = any(array(select ctid from sync_changes where run_id = $2 and directory_id = $3 limit $4));
execute statement_16 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ '10000000-0000-0000-0000-000000000005',
  /* $3 */ '10000000-0000-0000-0000-000000000003',
  /* $4 */ 10
);

prepare statement_17 as
delete from sync_members
where directory_id = $1 and ctid = any(array(select ctid from sync_members where run_id = $2 and directory_id = $3 limit $4));
execute statement_17 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ '10000000-0000-0000-0000-000000000005',
  /* $3 */ '10000000-0000-0000-0000-000000000003',
  /* $4 */ 10
);

prepare statement_18 as
delete from sync_groups
where directory_id = $1 and ctid = any(array(select ctid from sync_groups where run_id = $2 and directory_id = $3 limit $4));
execute statement_18 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ '10000000-0000-0000-0000-000000000005',
  /* $3 */ '10000000-0000-0000-0000-000000000003',
  /* $4 */ 10
);

prepare statement_19 as
delete from sync_users
where directory_id = $1 and ctid = any(array(select ctid from sync_users where run_id = $2 and directory_id = $3 limit $4));
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000003',
  /* $2 */ '10000000-0000-0000-0000-000000000005',
  /* $3 */ '10000000-0000-0000-0000-000000000003',
  /* $4 */ 10
);

prepare statement_20 as
update "sync_runs"
set "is_cleared" = $1
where "directory_id" = $2 and "id" = $3;
execute statement_20 (
  /* $1 */ true,
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '10000000-0000-0000-0000-000000000005'
);

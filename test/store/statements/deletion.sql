prepare statement_1 as
update all_directories
set deleting_at = now()
where id = $1 and deleting_at is not null
returning id;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_2 as
delete from sync_changes
where directory_id = $1 and ctid = any(array(
  select s.ctid
  from sync_runs r
  cross join lateral (select ctid from sync_changes where run_id = r.id limit $2) s
  where r.directory_id = $3
  limit $4
));
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 10,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 10
);

prepare statement_3 as
delete from sync_members
where directory_id = $1 and ctid = any(array(
  select s.ctid
  from sync_runs r
  cross join lateral (select ctid from sync_members where run_id = r.id limit $2) s
  where r.directory_id = $3
  limit $4
));
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 10,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 10
);

prepare statement_4 as
delete from sync_groups
where directory_id = $1 and ctid = any(array(
  select s.ctid
  from sync_runs r
  cross join lateral (select ctid from sync_groups where run_id = r.id limit $2) s
  where r.directory_id = $3
  limit $4
));
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 10,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 10
);

prepare statement_5 as
delete from sync_users
where directory_id = $1 and ctid = any(array(
  select s.ctid
  from sync_runs r
  cross join lateral (select ctid from sync_users where run_id = r.id limit $2) s
  where r.directory_id = $3
  limit $4
));
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 10,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 10
);

prepare statement_6 as
delete from webhook_attempts
where directory_id = $1 and ctid = any(array(select ctid from webhook_attempts where directory_id = $2 limit $3));
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_7 as
delete from webhook_batches
where directory_id = $1 and ctid = any(array(select ctid from webhook_batches where directory_id = $2 limit $3));
execute statement_7 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_8 as
delete from webhook_replays
where directory_id = $1 and ctid = any(array(select ctid from webhook_replays where directory_id = $2 limit $3));
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_9 as
delete from webhook_secrets
where directory_id = $1 and ctid = any(array(select ctid from webhook_secrets where directory_id = $2 limit $3));
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_10 as
delete from webhook_endpoints
where directory_id = $1 and ctid = any(array(select ctid from webhook_endpoints where directory_id = $2 limit $3));
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_11 as
delete from group_members
where directory_id = $1 and ctid = any(array(select ctid from group_members where directory_id = $2 limit $3));
execute statement_11 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_12 as
delete from pending_members
where directory_id = $1 and ctid = any(array(select ctid from pending_members where directory_id = $2 limit $3));
execute statement_12 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_13 as
delete from groups
where directory_id = $1 and ctid = any(array(select ctid from groups where directory_id = $2 limit $3));
execute statement_13 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_14 as
delete from users
where directory_id = $1 and ctid = any(array(select ctid from users where directory_id = $2 limit $3));
execute statement_14 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_15 as
delete from stored_events
where directory_id = $1 and ctid = any(array(select ctid from stored_events where directory_id = $2 limit $3));
execute statement_15 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_16 as
delete from event_documents
where directory_id = $1 and ctid = any(array(select ctid from event_documents where directory_id = $2 limit $3));
execute statement_16 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_17 as
delete from mutations
where directory_id = $1 and ctid = any(array(select ctid from mutations where directory_id = $2 limit $3));
execute statement_17 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_18 as
delete from staged_mutations
where directory_id = $1 and ctid = any(array(select ctid from staged_mutations where directory_id = $2 limit $3));
execute statement_18 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_19 as
delete from mutation_starts
where directory_id = $1 and ctid = any(array(select ctid from mutation_starts where directory_id = $2 limit $3));
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_20 as
delete from scim_requests
where directory_id = $1 and ctid = any(array(select ctid from scim_requests where directory_id = $2 limit $3));
execute statement_20 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_21 as
delete from user_requests
where directory_id = $1 and ctid = any(array(select ctid from user_requests where directory_id = $2 limit $3));
execute statement_21 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_22 as
delete from user_erasures
where directory_id = $1 and ctid = any(array(select ctid from user_erasures where directory_id = $2 limit $3));
execute statement_22 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_23 as
delete from attribute_recomputes
where directory_id = $1 and ctid = any(array(select ctid from attribute_recomputes where directory_id = $2 limit $3));
execute statement_23 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_24 as
delete from users_to_recompute
where directory_id = $1 and ctid = any(array(select ctid from users_to_recompute where directory_id = $2 limit $3));
execute statement_24 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_25 as
delete from sync_runs
where directory_id = $1 and ctid = any(array(select ctid from sync_runs where directory_id = $2 limit $3));
execute statement_25 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_26 as
delete from authorization_requests
where directory_id = $1 and ctid = any(array(select ctid from authorization_requests where directory_id = $2 limit $3));
execute statement_26 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_27 as
delete from directory_pushes
where directory_id = $1 and ctid = any(array(select ctid from directory_pushes where directory_id = $2 limit $3));
execute statement_27 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_28 as
delete from directory_hours
where directory_id = $1 and ctid = any(array(select ctid from directory_hours where directory_id = $2 limit $3));
execute statement_28 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_29 as
delete from scim_secrets
where directory_id = $1 and ctid = any(array(select ctid from scim_secrets where directory_id = $2 limit $3));
execute statement_29 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_30 as
delete from scim_access_tokens
where directory_id = $1 and ctid = any(array(select ctid from scim_access_tokens where directory_id = $2 limit $3));
execute statement_30 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_31 as
delete from scim_clients
where directory_id = $1 and ctid = any(array(select ctid from scim_clients where directory_id = $2 limit $3));
execute statement_31 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_32 as
delete from uploaded_members
where directory_id = $1 and ctid = any(array(select ctid from uploaded_members where directory_id = $2 limit $3));
execute statement_32 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_33 as
delete from uploaded_rows
where directory_id = $1 and ctid = any(array(select ctid from uploaded_rows where directory_id = $2 limit $3));
execute statement_33 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_34 as
delete from uploaded_files
where directory_id = $1 and ctid = any(array(select ctid from uploaded_files where directory_id = $2 limit $3));
execute statement_34 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_35 as
delete from file_sets
where directory_id = $1 and ctid = any(array(select ctid from file_sets where directory_id = $2 limit $3));
execute statement_35 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_36 as
delete from upload_tokens
where directory_id = $1 and ctid = any(array(select ctid from upload_tokens where directory_id = $2 limit $3));
execute statement_36 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 10
);

prepare statement_37 as
delete from all_directories
where id = $1 and deleting_at is not null;
execute statement_37 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

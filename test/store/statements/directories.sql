prepare statement_1 as
select pg_advisory_xact_lock_shared(hashtextextended($1, 7265636534));
execute statement_1 (
  /* $1 */ 'app'
);

prepare statement_2 as
insert into "directories"("accept_scim_secret", "deactivated", "id", "inactive_users", "log_webhook_events", "name", "on_directory_delete", "product", "tenant", "type", "user_state_events")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
returning "created_at", "updated_at";
execute statement_2 (
  /* $1 */ true,
  /* $2 */ false,
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ 'keep',
  /* $5 */ false,
  /* $6 */ 'Acme',
  /* $7 */ 'silent',
  /* $8 */ 'app',
  /* $9 */ 'acme',
  /* $10 */ 'generic-scim-v2',
  /* $11 */ false
);

prepare statement_3 as
insert into "webhook_endpoints"("directory_id", "id", "legacy_signatures")
values ($1, $2, $3);
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ false
);

prepare statement_4 as
insert into "scim_secrets"("directory_id", "expires_at", "id", "secret")
values ($1, $2, $3, $4);
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ null,
  /* $3 */ '10000000-0000-0000-0000-000000000003',
  /* $4 */ 'A_SEALED_VALUE'
);

prepare statement_5 as
update "directories"
set "scim_secret" = $1
where "id" = $2;
execute statement_5 (
  /* $1 */ 'A_SEALED_VALUE',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_6 as
select "id", "status"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_6 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_7 as
update "webhook_endpoints"
set "url" = $1, "sealed_url" = $2, "updated_at" = CURRENT_TIMESTAMP
where "directory_id" = $3;
execute statement_7 (
  /* $1 */ 'receiver.acme.example',
  /* $2 */ 'A_SEALED_VALUE',
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_8 as
select "secret"
from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2
order by "created_at" desc
limit $3;
execute statement_8 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_9 as
delete from "webhook_secrets"
where "directory_id" = $1;
execute statement_9 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_10 as
insert into "webhook_secrets"("created_at", "directory_id", "endpoint_id", "id", "secret")
values (clock_timestamp(), $1, $2, $3, $4);
execute statement_10 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '10000000-0000-0000-0000-000000000004',
  /* $4 */ 'A_SEALED_VALUE'
);

prepare statement_11 as
update "webhook_batches"
set "next_attempt_at" = CURRENT_TIMESTAMP, "failures" = $1
where "directory_id" = $2 and "status" = $3;
execute statement_11 (
  /* $1 */ 0,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'pending'
);

prepare statement_12 as
insert into audit_log(body)
values ($1);
execute statement_12 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000005","action":"directory.created","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"acme","product":"app"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"type":"generic-scim-v2","name":{"from":null,"to":"Acme"},"deactivated":{"from":null,"to":false},"log_webhook_events":{"from":null,"to":false},"user_state_events":{"from":null,"to":false},"inactive_users":{"from":null,"to":"keep"},"on_directory_delete":{"from":null,"to":"silent"},"webhook_legacy_signatures":{"from":null,"to":false},"webhook_url":{"from":null,"to":"https://receiver.acme.example"},"webhook_secret":{"changed":true}},"result":"success"}'
);

prepare statement_13 as
select id, deactivated, case when accept_scim_secret then (
  select json_agg(json_build_array(s.id, s.secret, coalesce(s.last_used_at > now() - interval '1 minute', false)))
  from scim_secrets s
  where s.directory_id = directories.id and (s.expires_at is null or s.expires_at > now())
) end as secrets, (
  select json_agg(json_build_array(encode(t.hash, 'hex'), floor(extract(epoch from t.expires_at) * 1000)))
  from scim_access_tokens t
  where t.directory_id = directories.id and t.expires_at > now()
) as tokens
from directories
where id = any(cast($1 as uuid[]));
execute statement_13 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}'
);

prepare statement_14 as
select id
from directories
where id = $1;
execute statement_14 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_15 as
select id
from directories
where id = $1 and tenant = $2 and product = $3;
execute statement_15 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'acme',
  /* $3 */ 'app'
);

prepare statement_16 as
select id
from directories
where tenant = $1 and product = $2;
execute statement_16 (
  /* $1 */ 'acme',
  /* $2 */ 'app'
);

prepare statement_17 as
select "d".*, "e"."url" as "webhook_url", "e"."sealed_url" as "webhook_sealed_url", "e"."legacy_signatures" as "webhook_legacy_signatures",
  (
  select "s"."secret"
  from "webhook_secrets" as "s"
  where s.directory_id = d.id and s.endpoint_id = e.id
  order by "s"."created_at" desc
  limit $1
) as "webhook_secret", case when d.deactivated then 'deactivated' when e.url is not null and e.status in ('disabled', 'misconfigured') then 'disabled' when d.type in ('google', 'entra', 'csv')
  and d.type <> 'csv' and (d.google_authorization_error is not null or coalesce(d.google_access_token, d.google_refresh_token, nullif(d.google_admin_email, ''), d.provider_account) is null) then 'needs_authorization' when ended.state = 'needs_confirmation'
  and not exists (
  select
  from sync_runs c
  where c.directory_id = d.id and c.confirms = ended.id and c.state in ('queued', 'running')
) then 'needs_confirmation' when case when e.status = 'active' and e.url is null then 'no_webhook' when e.status = 'active'
  and e.first_failure_at is not null then 'failing' else e.status end = 'failing' or (ended.state = 'failed' and not exists (
  select
  from sync_runs x
  where x.directory_id = d.id and x.error_code = 'refused' and x.finished_at > ended.finished_at
)) then 'failing' when e.url is not null and e.status = 'paused' then 'paused' when false then 'stale' when not (p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) then 'waiting_for_first_push' else 'healthy' end as health_status,
  case when e.status = 'active' and e.url is null then 'no_webhook' when e.status = 'active' and e.first_failure_at is not null then 'failing' else e.status end as health_delivery_status,
  case when e.first_failure_at is not null then (
  select row_to_json(f)
  from (
    select a.ended_at as at, a.batch_id, a.number, a.outcome, a.status_code, a.error
    from webhook_batches b
    join webhook_attempts a on a.directory_id = b.directory_id and a.batch_id = b.id
    where b.directory_id = e.directory_id and b.endpoint_id = e.id and b.kind = 'live' and b.from_sequence > e.acked_sequence
      and a.outcome not in ('success', 'aborted', 'in_flight')
    order by a.ended_at desc
    limit 1
  ) f
) end as last_attempt_error
from "directories" as "d"
inner join "webhook_endpoints" as "e" on "e"."directory_id" = "d"."id"
left join directory_pushes p on p.directory_id = d.id
left join lateral (
  select id, state, finished_at
  from sync_runs
  where d.type in ('google', 'entra', 'csv') and directory_id = d.id and state in ('succeeded', 'failed', 'needs_confirmation')
  order by finished_at desc
  limit 1
) ended on true
left join lateral (
  select finished_at
  from sync_runs
  where d.type in ('google', 'entra', 'csv') and directory_id = d.id and state = 'succeeded'
  order by finished_at desc
  limit 1
) synced on true
where "product" = $2
order by "d"."id" desc
limit $3;
execute statement_17 (
  /* $1 */ 1,
  /* $2 */ 'app',
  /* $3 */ 11
);

prepare statement_18 as
select "d".*, "e"."url" as "webhook_url", "e"."sealed_url" as "webhook_sealed_url", "e"."legacy_signatures" as "webhook_legacy_signatures",
  (
  select "s"."secret"
  from "webhook_secrets" as "s"
  where s.directory_id = d.id and s.endpoint_id = e.id
  order by "s"."created_at" desc
  limit $1
) as "webhook_secret", case when d.deactivated then 'deactivated' when e.url is not null and e.status in ('disabled', 'misconfigured') then 'disabled' when d.type in ('google', 'entra', 'csv')
  and d.type <> 'csv' and (d.google_authorization_error is not null or coalesce(d.google_access_token, d.google_refresh_token, nullif(d.google_admin_email, ''), d.provider_account) is null) then 'needs_authorization' when ended.state = 'needs_confirmation'
  and not exists (
  select
  from sync_runs c
  where c.directory_id = d.id and c.confirms = ended.id and c.state in ('queued', 'running')
) then 'needs_confirmation' when case when e.status = 'active' and e.url is null then 'no_webhook' when e.status = 'active'
  and e.first_failure_at is not null then 'failing' else e.status end = 'failing' or (ended.state = 'failed' and not exists (
  select
  from sync_runs x
  where x.directory_id = d.id and x.error_code = 'refused' and x.finished_at > ended.finished_at
)) then 'failing' when e.url is not null and e.status = 'paused' then 'paused' when false then 'stale' when not (p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) then 'waiting_for_first_push' else 'healthy' end as health_status,
  case when e.status = 'active' and e.url is null then 'no_webhook' when e.status = 'active' and e.first_failure_at is not null then 'failing' else e.status end as health_delivery_status,
  case when e.first_failure_at is not null then (
  select row_to_json(f)
  from (
    select a.ended_at as at, a.batch_id, a.number, a.outcome, a.status_code, a.error
    from webhook_batches b
    join webhook_attempts a on a.directory_id = b.directory_id and a.batch_id = b.id
    where b.directory_id = e.directory_id and b.endpoint_id = e.id and b.kind = 'live' and b.from_sequence > e.acked_sequence
      and a.outcome not in ('success', 'aborted', 'in_flight')
    order by a.ended_at desc
    limit 1
  ) f
) end as last_attempt_error
from "directories" as "d"
inner join "webhook_endpoints" as "e" on "e"."directory_id" = "d"."id"
left join directory_pushes p on p.directory_id = d.id
left join lateral (
  select id, state, finished_at
  from sync_runs
  where d.type in ('google', 'entra', 'csv') and directory_id = d.id and state in ('succeeded', 'failed', 'needs_confirmation')
  order by finished_at desc
  limit 1
) ended on true
left join lateral (
  select finished_at
  from sync_runs
  where d.type in ('google', 'entra', 'csv') and directory_id = d.id and state = 'succeeded'
  order by finished_at desc
  limit 1
) synced on true
where "tenant" = $2 and "product" = $3
order by "d"."id" desc
limit $4;
execute statement_18 (
  /* $1 */ 1,
  /* $2 */ 'acme',
  /* $3 */ 'app',
  /* $4 */ 11
);

prepare statement_19 as
select d.type, case when d.deactivated then 'deactivated' when e.url is not null and e.status in ('disabled', 'misconfigured') then 'disabled' when d.type in ('google', 'entra', 'csv')
  and d.type <> 'csv' and (d.google_authorization_error is not null or coalesce(d.google_access_token, d.google_refresh_token, nullif(d.google_admin_email, ''), d.provider_account) is null) then 'needs_authorization' when ended.state = 'needs_confirmation'
  and not exists (
  select
  from sync_runs c
  where c.directory_id = d.id and c.confirms = ended.id and c.state in ('queued', 'running')
) then 'needs_confirmation' when case when e.status = 'active' and e.url is null then 'no_webhook' when e.status = 'active'
  and e.first_failure_at is not null then 'failing' else e.status end = 'failing' or (ended.state = 'failed' and not exists (
  select
  from sync_runs x
  where x.directory_id = d.id and x.error_code = 'refused' and x.finished_at > ended.finished_at
)) then 'failing' when e.url is not null and e.status = 'paused' then 'paused' when false then 'stale' when not (p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) then 'waiting_for_first_push' else 'healthy' end as health_status,
  case when e.status = 'active' and e.url is null then 'no_webhook' when e.status = 'active' and e.first_failure_at is not null then 'failing' else e.status end as health_delivery_status,
  e.first_failure_at, case when e.first_failure_at is null then 0 else e.consecutive_failures end as consecutive_failures,
  case when e.status = 'active' and e.url is not null and e.first_failure_at is not null then (
  select b.next_attempt_at
  from webhook_batches b
  where b.directory_id = e.directory_id and b.endpoint_id = e.id and b.kind = 'live' and b.status = 'pending' and b.from_sequence > e.acked_sequence
  order by b.from_sequence
  limit 1
) end as next_attempt_at, case when e.first_failure_at is not null then (
  select row_to_json(f)
  from (
    select a.ended_at as at, a.batch_id, a.number, a.outcome, a.status_code, a.error
    from webhook_batches b
    join webhook_attempts a on a.directory_id = b.directory_id and a.batch_id = b.id
    where b.directory_id = e.directory_id and b.endpoint_id = e.id and b.kind = 'live' and b.from_sequence > e.acked_sequence
      and a.outcome not in ('success', 'aborted', 'in_flight')
    order by a.ended_at desc
    limit 1
  ) f
) end as last_attempt_error, d.user_count, d.group_count, d.membership_count, d.resource_bytes, d.quotas, d.last_sequence,
  e.acked_sequence, (
  select total_bytes
  from stored_events
  where directory_id = d.id and sequence = d.last_sequence
) as event_bytes, case when e.acked_sequence < d.last_sequence then (
  select total_bytes - bytes
  from stored_events
  where directory_id = d.id and sequence = e.acked_sequence + 1
) end as delivered_bytes, (
  select total_bytes - bytes
  from stored_events
  where directory_id = d.id and sequence = d.swept_sequence + 1
) as swept_bytes, e.log_bytes, e.trimmed_log_bytes, d.outcome_bytes, d.trimmed_outcome_bytes, case when e.status = 'active'
  and e.url is null then 'no_webhook' when e.status = 'active' and e.first_failure_at is not null then 'failing' else e.status end as status,
  e.status_reason, e.last_success_at, p.last_push_at, p.last_error, p.secret_rejected_at, exists (
  select
  from attribute_schemas a
  cross join jsonb_array_elements(a.attributes) one
  where a.product = d.product and one ->> 'required' = 'true'
) as requires_attributes, case when d.group_count <= 1000 then (select coalesce(max(member_count), 0) from groups where directory_id = d.id) end as largest_group, case when d.membership_count <= 10000 then (
  select coalesce(max(groups), 0)
  from (
    select count(*) as groups
    from group_members
    where directory_id = d.id
    group by member_id
  ) of_each
) end as most_groups, (
  select count(*)
  from webhook_replays
  where endpoint_id = e.id and status = 'running'
) as replays, (
  select cast(sum(staged_bytes) as bigint)
  from sync_runs
  where directory_id = d.id and not is_cleared
) as staged_bytes, (
  select json_build_object('id', r.id, 'state', r.state, 'at', coalesce(r.finished_at, r.started_at, r.requested_at), 'error', r.error, 'last_success_at', (
    select max(finished_at)
    from sync_runs
    where directory_id = d.id and state = 'succeeded'
  ))
  from sync_runs r
  where r.directory_id = d.id
  order by r.requested_at desc
  limit 1
) as sync, (
  select json_agg(json_build_object('id', id, 'created_at', created_at, 'expires_at', expires_at, 'last_used_at', last_used_at) order by created_at desc)
  from scim_secrets s
  where s.directory_id = d.id and (s.expires_at is null or s.expires_at > clock_timestamp())
) as secrets
from directories d
join webhook_endpoints e on e.directory_id = d.id
left join directory_pushes p on p.directory_id = d.id
left join lateral (
  select id, state, finished_at
  from sync_runs
  where d.type in ('google', 'entra', 'csv') and directory_id = d.id and state in ('succeeded', 'failed', 'needs_confirmation')
  order by finished_at desc
  limit 1
) ended on true
left join lateral (
  select finished_at
  from sync_runs
  where d.type in ('google', 'entra', 'csv') and directory_id = d.id and state = 'succeeded'
  order by finished_at desc
  limit 1
) synced on true
where d.id = $1;
execute statement_19 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_20 as
update "webhook_endpoints"
set "status" = $1
where "directory_id" = $2;
execute statement_20 (
  /* $1 */ 'misconfigured',
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_21 as
select "tenant", "deactivated", "inactive_users", "inactive_users_upto", "revision", "google_authorization_version", "provider_account",
  "provider_account_unread", "quotas", "on_directory_delete", "removing_at"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_21 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_22 as
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
execute statement_22 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_23 as
update "directories"
set "name" = $1, "deactivated" = $2, "log_webhook_events" = $3, "quotas" = $4, "updated_at" = CURRENT_TIMESTAMP
where "id" = $5;
execute statement_23 (
  /* $1 */ 'A',
  /* $2 */ true,
  /* $3 */ true,
  /* $4 */ '{"users":1}',
  /* $5 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_24 as
select "id", "status"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_24 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_25 as
update "webhook_endpoints"
set "url" = $1, "sealed_url" = $2, "updated_at" = CURRENT_TIMESTAMP, "status" = $3, "status_reason" = $4, "first_failure_at" = $5,
  "starts" = $6
where "directory_id" = $7;
execute statement_25 (
  /* $1 */ 'receiver.acme.example',
  /* $2 */ 'A_SEALED_VALUE',
  /* $3 */ 'active',
  /* $4 */ null,
  /* $5 */ null,
  /* $6 */ 0,
  /* $7 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_26 as
select "secret"
from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2
order by "created_at" desc
limit $3;
execute statement_26 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_27 as
update "webhook_batches"
set "next_attempt_at" = CURRENT_TIMESTAMP, "failures" = $1
where "directory_id" = $2 and "status" = $3;
execute statement_27 (
  /* $1 */ 0,
  /* $2 */ '10000000-0000-0000-0000-000000000001',
  /* $3 */ 'pending'
);

prepare statement_28 as
update "webhook_endpoints"
set "legacy_signatures" = $1
where "directory_id" = $2;
execute statement_28 (
  /* $1 */ true,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_29 as
insert into audit_log(body)
values ($1);
execute statement_29 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000006","action":"directory.updated","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"acme","product":"app"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"name":{"from":"Acme","to":"A"},"deactivated":{"from":false,"to":true},"log_webhook_events":{"from":false,"to":true},"webhook_legacy_signatures":{"from":false,"to":true},"quotas":{"from":null,"to":{"users":1}}},"result":"success"}'
);

prepare statement_30 as
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
execute statement_30 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_31 as
select "tenant", "deactivated", "inactive_users", "inactive_users_upto", "revision", "google_authorization_version", "provider_account",
  "provider_account_unread", "quotas", "on_directory_delete", "removing_at"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_31 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_32 as
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
execute statement_32 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_33 as
update "directories"
set "quotas" = $1, "updated_at" = CURRENT_TIMESTAMP
where "id" = $2;
execute statement_33 (
  /* $1 */ null,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_34 as
select "id", "status"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_34 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_35 as
update "webhook_endpoints"
set "url" = $1, "sealed_url" = $2, "updated_at" = CURRENT_TIMESTAMP
where "directory_id" = $3;
execute statement_35 (
  /* $1 */ null,
  /* $2 */ null,
  /* $3 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_36 as
select "secret"
from "webhook_secrets"
where "directory_id" = $1 and "endpoint_id" = $2
order by "created_at" desc
limit $3;
execute statement_36 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ 1
);

prepare statement_37 as
delete from "webhook_secrets"
where "directory_id" = $1;
execute statement_37 (
  /* $1 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_38 as
insert into audit_log(body)
values ($1);
execute statement_38 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000007","action":"directory.updated","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"acme","product":"app"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":{"quotas":{"from":{"users":1},"to":null},"webhook_url":{"from":"https://receiver.acme.example","to":null},"webhook_secret":{"changed":true}},"result":"success"}'
);

prepare statement_39 as
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
execute statement_39 (
  /* $1 */ 1,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_40 as
select "revision", "deactivated", "on_directory_delete", "removing_at", "inactive_users", "inactive_users_upto"
from "directories"
where "id" = $1
limit $2;
execute statement_40 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_41 as
select "revision", "deactivated", "on_directory_delete", "removing_at", "inactive_users", "inactive_users_upto"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_41 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_42 as
select "id"
from "directories"
where "id" = $1
limit $2 for no key update;
execute statement_42 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_43 as
select "id"
from "webhook_endpoints"
where "directory_id" = $1
limit $2 for update;
execute statement_43 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_44 as
update "directories"
set "deleting_at" = CURRENT_TIMESTAMP, "batches_at" = $1
where "id" = $2;
execute statement_44 (
  /* $1 */ null,
  /* $2 */ '10000000-0000-0000-0000-000000000001'
);

prepare statement_45 as
select "id", "tenant", "product"
from "all_directories"
where "id" = $1
limit $2;
execute statement_45 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_46 as
insert into audit_log(body)
values ($1);
execute statement_46 (
  /* $1 */ '{"id":"10000000-0000-0000-0000-000000000008","action":"directory.deleted","occurred_at":"2026-01-01T00:00:00.000Z","actor":{"type":"service","id":"rollcall","name":"Rollcall"},"targets":[{"type":"directory","id":"10000000-0000-0000-0000-000000000001","tenant":"acme","product":"app"}],"context":{"location":null,"user_agent":null,"request_id":null},"changes":null,"result":"success"}'
);

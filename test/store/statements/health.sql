prepare statement_1 as
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
)) then 'failing' when e.url is not null and e.status = 'paused' then 'paused' when ((p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) and coalesce(case when d.type in ('google', 'entra', 'csv') then synced.finished_at else p.last_push_at end, d.created_at) < now() - interval '86400000 milliseconds' and not exists (
  select
  from stored_events s
  where s.directory_id = d.id and s.sequence = d.last_sequence and s.occurred_at >= now() - interval '86400000 milliseconds'
)) then 'stale' when not (p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) then 'waiting_for_first_push' else 'healthy' end as health_status,
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
where case when d.deactivated then 'deactivated' when e.url is not null and e.status in ('disabled', 'misconfigured') then 'disabled' when d.type in ('google', 'entra', 'csv')
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
)) then 'failing' when e.url is not null and e.status = 'paused' then 'paused' when ((p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) and coalesce(case when d.type in ('google', 'entra', 'csv') then synced.finished_at else p.last_push_at end, d.created_at) < now() - interval '86400000 milliseconds' and not exists (
  select
  from stored_events s
  where s.directory_id = d.id and s.sequence = d.last_sequence and s.occurred_at >= now() - interval '86400000 milliseconds'
)) then 'stale' when not (p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) then 'waiting_for_first_push' else 'healthy' end = any(cast($2 as text[]))
order by "d"."id" desc
limit $3;
execute statement_1 (
  /* $1 */ 1,
  /* $2 */ '{"failing","disabled","needs_authorization","needs_confirmation","paused","stale"}',
  /* $3 */ 11
);

prepare statement_2 as
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
)) then 'failing' when e.url is not null and e.status = 'paused' then 'paused' when ((p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) and coalesce(case when d.type in ('google', 'entra', 'csv') then synced.finished_at else p.last_push_at end, d.created_at) < now() - interval '86400000 milliseconds' and not exists (
  select
  from stored_events s
  where s.directory_id = d.id and s.sequence = d.last_sequence and s.occurred_at >= now() - interval '86400000 milliseconds'
)) then 'stale' when not (p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) then 'waiting_for_first_push' else 'healthy' end as health_status,
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
where (strpos(lower(d.name), lower($2)) > 0 or strpos(lower(d.tenant), lower($3)) > 0 or strpos(lower(d.product), lower($4)) > 0 or cast(d.id as text) = lower($5))
  and "d"."type" = $6
order by "d"."id" desc
limit $7;
execute statement_2 (
  /* $1 */ 1,
  /* $2 */ 'Acme',
  /* $3 */ 'Acme',
  /* $4 */ 'Acme',
  /* $5 */ 'Acme',
  /* $6 */ 'okta-scim-v2',
  /* $7 */ 11
);

prepare statement_3 as
with assessed as materialized (
  select d.id, d.name, d.tenant, d.product, d.type, e.id as endpoint_id, e.acked_sequence, e.status_reason, e.first_failure_at,
    case when e.url is null then 0 else d.last_sequence - e.acked_sequence end as backlog, case when d.deactivated then 'deactivated' when e.url is not null
    and e.status in ('disabled', 'misconfigured') then 'disabled' when d.type in ('google', 'entra', 'csv') and d.type <> 'csv'
    and (d.google_authorization_error is not null or coalesce(d.google_access_token, d.google_refresh_token, nullif(d.google_admin_email, ''), d.provider_account) is null) then 'needs_authorization' when ended.state = 'needs_confirmation'
    and not exists (
    select
    from sync_runs c
    where c.directory_id = d.id and c.confirms = ended.id and c.state in ('queued', 'running')
  ) then 'needs_confirmation' when case when e.status = 'active' and e.url is null then 'no_webhook' when e.status = 'active'
    and e.first_failure_at is not null then 'failing' else e.status end = 'failing' or (ended.state = 'failed' and not exists (
    select
    from sync_runs x
    where x.directory_id = d.id and x.error_code = 'refused' and x.finished_at > ended.finished_at
  )) then 'failing' when e.url is not null and e.status = 'paused' then 'paused' when ((p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) and coalesce(case when d.type in ('google', 'entra', 'csv') then synced.finished_at else p.last_push_at end, d.created_at) < now() - interval '86400000 milliseconds' and not exists (
    select
    from stored_events s
    where s.directory_id = d.id and s.sequence = d.last_sequence and s.occurred_at >= now() - interval '86400000 milliseconds'
  )) then 'stale' when not (p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) then 'waiting_for_first_push' else 'healthy' end as health_status,
    case when e.status = 'active' and e.url is null then 'no_webhook' when e.status = 'active' and e.first_failure_at is not null then 'failing' else e.status end as health_delivery_status
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
  where (cast($1 as text) is null or d.tenant = $2) and (cast($3 as text) is null or d.product = $4) and (cast($5 as uuid) is null or d.id = $6)
),
listed as (
  select *, row_number() over () as place
  from (
    select *
    from assessed
    where health_status in ('failing', 'disabled', 'needs_authorization', 'needs_confirmation', 'paused', 'stale')
    order by array_position(array['failing', 'disabled', 'needs_authorization', 'needs_confirmation', 'paused', 'stale'], health_status),
      first_failure_at nulls last, id
    limit 50
  ) first
)
select (
  select json_object_agg(health_status, directories)
  from (select health_status, count(*) as directories from assessed group by 1) c
) as by_health, (select coalesce(cast(sum(backlog) as float8), 0) from assessed) as events, (select cast(count(*) as float8) from assessed where backlog > 0) as directories, (
  select min(s.occurred_at)
  from assessed a
  join stored_events s on s.directory_id = a.id and s.sequence = a.acked_sequence + 1
  where a.backlog > 0
) as oldest_at, (
  select json_agg(row_to_json(l) order by l.place)
  from (
    select listed.id, listed.name, listed.tenant, listed.product, listed.type, listed.backlog, listed.status_reason, listed.place,
      listed.health_status, listed.health_delivery_status, e.first_failure_at, case when e.first_failure_at is null then 0 else e.consecutive_failures end as consecutive_failures,
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
    ) end as last_attempt_error
    from listed
    join webhook_endpoints e on e.directory_id = listed.id and e.id = listed.endpoint_id
  ) l
) as unhealthy;
execute statement_3 (
  /* $1 */ null,
  /* $2 */ null,
  /* $3 */ null,
  /* $4 */ null,
  /* $5 */ null,
  /* $6 */ null
);

select case when d.deactivated then 'deactivated' when e.url is not null and e.status in ('disabled', 'misconfigured') then 'disabled' when d.type in ('google', 'entra', 'csv')
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
)) then 'failing' when e.url is not null and e.status = 'paused' then 'paused' when ((p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) and coalesce(case when d.type in ('google', 'entra', 'csv') then synced.finished_at else p.last_push_at end, d.created_at) < now() - interval '86400000 milliseconds' and not exists (
  select
  from stored_events s
  where s.directory_id = d.id and s.sequence = d.last_sequence and s.occurred_at >= now() - interval '86400000 milliseconds'
)) then 'stale' when not (p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) then 'waiting_for_first_push' else 'healthy' end as status,
  cast(count(*) as float8) as directories
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
group by 1;

select d.id, d.tenant, d.product, case when d.deactivated then 'deactivated' when e.url is not null and e.status in ('disabled', 'misconfigured') then 'disabled' when d.type in ('google', 'entra', 'csv')
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
)) then 'failing' when e.url is not null and e.status = 'paused' then 'paused' when ((p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) and coalesce(case when d.type in ('google', 'entra', 'csv') then synced.finished_at else p.last_push_at end, d.created_at) < now() - interval '86400000 milliseconds' and not exists (
  select
  from stored_events s
  where s.directory_id = d.id and s.sequence = d.last_sequence and s.occurred_at >= now() - interval '86400000 milliseconds'
)) then 'stale' when not (p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) then 'waiting_for_first_push' else 'healthy' end as status,
  case when e.url is null then 0 else d.last_sequence - e.acked_sequence end as backlog
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
order by d.id desc
limit 20000;

delete from stale_directories
where directory_id in (
  select d.id
  from stale_directories o
  join directories d on d.id = o.directory_id
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
  where not ((p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) and coalesce(case when d.type in ('google', 'entra', 'csv') then synced.finished_at else p.last_push_at end, d.created_at) < now() - interval '86400000 milliseconds' and not exists (
    select
    from stored_events s
    where s.directory_id = d.id and s.sequence = d.last_sequence and s.occurred_at >= now() - interval '86400000 milliseconds'
  ))
);

prepare statement_7 as
with found as (
  select d.id, coalesce(synced.finished_at, p.last_push_at) as last_activity_at
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
  where case when d.deactivated then 'deactivated' when e.url is not null and e.status in ('disabled', 'misconfigured') then 'disabled' when d.type in ('google', 'entra', 'csv')
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
  )) then 'failing' when e.url is not null and e.status = 'paused' then 'paused' when ((p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) and coalesce(case when d.type in ('google', 'entra', 'csv') then synced.finished_at else p.last_push_at end, d.created_at) < now() - interval '86400000 milliseconds' and not exists (
    select
    from stored_events s
    where s.directory_id = d.id and s.sequence = d.last_sequence and s.occurred_at >= now() - interval '86400000 milliseconds'
  )) then 'stale' when not (p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0) then 'waiting_for_first_push' else 'healthy' end = 'stale'
    and not exists (select from stale_directories o where o.directory_id = d.id)
  limit $1
),
announced as (
  insert into stale_directories(directory_id)
  select id
  from found
  order by id
  on conflict do nothing
  returning directory_id
)
select announced.directory_id, found.last_activity_at
from announced
join found on found.id = announced.directory_id;
execute statement_7 (
  /* $1 */ 10
);

prepare statement_8 as
select "directory_id"
from "webhook_endpoints"
where first_failure_at is null and last_success_at > alerted_at
limit $1;
execute statement_8 (
  /* $1 */ 10
);

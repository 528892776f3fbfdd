import type { HealthFacts } from '../../directory/health/health-status.ts';
import { adviseOn, type HealthSummary } from '../../directory/health/health-status.ts';
import { pulledTypes } from '../../directory/directories/directory.ts';
import { reportedStatus } from '../deliveries/delivery-state.ts';
import type { FailingColumns } from '../deliveries/failing.ts';

/** Undefined: no directory is stale. */
export type StaleAfterMs = number | undefined;

/** The columns that `toHealthSummary` reads, of a query with `healthSources`. It reads `lastAttemptErrorColumn` too. */
export const healthColumns = (staleAfterMs: StaleAfterMs) =>
  `${healthStatusOf(staleAfterMs)} as health_status, ${reportedStatus} as health_delivery_status`;

export interface HealthColumns {
  health_status: HealthFacts['status'];
  health_delivery_status: HealthFacts['deliveryStatus'];
}

export const toHealthSummary = (
  row: HealthColumns & Pick<HealthFacts, 'type'> & Pick<FailingColumns, 'last_attempt_error'>,
): HealthSummary => ({
  status: row.health_status,
  advice: adviseOn({
    status: row.health_status,
    deliveryStatus: row.health_delivery_status,
    type: row.type,
    lastFailure: row.last_attempt_error
      ? { outcome: row.last_attempt_error.outcome, statusCode: row.last_attempt_error.status_code ?? undefined }
      : undefined,
  }),
});

const isPulled = `d.type in (${pulledTypes.map((type) => `'${type}'`).join(', ')})`;

/** Joins for a query of `directories d` and `webhook_endpoints e`. Only pulled directories have sync runs. */
export const healthSources = `left join directory_pushes p on p.directory_id = d.id
  left join lateral (
    select id, state, finished_at from sync_runs where ${isPulled} and directory_id = d.id and state in ('succeeded', 'failed', 'needs_confirmation')
    order by finished_at desc limit 1
  ) ended on true
  left join lateral (
    select finished_at from sync_runs where ${isPulled} and directory_id = d.id and state = 'succeeded' order by finished_at desc limit 1
  ) synced on true`;

/** `isAuthorized` of a connection. */
const needsAuthorization = `${isPulled} and d.type <> 'csv' and (d.google_authorization_error is not null
  or coalesce(d.google_access_token, d.google_refresh_token, nullif(d.google_admin_email, ''), d.provider_account) is null)`;

/** A run that confirms it is in progress. */
const isConfirmed = `exists (select from sync_runs c where c.directory_id = d.id and c.confirms = ended.id and c.state in ('queued', 'running'))`;

/** Somebody has refused the removals of a run after the failed one. */
const isOvertaken = `exists (select from sync_runs x where x.directory_id = d.id and x.error_code = 'refused' and x.finished_at > ended.finished_at)`;

/** Recorded requests are written late, users, groups and events with the push. */
const hasArrived = `(p.last_push_at is not null or synced.finished_at is not null or d.last_sequence > 0 or d.user_count > 0 or d.group_count > 0)`;

/** Nothing has come for this long. The newest event is read only if the recorded times are old or missing. */
export const isSilent = (staleAfterMs: StaleAfterMs) =>
  staleAfterMs === undefined
    ? 'false'
    : `(${hasArrived} and coalesce(case when ${isPulled} then synced.finished_at else p.last_push_at end, d.created_at) < ${cutoff(staleAfterMs)}
      and not exists (select from stored_events s where s.directory_id = d.id and s.sequence = d.last_sequence and s.occurred_at >= ${cutoff(staleAfterMs)}))`;

const cutoff = (staleAfterMs: number) => `now() - interval '${Math.round(staleAfterMs)} milliseconds'`;

/** In the order of `healthStatuses`. */
export const healthStatusOf = (staleAfterMs: StaleAfterMs) => `case
    when d.deactivated then 'deactivated'
    when e.url is not null and e.status in ('disabled', 'misconfigured') then 'disabled'
    when ${needsAuthorization} then 'needs_authorization'
    when ended.state = 'needs_confirmation' and not ${isConfirmed} then 'needs_confirmation'
    when ${reportedStatus} = 'failing' or (ended.state = 'failed' and not ${isOvertaken}) then 'failing'
    when e.url is not null and e.status = 'paused' then 'paused'
    when ${isSilent(staleAfterMs)} then 'stale'
    when not ${hasArrived} then 'waiting_for_first_push'
    else 'healthy'
  end`;

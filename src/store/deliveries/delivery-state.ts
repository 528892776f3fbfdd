import type { Knex } from 'knex';
import type { StoredDeliveryState } from '../../directory/delivery/delivery-control.ts';
import type { Backlog, ReportedStatus } from '../../directory/delivery/ports.ts';
import type { ReplayMode } from '../../directory/delivery/replays.ts';
import { toDisplayAddress } from '../../directory/delivery/webhook-settings.ts';
import { type LastErrorRow, lastErrorColumn, toAttemptId } from './failing.ts';
import { type AddressColumns, type SecretColumns, openAddress } from '../encryption/secret-columns.ts';

interface StateRow extends AddressColumns {
  status: ReportedStatus;
  status_reason: string | null;
  acked_sequence: number;
  last_sequence: number;
  oldest_pending_at: Date | null;
  first_failure_at: Date | null;
  consecutive_failures: number;
  last_success_at: Date | null;
  legacy_signatures: boolean | null;
  last_error: LastErrorRow | null;
  open: { id: string; status: 'pending' | 'exhausted'; attempts: number; failures: number; next_attempt_at: string } | null;
  secrets: { id: string; created_at: string; expires_at: string | null; last_used_at: string | null }[] | null;
  replay: { id: string; mode: ReplayMode; total: number; done: number } | null;
}

/** Reads everything in one statement, so that it is consistent. */
export async function readDeliveryState(db: Knex, secrets: SecretColumns, directoryId: string): Promise<StoredDeliveryState | undefined> {
  const { rows } = await db.raw<{ rows: StateRow[] }>(
    `select ${reportedStatus} as status, e.status_reason, e.url, e.sealed_url, e.acked_sequence, d.last_sequence, e.first_failure_at, e.consecutive_failures, e.last_success_at, e.legacy_signatures,
       (select occurred_at from stored_events where directory_id = :directoryId and sequence > e.acked_sequence order by sequence limit 1)
         as oldest_pending_at,
       (select row_to_json(o) from (
          select id, status, attempts, failures, next_attempt_at from webhook_batches b
          where b.directory_id = :directoryId and b.endpoint_id = e.id and b.kind = 'live' and b.status in ('pending', 'exhausted')
            and b.from_sequence > e.acked_sequence
          order by b.from_sequence limit 1
        ) o) as open,
       ${lastErrorColumn},
       (select json_agg(json_build_object('id', id, 'created_at', created_at, 'expires_at', expires_at, 'last_used_at', last_used_at)
          order by created_at desc) from webhook_secrets s
        where s.directory_id = :directoryId and s.endpoint_id = e.id and (s.expires_at is null or s.expires_at > clock_timestamp())) as secrets,
       (select row_to_json(r) from (
          select id, mode, total, done from webhook_replays
          where directory_id = :directoryId and endpoint_id = e.id and status = 'running' order by created_at limit 1
        ) r) as replay
     from directories d join webhook_endpoints e on e.directory_id = d.id where d.id = :directoryId`,
    { directoryId },
  );
  return rows[0] && toState(rows[0], openAddress(secrets, directoryId, rows[0]));
}

const toState = ({ open, last_error: lastError, secrets, replay, ...row }: StateRow, address: string | null): StoredDeliveryState => ({
  status: row.status,
  reason: row.status_reason ?? undefined,
  url: address === null ? undefined : toDisplayAddress(address),
  ackedSequence: row.acked_sequence,
  lastSequence: row.last_sequence,
  oldestPendingAt: row.oldest_pending_at ?? undefined,
  open: open
    ? {
        id: open.id,
        status: open.status,
        attempts: open.attempts,
        failures: open.failures,
        nextAttemptAt:
          open.status === 'pending' && (row.status === 'active' || row.status === 'failing') ? new Date(open.next_attempt_at) : undefined,
      }
    : undefined,
  lastError: lastError
    ? {
        at: new Date(lastError.at),
        outcome: lastError.outcome,
        statusCode: lastError.status_code ?? undefined,
        error: lastError.error ?? undefined,
        attemptId: toAttemptId(lastError),
      }
    : undefined,
  firstFailureAt: row.first_failure_at ?? undefined,
  consecutiveFailures: row.first_failure_at === null ? 0 : row.consecutive_failures,
  lastSuccessAt: row.last_success_at ?? undefined,
  legacySignatures: row.legacy_signatures ?? undefined,
  secrets: (secrets ?? []).map((secret) => ({
    id: secret.id,
    createdAt: new Date(secret.created_at),
    expiresAt: secret.expires_at === null ? undefined : new Date(secret.expires_at),
    lastUsedAt: secret.last_used_at === null ? undefined : new Date(secret.last_used_at),
  })),
  replay: replay ?? undefined,
});

/** The backlog of all directories that have a webhook. */
export const readBacklog = (db: Knex) => async (): Promise<Backlog> => {
  const { rows } = await db.raw<{ rows: { status: string; events: number; directories: number; oldest_seconds: number | null }[] }>(
    `select ${reportedStatus} as status, cast(sum(d.last_sequence - e.acked_sequence) as float8) as events, cast(count(*) as float8) as directories,
       cast(max(extract(epoch from clock_timestamp() - next.occurred_at)) as float8) as oldest_seconds
     from webhook_endpoints e
       join directories d on d.id = e.directory_id and d.last_sequence > e.acked_sequence
       left join stored_events next on next.directory_id = e.directory_id and next.sequence = e.acked_sequence + 1
     where e.url is not null
     group by 1`,
  );
  return {
    events: rows.reduce((sum, { events }) => sum + events, 0),
    directories: Object.fromEntries(rows.map(({ status, directories }) => [status, directories])),
    oldestSeconds: Math.max(0, ...rows.map((row) => row.oldest_seconds ?? 0)),
  };
};

/** The `ReportedStatus` of the endpoint `e`. A success, a resume and a corrected address clear `first_failure_at`. */
export const reportedStatus = `case
    when e.status = 'active' and e.url is null then 'no_webhook'
    when e.status = 'active' and e.first_failure_at is not null then 'failing'
    else e.status
  end`;

import type { Failing } from '../../directory/health/failing.ts';
import type { FailedOutcome } from '../../directory/delivery/ports.ts';

export interface LastErrorRow {
  at: string;
  batch_id: string;
  number: number;
  outcome: FailedOutcome;
  status_code: number | null;
  error: string | null;
}

/** The newest failed attempt of the endpoint `e`, while deliveries fail or because of which they stopped. */
export const lastErrorColumn = `case when e.first_failure_at is not null then (select row_to_json(f) from (
          select a.ended_at as at, a.batch_id, a.number, a.outcome, a.status_code, a.error
          from webhook_batches b join webhook_attempts a on a.directory_id = b.directory_id and a.batch_id = b.id
          where b.directory_id = e.directory_id and b.endpoint_id = e.id and b.kind = 'live' and b.from_sequence > e.acked_sequence
            and a.outcome not in ('success', 'aborted', 'in_flight')
          order by a.ended_at desc limit 1
        ) f) end as last_error`;

export const lastAttemptErrorColumn = lastErrorColumn.replace('as last_error', 'as last_attempt_error');

export interface FailingColumns {
  first_failure_at: Date | string | null;
  consecutive_failures: number;
  next_attempt_at: Date | string | null;
  last_attempt_error: LastErrorRow | null;
}

/** Columns of `webhook_endpoints e`. */
export const failingColumns = `e.first_failure_at,
  case when e.first_failure_at is null then 0 else e.consecutive_failures end as consecutive_failures,
  case when e.status = 'active' and e.url is not null and e.first_failure_at is not null then (
    select b.next_attempt_at from webhook_batches b
    where b.directory_id = e.directory_id and b.endpoint_id = e.id and b.kind = 'live' and b.status = 'pending' and b.from_sequence > e.acked_sequence
    order by b.from_sequence limit 1
  ) end as next_attempt_at,
  ${lastAttemptErrorColumn}`;

export const toFailing = (row: FailingColumns): Failing => ({
  failingSince: toDate(row.first_failure_at),
  consecutiveFailures: row.consecutive_failures,
  nextAttemptAt: toDate(row.next_attempt_at),
  lastError: row.last_attempt_error
    ? {
        at: new Date(row.last_attempt_error.at),
        message: row.last_attempt_error.error ?? undefined,
        statusCode: row.last_attempt_error.status_code ?? undefined,
        attemptId: toAttemptId(row.last_attempt_error),
      }
    : undefined,
});

export const toAttemptId = ({ batch_id: deliveryId, number }: Pick<LastErrorRow, 'batch_id' | 'number'>): string =>
  `${deliveryId}/${number}`;

/** Postgres sends a time inside of JSON as text. */
const toDate = (at: Date | string | null): Date | undefined => (at === null ? undefined : new Date(at));

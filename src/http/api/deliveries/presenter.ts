import type { DeliveryOfDirectory, LoggedDelivery, LoggedAttempt, DeliveryWithAttempts } from '../../../directory/delivery/delivery-log.ts';
import type { DeliveryState, SentTest } from '../../../directory/delivery/delivery-control.ts';
import { toDisplayAddress } from '../../../directory/delivery/webhook-settings.ts';
import type { Failing } from '../../../directory/health/failing.ts';
import { toTime } from '../schema-fields.ts';
import type {
  AttemptBody,
  DeliveryBody,
  DeliveryOfDirectoryBody,
  DeliveryStateBody,
  DeliveryWithAttemptsBody,
  SentTestBody,
} from './schemas.ts';
import type { AttemptDetails } from '../../../directory/delivery/ports.ts';

export const presentDelivery = (delivery: LoggedDelivery): DeliveryBody => ({
  id: delivery.id,
  directory_id: delivery.directoryId,
  kind: delivery.kind,
  replay_id: delivery.replayId ?? null,
  status: delivery.status,
  from_sequence: delivery.fromSequence,
  to_sequence: delivery.toSequence,
  event_count: delivery.eventCount,
  event_types: delivery.eventTypes,
  attempts: delivery.attempts,
  failures: delivery.failures,
  next_attempt_at: toTime(delivery.nextAttemptAt),
  bytes: delivery.bytes,
  sha256: delivery.bytes === 0 ? null : delivery.sha256,
  created_at: toTime(delivery.createdAt),
  first_attempt_at: toTime(delivery.firstAttemptAt),
  done_at: toTime(delivery.doneAt),
});

export const presentDeliveryOfDirectory = (delivery: DeliveryOfDirectory): DeliveryOfDirectoryBody => ({
  ...presentDelivery(delivery),
  directory: delivery.directory,
});

/** The body is the exact text that was sent: only that has the hash. */
export const presentDeliveryWithAttempts = (delivery: DeliveryWithAttempts): DeliveryWithAttemptsBody => ({
  ...presentDelivery(delivery),
  body: delivery.body ?? null,
  attempt_log: delivery.attemptLog.map(presentAttempt),
});

const presentAttempt = (attempt: LoggedAttempt): AttemptBody => ({
  number: attempt.number,
  trigger: attempt.trigger,
  outcome: attempt.outcome,
  status_code: attempt.statusCode ?? null,
  error: attempt.error ?? null,
  url: attempt.url,
  address: attempt.address ?? null,
  secret_ids: attempt.secretIds ?? null,
  request_headers: attempt.requestHeaders ?? null,
  ...presentResponse(attempt),
  timings: presentTimings(attempt.timings),
  started_at: toTime(attempt.startedAt),
  ended_at: toTime(attempt.endedAt),
});

const presentResponse = (response: Partial<Pick<AttemptDetails, 'responseHeaders' | 'responseBody' | 'responseTruncated'>>) => ({
  response_headers: response.responseHeaders ?? null,
  response_body: response.responseBody ?? null,
  response_truncated: response.responseTruncated ?? null,
});

const presentTimings = (timings: AttemptDetails['timings'] | undefined) =>
  timings
    ? {
        dns_ms: timings.dnsMs ?? null,
        connect_ms: timings.connectMs ?? null,
        first_byte_ms: timings.firstByteMs ?? null,
        total_ms: timings.totalMs,
      }
    : null;

export const presentDeliveryState = (state: DeliveryState): DeliveryStateBody => ({
  status: state.status,
  reason: state.reason ?? null,
  url: state.url ?? null,
  backlog: state.lastSequence - state.ackedSequence,
  acked_sequence: state.ackedSequence,
  last_sequence: state.lastSequence,
  oldest_pending_at: toTime(state.oldestPendingAt),
  open: state.open
    ? {
        id: state.open.id,
        status: state.open.status,
        attempts: state.open.attempts,
        failures: state.open.failures,
        next_attempt_at: toTime(state.open.nextAttemptAt),
      }
    : null,
  last_error: state.lastError
    ? {
        at: state.lastError.at.toISOString(),
        outcome: state.lastError.outcome,
        status_code: state.lastError.statusCode ?? null,
        error: state.lastError.error ?? null,
        attempt_id: state.lastError.attemptId,
      }
    : null,
  first_failure_at: toTime(state.firstFailureAt),
  failing_since: state.status === 'failing' ? toTime(state.firstFailureAt) : null,
  consecutive_failures: state.consecutiveFailures,
  next_attempt_at: state.status === 'failing' ? toTime(state.open?.nextAttemptAt) : null,
  last_success_at: toTime(state.lastSuccessAt),
  legacy_signatures: state.legacySignatures,
  secrets: state.secrets.map(({ id, createdAt, expiresAt, lastUsedAt }) => ({
    id,
    created_at: toTime(createdAt),
    expires_at: toTime(expiresAt),
    last_used_at: toTime(lastUsedAt),
  })),
  replay: state.replay ?? null,
});

export const presentFailing = ({ failingSince, consecutiveFailures, nextAttemptAt, lastError }: Failing) => ({
  failing_since: toTime(failingSince),
  consecutive_failures: consecutiveFailures,
  next_attempt_at: toTime(nextAttemptAt),
  last_error: lastError
    ? {
        at: lastError.at.toISOString(),
        message: lastError.message ?? null,
        status: lastError.statusCode ?? null,
        attempt_id: lastError.attemptId,
      }
    : null,
});

export const presentSentTest = ({ request, result }: SentTest): SentTestBody => ({
  id: request.id,
  url: toDisplayAddress(request.url),
  outcome: result.outcome,
  status_code: result.statusCode ?? null,
  error: result.error ?? null,
  address: result.details.address ?? null,
  request_headers: result.details.requestHeaders,
  request_body: request.body,
  ...presentResponse(result.details),
  timings: presentTimings(result.details.timings),
});

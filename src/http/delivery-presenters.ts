import type { Delivery, KeptAttempt, WebhookEvent, WholeDelivery } from '../directory/delivery/delivery-log.ts';
import type { Exchange } from '../directory/delivery/exchange.ts';
import type { DeliveryState, SentTest } from '../directory/delivery/operate-delivery.ts';
import type { Replay } from '../directory/delivery/replays.ts';
import { toDisplayAddress } from '../directory/webhook-address.ts';
import type { AttemptAnswer, DeliveryAnswer, SentTestAnswer, WebhookEventAnswer, WholeDeliveryAnswer } from './openapi/answers/delivery.ts';
import type { DeliveryStateAnswer } from './openapi/answers/delivery-state.ts';
import type { ReplayAnswer } from './openapi/answers/replay.ts';

const time = (at: Date | undefined) => at?.toISOString() ?? null;

/** What the ancestor says of an attempt that got no answer. */
const noAnswerStatus = 500;

export const presentWebhookEvent = ({ id, url, createdAt, statusCode, delivered, body }: WebhookEvent): WebhookEventAnswer => ({
  id,
  webhook_endpoint: url,
  created_at: time(createdAt),
  status_code: statusCode ?? noAnswerStatus,
  delivered,
  payload: body === undefined ? null : (JSON.parse(body) as unknown),
});

export const presentDelivery = (delivery: Delivery): DeliveryAnswer => ({
  id: delivery.id,
  directory_id: delivery.directoryId,
  kind: delivery.kind,
  replay_id: delivery.replayId ?? null,
  status: delivery.status,
  from_sequence: delivery.fromSequence,
  to_sequence: delivery.toSequence,
  event_count: delivery.eventCount,
  attempts: delivery.attempts,
  failures: delivery.failures,
  next_attempt_at: time(delivery.nextAttemptAt),
  bytes: delivery.bytes,
  sha256: delivery.bytes === 0 ? null : delivery.sha256,
  created_at: time(delivery.createdAt),
  first_attempt_at: time(delivery.firstAttemptAt),
  done_at: time(delivery.doneAt),
});

/** Its body is the very text that was sent: only that has the hash. */
export const presentWholeDelivery = (delivery: WholeDelivery): WholeDeliveryAnswer => ({
  ...presentDelivery(delivery),
  body: delivery.body ?? null,
  attempt_log: delivery.attemptLog.map(presentAttempt),
});

const presentAttempt = (attempt: KeptAttempt): AttemptAnswer => ({
  number: attempt.number,
  trigger: attempt.trigger,
  outcome: attempt.outcome,
  status_code: attempt.statusCode ?? null,
  error: attempt.error ?? null,
  url: attempt.url,
  address: attempt.address ?? null,
  secret_ids: attempt.secretIds ?? null,
  request_headers: attempt.requestHeaders ?? null,
  ...presentAnswer(attempt),
  timings: presentTimings(attempt.timings),
  started_at: time(attempt.startedAt),
  ended_at: time(attempt.endedAt),
});

const presentAnswer = (answer: Partial<Pick<Exchange, 'responseHeaders' | 'responseBody' | 'responseTruncated'>>) => ({
  response_headers: answer.responseHeaders ?? null,
  response_body: answer.responseBody ?? null,
  response_truncated: answer.responseTruncated ?? null,
});

const presentTimings = (timings: Exchange['timings'] | undefined) =>
  timings
    ? {
        dns_ms: timings.dnsMs ?? null,
        connect_ms: timings.connectMs ?? null,
        first_byte_ms: timings.firstByteMs ?? null,
        total_ms: timings.totalMs,
      }
    : null;

export const presentReplay = (replay: Replay): ReplayAnswer => ({
  id: replay.id,
  directory_id: replay.directoryId,
  mode: replay.mode,
  ranges: replay.ranges,
  status: replay.status,
  reason: replay.reason ?? null,
  total: replay.total,
  done: replay.done,
  created_at: time(replay.createdAt),
  finished_at: time(replay.finishedAt),
});

export const presentDeliveryState = (state: DeliveryState): DeliveryStateAnswer => ({
  status: state.status,
  reason: state.reason ?? null,
  url: state.url ?? null,
  backlog: state.lastSequence - state.ackedSequence,
  acked_sequence: state.ackedSequence,
  last_sequence: state.lastSequence,
  oldest_pending_at: time(state.oldestPendingAt),
  open: state.open
    ? {
        id: state.open.id,
        status: state.open.status,
        attempts: state.open.attempts,
        failures: state.open.failures,
        next_attempt_at: time(state.open.nextAttemptAt),
      }
    : null,
  first_failure_at: time(state.firstFailureAt),
  last_success_at: time(state.lastSuccessAt),
  legacy_signatures: state.legacySignatures,
  secrets: state.secrets.map(({ id, createdAt, expiresAt, lastUsedAt }) => ({
    id,
    created_at: time(createdAt),
    expires_at: time(expiresAt),
    last_used_at: time(lastUsedAt),
  })),
  replay: state.replay ?? null,
});

export const presentSentTest = ({ request, result }: SentTest): SentTestAnswer => ({
  id: request.id,
  url: toDisplayAddress(request.url),
  outcome: result.outcome,
  status_code: result.statusCode ?? null,
  error: result.error ?? null,
  address: result.exchange.address ?? null,
  request_headers: result.exchange.requestHeaders,
  request_body: request.body,
  ...presentAnswer(result.exchange),
  timings: presentTimings(result.exchange.timings),
});

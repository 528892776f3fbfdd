import type { Attempt, Failure, SendResult } from './ports.ts';

export interface RetryPolicy {
  /** Delays after the first, second, … failure. The schedule is exhausted after one more. */
  retryDelaysMs: number[];
  random?: () => number;
}

const gone = 410;
const contentTooLarge = 413;
/** The receiver rejects the content, and would do so again. */
const contentErrors = new Set([400, contentTooLarge, 422]);
/** The receiver is overloaded: it gets smaller batches. */
const overloadErrors = new Set([429, 502, 503, 504]);
const contentErrorsUntilSplit = 3;
const maxRetryAfterMs = 24 * 3_600_000;

/** Decides what follows a failed attempt: a retry, smaller batches, or the end of the delivery. */
export function decideRetry(attempt: Attempt, result: SendResult, policy: RetryPolicy): Failure {
  const { delivery, failures, clientErrors } = attempt;
  const { outcome, statusCode = 0, error = 'it failed' } = result;
  // Rollcall stopped: not a failure of the receiver.
  if (outcome === 'aborted') return { kind: 'retry', delayMs: 0, counts: false, clientError: false };
  if (delivery.kind === 'replay') {
    if (outcome === 'blocked' || statusCode === gone) return { kind: 'give-up', reason: error };
  } else {
    if (outcome === 'blocked') return { kind: 'disable', status: 'misconfigured', reason: error, exhausted: false };
    if (statusCode === gone)
      return { kind: 'disable', status: 'disabled', reason: 'The receiver responded with 410 Gone.', exhausted: false };
    if (mustSplit(attempt, statusCode)) return { kind: 'split', batchLimit: Math.ceil(delivery.eventCount / 2) };
  }
  const delayMs = policy.retryDelaysMs[failures];
  if (delayMs === undefined) {
    const reason = `The retry schedule is exhausted after ${failures + 1} attempts; the last error: ${error}`;
    return delivery.kind === 'live' ? { kind: 'disable', status: 'disabled', reason, exhausted: true } : { kind: 'give-up', reason };
  }
  return {
    kind: 'retry',
    delayMs: Math.max(jitter(delayMs, policy.random), Math.min(result.retryAfterMs ?? 0, maxRetryAfterMs)),
    counts: true,
    clientError: contentErrors.has(statusCode),
    ...(overloadErrors.has(statusCode) && delivery.kind === 'live' && { batchLimit: Math.max(1, Math.floor(delivery.eventCount / 2)) }),
  };

  function mustSplit({ delivery: { eventCount, suspect } }: Attempt, status: number): boolean {
    if (eventCount === 1 || !contentErrors.has(status)) return false;
    return suspect || status === contentTooLarge || clientErrors + 1 >= contentErrorsUntilSplit;
  }
}

/** Plus or minus 20 %, so that endpoints that failed together are not retried together. */
const jitter = (delayMs: number, random: () => number = Math.random) => Math.round(delayMs * (0.8 + 0.4 * random()));

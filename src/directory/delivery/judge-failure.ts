import type { SendResult } from './exchange.ts';
import type { Attempt, Failure } from './ports.ts';

export interface RetryPolicy {
  /** The wait after the first, second, … failure. After one more the schedule is exhausted. */
  retryDelaysMs: number[];
  random?: () => number;
}

const gone = 410;
const tooLarge = 413;
/** The content is at fault, and will be the next time. */
const refusals = new Set([400, tooLarge, 422]);
/** The receiver is overcharged, and asks for less. */
const overcharged = new Set([429, 502, 503, 504]);
const refusalsUntilSplit = 3;
const longestAskedMs = 24 * 3_600_000;

/** What becomes of an attempt that failed. */
export function judgeFailure(attempt: Attempt, result: SendResult, policy: RetryPolicy): Failure {
  const { batch, failures, clientErrors } = attempt;
  const { outcome, statusCode = 0, error = 'it failed' } = result;
  // Our own stopping is no failure of the receiver.
  if (outcome === 'aborted') return { kind: 'retry', delayMs: 0, counts: false, clientError: false };
  if (batch.kind === 'replay') {
    if (outcome === 'blocked' || statusCode === gone) return { kind: 'give-up', reason: error };
  } else {
    if (outcome === 'blocked') return { kind: 'disable', status: 'misconfigured', reason: error, exhausted: false };
    if (statusCode === gone)
      return { kind: 'disable', status: 'disabled', reason: 'The endpoint answered 410: it is gone for good.', exhausted: false };
    if (mustSplit(attempt, statusCode)) return { kind: 'split', batchLimit: Math.ceil(batch.eventCount / 2) };
  }
  const waitMs = policy.retryDelaysMs[failures];
  if (waitMs === undefined) {
    const reason = `The schedule is exhausted after ${failures + 1} attempts; the last one: ${error}`;
    return batch.kind === 'live' ? { kind: 'disable', status: 'disabled', reason, exhausted: true } : { kind: 'give-up', reason };
  }
  return {
    kind: 'retry',
    delayMs: Math.max(jitter(waitMs, policy.random), Math.min(result.retryAfterMs ?? 0, longestAskedMs)),
    counts: true,
    clientError: refusals.has(statusCode),
    ...(overcharged.has(statusCode) && batch.kind === 'live' && { batchLimit: Math.max(1, Math.floor(batch.eventCount / 2)) }),
  };

  function mustSplit({ batch: { eventCount, suspect } }: Attempt, status: number): boolean {
    if (eventCount === 1 || !refusals.has(status)) return false;
    return suspect || status === tooLarge || clientErrors + 1 >= refusalsUntilSplit;
  }
}

/** A fifth more or less, so that endpoints that failed together do not come back together. */
const jitter = (delayMs: number, random: () => number = Math.random) => Math.round(delayMs * (0.8 + 0.4 * random()));

import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';

const firstWaitMs = 200;

/**
 * The retry policy of an activity. A worker that died is no reason to wait, however often it happened: Temporal knows of it only after the
 * heartbeat timeout, and then tries at once. Failures wait longer and longer, because the activity's worker says so (below).
 */
export const retryUpTo = (longestWaitMs: number) => ({
  initialInterval: firstWaitMs,
  backoffCoefficient: 1,
  maximumInterval: longestWaitMs,
});

/** Says with each failure how long to wait for the next attempt: twice as long as before, up to what the activity's policy allows. */
export function createRetryInterceptors({ info }: Context): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          throw withWait(error, info);
        }
      },
    },
  };
}

function withWait(error: unknown, { attempt, retryPolicy }: Context['info']): unknown {
  const longestWaitMs = retryPolicy?.backoffCoefficient === 1 ? retryPolicy.maximumInterval : undefined;
  if (!(error instanceof ApplicationFailure) || error.nextRetryDelay !== undefined || typeof longestWaitMs !== 'number') return error;
  const { message, type, nonRetryable, details, cause } = error;
  const nextRetryDelay = Math.min(firstWaitMs * 2 ** Math.min(attempt - 1, 20), longestWaitMs);
  return ApplicationFailure.create({
    message,
    nextRetryDelay,
    ...(type != null && { type }),
    ...(nonRetryable != null && { nonRetryable }),
    ...(details != null && { details }),
    ...(cause && { cause }),
  });
}

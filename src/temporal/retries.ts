import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { firstWaitMs } from './timeouts.ts';

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

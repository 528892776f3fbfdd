import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { type ActivityInput, type ActivityResult, findRejection, isEnvelopeFor } from './activity-envelope.ts';
import { firstWaitMs } from './timeouts.ts';

/** An activity runs only for an input that a workflow of Rollcall sealed for it, in the run that asks for it now. */
export function createEnvelopeInterceptors({ info }: Context): ActivityInterceptors {
  const address = { runId: info.workflowExecution?.runId ?? '', activityType: info.activityType };
  return {
    inbound: {
      async execute(input, next) {
        const [envelope] = input.args;
        const reason = findRejection(envelope);
        if (reason !== undefined) throw rejected(reason);
        if (!info.inWorkflow || !isEnvelopeFor(envelope, address)) throw rejected('The input belongs to another activity.');
        const result: unknown = await next({ ...input, args: (envelope as ActivityInput).args });
        return { ...address, result } satisfies ActivityResult;
      },
    },
  };
}

const rejected = (reason: string) => ApplicationFailure.nonRetryable(reason, 'RejectedPayload');

/** Each failure sets the delay of the next attempt: twice the delay before, up to the maximum of the activity's retry policy. */
export function createRetryInterceptors({ info }: Context): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          throw withRetryDelay(error, info);
        }
      },
    },
  };
}

function withRetryDelay(error: unknown, { attempt, retryPolicy }: Context['info']): unknown {
  const maxDelayMs = retryPolicy?.backoffCoefficient === 1 ? retryPolicy.maximumInterval : undefined;
  if (!(error instanceof ApplicationFailure) || error.nextRetryDelay !== undefined || typeof maxDelayMs !== 'number') return error;
  const { message, type, nonRetryable, details, cause } = error;
  const nextRetryDelay = Math.min(firstWaitMs * 2 ** Math.min(attempt - 1, 20), maxDelayMs);
  return ApplicationFailure.create({
    message,
    nextRetryDelay,
    ...(type != null && { type }),
    ...(nonRetryable != null && { nonRetryable }),
    ...(details != null && { details }),
    ...(cause && { cause }),
  });
}

import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { isFor, type ActivityInput, type ActivityResult } from './activity-envelope.ts';
import { findRejection } from './rejected-payload.ts';

/** An activity runs only for an input that a workflow of ours sealed for it, in the run that asks for it now. */
export function createActivityInterceptors({ info }: Context): ActivityInterceptors {
  const address = { runId: info.workflowExecution?.runId ?? '', activityType: info.activityType };
  return {
    inbound: {
      async execute(input, next) {
        const [envelope] = input.args;
        const reason = findRejection(envelope);
        if (reason !== undefined) throw rejected(reason);
        if (!info.inWorkflow || !isFor(envelope, address)) throw rejected('The input belongs to another activity.');
        const result: unknown = await next({ ...input, args: (envelope as ActivityInput).args });
        return { ...address, result } satisfies ActivityResult;
      },
    },
  };
}

const rejected = (reason: string) => ApplicationFailure.nonRetryable(reason, 'RejectedPayload');

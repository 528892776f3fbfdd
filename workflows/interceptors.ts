import { ApplicationFailure, log, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { type ActivityInput, type ActivityResult, findRejection, isEnvelopeFor } from '../src/temporal/activity-envelope.ts';
import { isIdOfType } from '../src/temporal/names.ts';

/**
 * Rejects an input, a message or a result that was not sealed for the workflow. An invalid input or activity result fails the workflow,
 * because it can't continue without; a signal is ignored, and an update or a query fails.
 */
export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      async execute(input, next) {
        const { workflowId, workflowType } = workflowInfo();
        if (!isIdOfType(workflowId, workflowType)) throw rejected(`A workflow of type ${workflowType} must not have this ID.`);
        assertAccepted(input.args);
        return next(input);
      },
      async handleSignal(input, next) {
        const reason = firstRejection(input.args);
        if (reason === undefined) return next(input);
        log.warn('a signal was ignored', { signal: input.signalName, reason });
      },
      async handleUpdate(input, next) {
        assertAccepted(input.args);
        return next(input);
      },
      async handleQuery(input, next) {
        assertAccepted(input.args);
        return next(input);
      },
    },
  ],
  outbound: [
    {
      // Not async: the SDK does some work for each promise of a workflow.
      scheduleActivity: (input, next) => next({ ...input, args: wrapInput(input) }).then(openResult(input)),
      scheduleLocalActivity: (input, next) => next({ ...input, args: wrapInput(input) }).then(openResult(input)),
    },
  ],
});

function wrapInput({ activityType, args }: { activityType: string; args: unknown[] }): [ActivityInput] {
  return [{ runId: workflowInfo().runId, activityType, args }];
}

function openResult({ activityType }: { activityType: string }): (value: unknown) => unknown {
  return (value) => {
    assertAccepted([value]);
    const { runId } = workflowInfo();
    if (!isEnvelopeFor(value, { runId, activityType })) throw rejected('The result belongs to another activity.');
    return (value as ActivityResult).result;
  };
}

function assertAccepted(values: unknown[]): void {
  const reason = firstRejection(values);
  if (reason !== undefined) throw rejected(reason);
}

function firstRejection(values: unknown[]): string | undefined {
  for (const value of values) {
    const reason = findRejection(value);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

const rejected = (reason: string) => ApplicationFailure.nonRetryable(reason, 'RejectedPayload');

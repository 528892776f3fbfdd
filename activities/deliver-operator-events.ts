import { Context } from '@temporalio/activity';
import { deliverOperatorEvents as deliver, type DeliverOperatorEventsDeps } from '../src/directory/operator/deliver-operator-events.ts';
import type { Logger } from '../src/logger.ts';
import { toFailure } from './failures.ts';

export interface OperatorActivityDeps extends DeliverOperatorEventsDeps {
  webhookTimeoutMs: number;
  log: Logger;
}

export const createDeliverOperatorEvents = ({ log, webhookTimeoutMs, ...deps }: OperatorActivityDeps) =>
  async function deliverOperatorEvents(): Promise<{ retryInMs: number } | 'done'> {
    const { cancellationSignal: signal } = Context.current();
    try {
      return await deliver(
        {
          ...deps,
          onGivenUp: ({ id, attempts }, reason) =>
            log.error({ id, attempts: attempts + 1, reason }, 'an event for the operator is given up'),
        },
        { signal, timeoutMs: webhookTimeoutMs },
      );
    } catch (error) {
      throw toFailure(error, log);
    }
  };

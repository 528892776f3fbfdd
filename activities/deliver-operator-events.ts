import { Context } from '@temporalio/activity';
import { drainOperatorEvents, type DrainOperatorEventsDeps } from '../src/directory/operator/drain-operator-events.ts';
import type { Logger } from '../src/logger.ts';
import { toFailure } from './to-failure.ts';

export interface OperatorActivityDeps extends DrainOperatorEventsDeps {
  webhookTimeoutMs: number;
  log: Logger;
}

export type OperatorDelivered = { kind: 'done' } | { kind: 'retry'; delayMs: number };

export const createDeliverOperatorEvents =
  ({ log, webhookTimeoutMs, ...deps }: OperatorActivityDeps) =>
  async (): Promise<OperatorDelivered> => {
    const { cancellationSignal: signal } = Context.current();
    try {
      const drained = await drainOperatorEvents(
        {
          ...deps,
          onGivenUp: ({ id, attempts }, reason) =>
            log.error({ id, attempts: attempts + 1, reason }, 'an event for the operator is given up'),
        },
        { signal, timeoutMs: webhookTimeoutMs },
      );
      return drained === 'done' ? { kind: 'done' } : { kind: 'retry', delayMs: drained.retryInMs };
    } catch (error) {
      throw toFailure(error, log);
    }
  };

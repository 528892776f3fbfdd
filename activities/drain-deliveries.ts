import { Context } from '@temporalio/activity';
import { drainDeliveries as drain, type Drained, type DrainDeps } from '../src/directory/drain-deliveries.ts';
import type { Attempt, SendResult } from '../src/directory/ports.ts';
import type { Logger } from '../src/logger.ts';
import { toFailure } from './failures.ts';

/** After this a busy directory gives its place to the others and queues again. */
const budgetMs = 20_000;

export interface DrainDeliveriesDeps extends DrainDeps {
  webhookTimeoutMs: number;
  log: Logger;
}

/** What became of it, and the heartbeat time-out that this worker's exchanges want of the next one. */
export type DrainedRound = Drained & { heartbeatTimeoutMs: number };

export const createDrainDeliveries = ({ log, webhookTimeoutMs, ...deps }: DrainDeliveriesDeps) =>
  async function drainDeliveries(directoryId: string): Promise<DrainedRound> {
    const { cancellationSignal: signal, heartbeat, info } = Context.current();
    // A successor starts when no beat was heard for that long: our exchange must be over by then, whatever is configured here.
    const timeoutMs = Math.min(webhookTimeoutMs, (info.heartbeatTimeoutMs ?? Infinity) / 2);
    try {
      const drained = await drain({ ...deps, onAttempt }, directoryId, { beat: () => heartbeat(), signal, budgetMs, timeoutMs });
      return { ...drained, heartbeatTimeoutMs: webhookTimeoutMs * 2 };
    } catch (error) {
      throw toFailure(error, log);
    }

    function onAttempt({ batch, number }: Attempt, { outcome, error, statusCode }: SendResult, retryDelayMs: number) {
      const about = { directoryId, webhookId: batch.id, attempt: number, outcome, statusCode };
      if (outcome !== 'success')
        log.warn({ ...about, reason: error, retryInSeconds: Math.round(retryDelayMs / 1000) }, 'a webhook was not delivered');
      else if (number > 1) log.info(about, 'a webhook was delivered after all');
    }
  };

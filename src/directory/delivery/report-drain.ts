import type { Logger } from '../../logger.ts';
import type { DrainDeps } from './drain-deliveries.ts';
import type { Delivery, Failure, SendOutcome } from './ports.ts';

export interface DrainReportDeps {
  metrics: {
    attempt(of: { outcome: SendOutcome; kind: Delivery['kind']; events: number; occurredAt: Date }): void;
  };
  log: Logger;
  wakeOperatorSoon(): void;
}

/** Logs and counts the attempts of a drain, and has events for the operator sent at once: a drain may go on for long. */
export function reportDrain(
  { metrics, log, wakeOperatorSoon }: DrainReportDeps,
  directoryId: string,
): Required<Pick<DrainDeps, 'onAlerted' | 'onConcluded' | 'onDisabled'>> {
  return {
    onAlerted: wakeOperatorSoon,

    onConcluded({ delivery, number }, { outcome, error, statusCode }, failure) {
      metrics.attempt({ outcome, kind: delivery.kind, events: delivery.eventCount, occurredAt: delivery.occurredAt });
      const about = { directoryId, webhookId: delivery.id, attempt: number, outcome, statusCode };
      if (failure) log.warn({ ...about, reason: error, ...describe(failure) }, 'a webhook was not delivered');
      else if (number > 1) log.info(about, 'a webhook was delivered by a retry');
    },

    onDisabled(reason) {
      log.error({ directoryId, reason }, 'a delivery was disabled');
      wakeOperatorSoon();
    },
  };
}

const describe = (failure: Failure) =>
  failure.kind === 'retry' ? { retryInSeconds: Math.round(failure.delayMs / 1000) } : { verdict: failure.kind };

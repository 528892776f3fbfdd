import type { Logger } from '../../logger.ts';
import type { DrainDeps } from './drain-deliveries.ts';
import type { Delivery, Failure, SendOutcome } from './ports.ts';

export interface DrainReportDeps {
  metrics: {
    attempt(of: { outcome: SendOutcome; kind: Delivery['kind']; events: number; occurredAt: Date }): void;
  };
  log: Logger;
}

/** Logs and counts the attempts of a drain. `isDisabled`: the drain disabled the delivery, which the operator is told. */
export function reportDrain(
  { metrics, log }: DrainReportDeps,
  directoryId: string,
): Required<Pick<DrainDeps, 'onConcluded' | 'onDisabled'>> & { isDisabled(): boolean } {
  let isDisabled = false;
  return {
    isDisabled: () => isDisabled,

    onConcluded({ delivery, number }, { outcome, error, statusCode }, failure) {
      metrics.attempt({ outcome, kind: delivery.kind, events: delivery.eventCount, occurredAt: delivery.occurredAt });
      isDisabled ||= failure?.kind === 'disable';
      const about = { directoryId, webhookId: delivery.id, attempt: number, outcome, statusCode };
      if (failure) log.warn({ ...about, reason: error, ...describe(failure) }, 'a webhook was not delivered');
      else if (number > 1) log.info(about, 'a webhook was delivered by a retry');
    },

    onDisabled(reason) {
      isDisabled = true;
      log.error({ directoryId, reason }, 'a delivery was disabled');
    },
  };
}

const describe = (failure: Failure) =>
  failure.kind === 'retry' ? { retryInSeconds: Math.round(failure.delayMs / 1000) } : { verdict: failure.kind };

import { Context } from '@temporalio/activity';
import { drainDeliveries, type Drained, type DrainDeps } from '../src/directory/delivery/drain-deliveries.ts';
import type { Attempt, DeliveryStore, Failure, SendResult } from '../src/directory/delivery/ports.ts';
import type { Logger } from '../src/logger.ts';
import type { Metrics } from '../src/metrics.ts';
import type { WakeDelivery } from '../src/directory/ports.ts';
import { type DrainOperatorEventsDeps, drainOperatorEvents } from '../src/directory/operator/drain-operator-events.ts';

/** The part of the activity's time that is kept for the statements before and after the last attempt. */
const marginMs = 20_000;

export interface DeliverEventsDeps extends DrainDeps {
  webhookTimeoutMs: number;
  metrics: Metrics;
  wakeOperatorSoon(): void;
  log: Logger;
}

export const createDeliverEvents = ({ log, metrics, wakeOperatorSoon, webhookTimeoutMs, ...deps }: DeliverEventsDeps) =>
  async function deliverEvents(directoryId: string): Promise<Drained> {
    const { cancellationSignal: signal, info } = Context.current();
    let isDisabled = false;
    const drained = await drainDeliveries({ ...deps, onConcluded, onDisabled }, directoryId, {
      activityId: info.activityId,
      signal,
      budgetMs: info.startToCloseTimeoutMs - webhookTimeoutMs - marginMs,
      timeoutMs: webhookTimeoutMs,
    });
    if (isDisabled) wakeOperatorSoon();
    return drained;

    function onConcluded({ delivery, number }: Attempt, { outcome, error, statusCode }: SendResult, failure: Failure | undefined) {
      metrics.attempt({ outcome, kind: delivery.kind, events: delivery.eventCount, occurredAt: delivery.occurredAt });
      isDisabled ||= failure?.kind === 'disable';
      const about = { directoryId, webhookId: delivery.id, attempt: number, outcome, statusCode };
      if (failure) log.warn({ ...about, reason: error, ...describe(failure) }, 'a webhook was not delivered');
      else if (number > 1) log.info(about, 'a webhook was delivered by a retry');
    }

    function onDisabled(reason: string) {
      isDisabled = true;
      log.error({ directoryId, reason }, 'a delivery was disabled');
    }
  };

const describe = (failure: Failure) =>
  failure.kind === 'retry' ? { retryInSeconds: Math.round(failure.delayMs / 1000) } : { verdict: failure.kind };

interface WakeDeliveriesDeps {
  deliveries: Pick<DeliveryStore, 'wakeBacklogs'>;
  wakeDelivery: WakeDelivery;
  metrics: Metrics;
}

const directoriesPerRound = 200;

export const createWakeDeliveries = ({ wakeDelivery, metrics }: Omit<WakeDeliveriesDeps, 'deliveries'>) =>
  async function wakeDeliveries(directoryIds: string[]): Promise<void> {
    await Promise.all(directoryIds.map(wakeDelivery));
    metrics.woken('change', directoryIds.length);
  };

/** Wakes these deliveries, then all others with pending events. After a crash it continues, and the sweep wakes what is in between. */
export const createWakeDeliveriesWithBacklog = ({ deliveries, wakeDelivery, metrics }: WakeDeliveriesDeps) =>
  async function wakeDeliveriesWithBacklog(directoryIds: string[]): Promise<void> {
    await Promise.all(directoryIds.map(wakeDelivery));
    metrics.woken('request', directoryIds.length);
    for (let woken = directoriesPerRound; woken === directoriesPerRound;) {
      const found = await deliveries.wakeBacklogs(directoriesPerRound);
      await Promise.all(found.map(wakeDelivery));
      woken = found.length;
      metrics.woken('request', found.length);
    }
  };

export interface OperatorActivityDeps extends DrainOperatorEventsDeps {
  webhookTimeoutMs: number;
  log: Logger;
}

type OperatorDelivered = { kind: 'done' } | { kind: 'retry'; delayMs: number };

export const createDeliverOperatorEvents =
  ({ log, webhookTimeoutMs, ...deps }: OperatorActivityDeps) =>
  async (): Promise<OperatorDelivered> => {
    const { cancellationSignal: signal } = Context.current();
    const drained = await drainOperatorEvents(
      {
        ...deps,
        onGivenUp: ({ id, attempts }, reason) => log.error({ id, attempts: attempts + 1, reason }, 'an event for the operator is given up'),
      },
      { signal, timeoutMs: webhookTimeoutMs },
    );
    return drained === 'done' ? { kind: 'done' } : { kind: 'retry', delayMs: drained.retryInMs };
  };

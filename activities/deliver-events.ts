import { Context } from '@temporalio/activity';
import { drainDeliveries, type Drained, type DrainDeps } from '../src/directory/delivery/drain-deliveries.ts';
import type { DeliveryStore } from '../src/directory/delivery/ports.ts';
import { reportDrain } from '../src/directory/delivery/report-drain.ts';
import { wakeBacklogs } from '../src/directory/delivery/wake-backlogs.ts';
import type { Logger } from '../src/logger.ts';
import type { Metrics } from '../src/metrics.ts';
import type { WakeDelivery } from '../src/directory/ports.ts';
import { type DrainOperatorEventsDeps, drainOperatorEvents, logGivenUp } from '../src/directory/operator/drain-operator-events.ts';

/** Reserved for the statements before and after the last attempt. */
const marginMs = 20_000;

export interface DeliverEventsDeps extends DrainDeps {
  webhookTimeoutMs: number;
  metrics: Metrics;
  wakeOperatorSoon(): void;
  /** Waits until Temporal can accept a result, or until `signal` aborts. */
  untilReachable(signal: AbortSignal): Promise<void>;
  log: Logger;
}

export const createDeliverEvents = ({ log, metrics, wakeOperatorSoon, untilReachable, webhookTimeoutMs, ...deps }: DeliverEventsDeps) =>
  async function deliverEvents(directoryId: string): Promise<Drained> {
    const { cancellationSignal: signal, info } = Context.current();
    const report = reportDrain({ log, metrics, wakeOperatorSoon }, directoryId);
    const drained = await drainDeliveries({ ...deps, ...report }, directoryId, {
      activityId: info.activityId,
      signal,
      budgetMs: info.startToCloseTimeoutMs - webhookTimeoutMs - marginMs,
      timeoutMs: webhookTimeoutMs,
    });
    // Its heartbeat timeout is long: if the result were lost in an outage of Temporal, the directory would wait for the sweep.
    await untilReachable(signal);
    return drained;
  };

interface WakeDeliveriesDeps {
  deliveries: Pick<DeliveryStore, 'wakeBacklogs'>;
  wakeDelivery: WakeDelivery;
  metrics: Metrics;
}

export const createWakeDeliveries = ({ wakeDelivery, metrics }: Omit<WakeDeliveriesDeps, 'deliveries'>) =>
  async function wakeDeliveries(directoryIds: string[]): Promise<void> {
    await Promise.all(directoryIds.map(wakeDelivery));
    metrics.woken('change', directoryIds.length);
  };

export const createWakeDeliveriesWithBacklog = (deps: WakeDeliveriesDeps) => (directoryIds: string[]) => wakeBacklogs(deps, directoryIds);

export interface OperatorActivityDeps extends DrainOperatorEventsDeps {
  webhookTimeoutMs: number;
  log: Logger;
}

type OperatorDelivered = { kind: 'done' } | { kind: 'retry'; delayMs: number };

export const createDeliverOperatorEvents =
  ({ log, webhookTimeoutMs, ...deps }: OperatorActivityDeps) =>
  async (): Promise<OperatorDelivered> => {
    const { cancellationSignal: signal } = Context.current();
    const drained = await drainOperatorEvents({ ...deps, onGivenUp: logGivenUp(log) }, { signal, timeoutMs: webhookTimeoutMs });
    return drained === 'done' ? { kind: 'done' } : { kind: 'retry', delayMs: drained.retryInMs };
  };

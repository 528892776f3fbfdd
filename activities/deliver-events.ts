import { Context } from '@temporalio/activity';
import { drainDeliveries, type Drained, type DrainDeps } from '../src/directory/delivery/drain-deliveries.ts';
import type { DeliveryStore } from '../src/directory/delivery/ports.ts';
import { reportDrain } from '../src/directory/delivery/report-drain.ts';
import { wakeBacklogs } from '../src/directory/delivery/wake-backlogs.ts';
import type { Logger } from '../src/logger.ts';
import type { Metrics } from '../src/metrics.ts';
import { toFailure } from './to-failure.ts';
import type { WakeDelivery } from '../src/directory/ports.ts';
import { type DrainOperatorEventsDeps, drainOperatorEvents, logGivenUp } from '../src/directory/operator/drain-operator-events.ts';

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
    const report = reportDrain({ log, metrics }, directoryId);
    try {
      const drained = await drainDeliveries({ ...deps, ...report }, directoryId, {
        activityId: info.activityId,
        signal,
        budgetMs: info.startToCloseTimeoutMs - webhookTimeoutMs - marginMs,
        timeoutMs: webhookTimeoutMs,
      });
      if (report.isDisabled()) wakeOperatorSoon();
      return drained;
    } catch (error) {
      throw toFailure(error, log);
    }
  };

interface WakeDeliveriesDeps {
  deliveries: Pick<DeliveryStore, 'wakeBacklogs'>;
  wakeDelivery: WakeDelivery;
  metrics: Metrics;
  log: Logger;
}

export const createWakeDeliveries = ({ wakeDelivery, metrics, log }: Omit<WakeDeliveriesDeps, 'deliveries'>) =>
  async function wakeDeliveries(directoryIds: string[]): Promise<void> {
    try {
      await Promise.all(directoryIds.map(wakeDelivery));
      metrics.woken('change', directoryIds.length);
    } catch (error) {
      throw toFailure(error, log);
    }
  };

export const createWakeDeliveriesWithBacklog = ({ log, ...deps }: WakeDeliveriesDeps) =>
  async function wakeDeliveriesWithBacklog(directoryIds: string[]): Promise<void> {
    try {
      await wakeBacklogs(deps, directoryIds);
    } catch (error) {
      throw toFailure(error, log);
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
    try {
      const drained = await drainOperatorEvents({ ...deps, onGivenUp: logGivenUp(log) }, { signal, timeoutMs: webhookTimeoutMs });
      return drained === 'done' ? { kind: 'done' } : { kind: 'retry', delayMs: drained.retryInMs };
    } catch (error) {
      throw toFailure(error, log);
    }
  };

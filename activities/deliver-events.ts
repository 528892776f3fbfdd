import { Context } from '@temporalio/activity';
import { drainDeliveries, type Drained, type DrainDeps } from '../src/directory/delivery/drain-deliveries.ts';
import type { DeliveryStore } from '../src/directory/delivery/ports.ts';
import { reportDrain } from '../src/directory/delivery/report-drain.ts';
import { wakeBacklogs } from '../src/directory/delivery/wake-backlogs.ts';
import type { Logger } from '../src/logger.ts';
import { raceTimeout } from '../src/shared/timeout.ts';
import type { Metrics } from '../src/metrics.ts';
import type { WakeDelivery } from '../src/directory/ports.ts';
import { type DrainOperatorEventsDeps, drainOperatorEvents, logGivenUp } from '../src/directory/operator/drain-operator-events.ts';

/** The part of the activity's time that is kept for the statements before and after the last attempt. */
const marginMs = 20_000;

export interface DeliverEventsDeps extends DrainDeps {
  webhookTimeoutMs: number;
  metrics: Metrics;
  wakeOperatorSoon(): void;
  log: Logger;
  /** Aborted when this process stops. */
  stopping: AbortSignal;
}

/** How long a batch may take in its workflow task, which occupies one of a few places. */
const taskMs = 300;
/** Longer than it takes to start an activity. */
const keptMs = 60_000;
const activityMs = 3_600_000;

export function createDeliveryActivities({ log, metrics, wakeOperatorSoon, webhookTimeoutMs, stopping, ...deps }: DeliverEventsDeps) {
  /** Drains that began in a workflow task and continue as an activity. */
  const begun = new Map<string, { drained: Promise<Drained>; ending: AbortController }>();
  return { deliverEvents, beginBatch };

  async function deliverEvents(directoryId: string): Promise<Drained> {
    const { cancellationSignal: signal, info } = Context.current();
    const taken = take(directoryId, info.activityId);
    if (!taken) return drain(directoryId, info.activityId, signal);
    const end = () => taken.ending.abort();
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    return taken.drained;
  }

  /** Returns `more` if `deliverEvents` with this ID must continue: here, it takes over the drain; elsewhere, it takes over the lane. */
  async function beginBatch(directoryId: string, activityId: string): Promise<Drained> {
    const ending = new AbortController();
    const end = () => ending.abort();
    if (stopping.aborted) return { kind: 'more' };
    stopping.addEventListener('abort', end);
    const drained = drain(directoryId, activityId, ending.signal).finally(() => stopping.removeEventListener('abort', end));
    const first = await raceTimeout(taskMs, drained, undefined).catch((): Drained => ({ kind: 'more' }));
    if (first) return first;
    begun.set(toKey(directoryId, activityId), { drained, ending });
    setTimeout(() => take(directoryId, activityId)?.ending.abort(), keptMs).unref();
    return { kind: 'more' };
  }

  function take(directoryId: string, activityId: string) {
    const key = toKey(directoryId, activityId);
    const taken = begun.get(key);
    begun.delete(key);
    return taken;
  }

  async function drain(directoryId: string, activityId: string, signal: AbortSignal): Promise<Drained> {
    const report = reportDrain({ log, metrics }, directoryId);
    const drained = await drainDeliveries({ ...deps, ...report }, directoryId, {
      activityId,
      signal,
      budgetMs: activityMs - webhookTimeoutMs - marginMs,
      timeoutMs: webhookTimeoutMs,
    });
    if (report.isDisabled()) wakeOperatorSoon();
    return drained;
  }
}

const toKey = (directoryId: string, activityId: string) => `${directoryId}:${activityId}`;

interface WakeDeliveriesDeps {
  deliveries: Pick<DeliveryStore, 'wakeBacklogs'>;
  wakeDelivery: WakeDelivery;
  /** The same in batch mode. */
  wakeForBatch: WakeDelivery;
  batchSize: number | undefined;
  metrics: Metrics;
}

export const createWakeDeliveries = ({ wakeDelivery, metrics }: Pick<WakeDeliveriesDeps, 'wakeDelivery' | 'metrics'>) =>
  async function wakeDeliveries(directoryIds: string[]): Promise<void> {
    await Promise.all(directoryIds.map(wakeDelivery));
    metrics.woken('change', directoryIds.length);
  };

export const createWakeDeliveriesWithBacklog =
  ({ wakeDelivery, wakeForBatch, batchSize, ...deps }: WakeDeliveriesDeps) =>
  (directoryIds: string[]) =>
    wakeBacklogs({ ...deps, wakeDelivery: batchSize === undefined ? wakeDelivery : wakeForBatch }, directoryIds);

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

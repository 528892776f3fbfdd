import { Context } from '@temporalio/activity';
import { drainDeliveries, type Drained, type DrainDeps } from '../src/directory/delivery/drain-deliveries.ts';
import type { Attempt, DeliveryStore, Failure, SendResult } from '../src/directory/delivery/ports.ts';
import type { Logger } from '../src/logger.ts';
import { raceTimeout } from '../src/shared/timeout.ts';
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
    let isDisabled = false;
    const drained = await drainDeliveries({ ...deps, onConcluded, onDisabled }, directoryId, {
      activityId,
      signal,
      budgetMs: activityMs - webhookTimeoutMs - marginMs,
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
  }
}

const toKey = (directoryId: string, activityId: string) => `${directoryId}:${activityId}`;

const describe = (failure: Failure) =>
  failure.kind === 'retry' ? { retryInSeconds: Math.round(failure.delayMs / 1000) } : { verdict: failure.kind };

interface WakeDeliveriesDeps {
  deliveries: Pick<DeliveryStore, 'wakeBacklogs'>;
  wakeDelivery: WakeDelivery;
  /** The same in batch mode. */
  wakeForBatch: WakeDelivery;
  batchSize: number | undefined;
  metrics: Metrics;
}

const directoriesPerRound = 200;

export const createWakeDeliveries = ({ wakeDelivery, metrics }: Pick<WakeDeliveriesDeps, 'wakeDelivery' | 'metrics'>) =>
  async function wakeDeliveries(directoryIds: string[]): Promise<void> {
    await Promise.all(directoryIds.map(wakeDelivery));
    metrics.woken('change', directoryIds.length);
  };

/** Wakes these deliveries, then all others with pending events. After a crash it continues, and the sweep wakes what is in between. */
export const createWakeDeliveriesWithBacklog = ({ deliveries, wakeDelivery, wakeForBatch, batchSize, metrics }: WakeDeliveriesDeps) =>
  async function wakeDeliveriesWithBacklog(directoryIds: string[]): Promise<void> {
    const wake = batchSize === undefined ? wakeDelivery : wakeForBatch;
    await Promise.all(directoryIds.map(wake));
    metrics.woken('request', directoryIds.length);
    for (let woken = directoriesPerRound; woken === directoriesPerRound;) {
      const found = await deliveries.wakeBacklogs(directoriesPerRound);
      await Promise.all(found.map(wake));
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

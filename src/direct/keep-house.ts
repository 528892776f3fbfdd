import { retain } from '../directory/delivery/retain.ts';
import type { RetentionStore } from '../directory/delivery/retention.ts';
import { sweep, type SweepDeps } from '../directory/sweep.ts';
import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

export interface KeepHouseDeps extends Omit<SweepDeps, 'deliveries' | 'wakeDelivery' | 'operatorEvents' | 'wakeOperator'> {
  retention: RetentionStore;
  /** Unset: for ever. */
  keepLogsMs: number | undefined;
  /** Events of directories without a webhook that are older count as read, if somebody wants that; then the logs' time holds for them. */
  dropEventsAfterMs: number | undefined;
  passOverOld(keptMs: number): Promise<void>;
  log: Logger;
}

const sweepEveryMs = 60_000;
const retainEveryMs = 3_600_000;

/** Takes up what a process died over, and drops what is kept for a time only: now, and then again and again. */
export function keepHouse({ retention, passOverOld, keepLogsMs, dropEventsAfterMs, log, ...deps }: KeepHouseDeps): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const { signal } = stopping;
  const beginnings = [again(sweepUp, sweepEveryMs), again(letGo, retainEveryMs)];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(beginnings.map((stop) => stop()));
    },
  };

  /** A round that takes longer than the time between two is not overtaken. An application that has nothing else to do may end. */
  function again(tidy: () => Promise<void>, everyMs: number): () => Promise<void> {
    let round: Promise<void> | undefined;
    const begin = () => {
      round ??= tidy()
        .catch((error: Error) => log.warn({ error: toLoggableMessage(error) }, 'could not keep house; trying again'))
        .finally(() => (round = undefined));
    };
    const timer = setInterval(begin, everyMs).unref();
    begin();
    return async () => {
      clearInterval(timer);
      await round;
    };
  }

  async function sweepUp(): Promise<void> {
    await sweep({
      ...deps,
      deliveries: { findForgotten: () => Promise.resolve([]) },
      wakeDelivery: () => Promise.resolve(),
      operatorEvents: { first: () => Promise.resolve(undefined), dropUndelivered: () => Promise.resolve(0) },
      wakeOperator: () => Promise.resolve(),
    });
  }

  async function letGo(): Promise<void> {
    if (dropEventsAfterMs !== undefined) await passOverOld(dropEventsAfterMs);
    if (keepLogsMs !== undefined) await retain(retention, keepLogsMs, { signal });
  }
}

import { retain } from '../directory/delivery/retain.ts';
import type { RetentionStore } from '../directory/delivery/retention.ts';
import { sweep, type SweepDeps } from '../directory/sweep.ts';
import type { Logger } from '../logger.ts';

export interface KeepHouseDeps extends Omit<SweepDeps, 'deliveries' | 'wakeDelivery' | 'operatorEvents' | 'wakeOperator'> {
  retention: RetentionStore;
  /** What is old enough, and waits for no webhook, is no longer kept. */
  passOverOld(keptMs: number): Promise<void>;
  /** Unset: for ever. */
  keepLogsMs: number | undefined;
  everyMs?: number;
  log: Logger;
}

/** Takes up what a process died over, and drops what is kept for a time only: now, and then again and again. */
export function keepHouse({ retention, passOverOld, keepLogsMs, everyMs = 60_000, log, ...deps }: KeepHouseDeps): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const { signal } = stopping;
  let round = Promise.resolve();
  const timer = setInterval(begin, everyMs);
  // An application that has nothing else to do may end.
  timer.unref();
  begin();
  return {
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await round;
    },
  };

  function begin() {
    round = round.then(tidy).catch((error: Error) => log.warn({ error: error.message }, 'could not keep house; trying again'));
  }

  async function tidy(): Promise<void> {
    if (signal.aborted) return;
    await sweep({
      ...deps,
      deliveries: { findForgotten: () => Promise.resolve([]) },
      wakeDelivery: () => Promise.resolve(),
      operatorEvents: { first: () => Promise.resolve(undefined) },
      wakeOperator: () => Promise.resolve(),
    });
    if (keepLogsMs === undefined || signal.aborted) return;
    await passOverOld(keepLogsMs);
    await retain(retention, keepLogsMs, { beat: () => undefined, signal });
  }
}

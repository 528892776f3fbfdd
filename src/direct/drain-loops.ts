import { setTimeout as sleep } from 'node:timers/promises';
import type { Drained } from '../directory/delivery/drain-deliveries.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import { createSemaphore } from '../shared/semaphore.ts';
import { waitAtMost } from '../shared/timeout.ts';
import type { Logger } from '../logger.ts';

export interface DrainLoops {
  /** Returns immediately. It is safe to call this more often than needed. */
  wake(key: string): Promise<void>;
  /** True once nothing is in flight for the key in this process; false if that takes too long. */
  untilIdle(key: string): Promise<boolean>;
  /** Interrupts everything. Postgres has what is left. */
  stop(): Promise<void>;
}

interface DrainLoopsDeps {
  drain(key: string, signal: AbortSignal): Promise<Drained>;
  /** The others wait in order. */
  maxDrains: number;
  log: Logger;
  /** Delays after our own servers failed. */
  retryMs?: number;
  maxRetryMs?: number;
  idleTimeoutMs?: number;
}

interface Loop {
  isWoken: boolean;
  /** The drain in progress. */
  draining: Promise<unknown>;
  /** Ends the wait for a retry. */
  waiting: AbortController;
  done: Promise<void>;
}

/** Does in this process what the workflow `eventDelivery` does with Temporal: it drains what is due, one drain at a time for each key. */
export function createDrainLoops({
  drain,
  maxDrains,
  log,
  retryMs = 200,
  maxRetryMs = 5_000,
  idleTimeoutMs = 9_000,
}: DrainLoopsDeps): DrainLoops {
  const loops = new Map<string, Loop>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const semaphore = createSemaphore(maxDrains);
  /** Since the last drain that did not fail. */
  let hasFailed = false;

  return {
    wake(key) {
      const loop = loops.get(key);
      if (loop) {
        loop.isWoken = true;
        loop.waiting.abort('woken');
      } else if (!signal.aborted) {
        const started: Loop = { isWoken: true, draining: Promise.resolve(), waiting: new AbortController(), done: Promise.resolve() };
        loops.set(key, started);
        started.done = run(key, started);
      }
      return Promise.resolve();
    },

    untilIdle: (key) => waitAtMost(idleTimeoutMs, loops.get(key)?.draining ?? Promise.resolve()),

    async stop() {
      stopping.abort('stopped');
      for (const loop of loops.values()) loop.waiting.abort('stopped');
      await Promise.all([...loops.values()].map(({ done }) => done));
    },
  };

  async function run(key: string, loop: Loop): Promise<void> {
    for (let failures = 0; ;) {
      const drained = await semaphore.run(() => {
        loop.isWoken = false;
        const draining = drainOnce(key);
        loop.draining = draining;
        return draining;
      });
      failures = drained === 'failed' ? failures + 1 : 0;
      if (signal.aborted) break;
      const waitMs = drained === 'failed' ? Math.min(retryMs * 2 ** (failures - 1), maxRetryMs) : toWaitMs(drained);
      // Nothing runs between this check and the end of the loop, so no wake is lost.
      if (waitMs === undefined && !loop.isWoken) break;
      if (waitMs && (drained === 'failed' || !loop.isWoken)) await wait(loop, waitMs);
    }
    loops.delete(key);
  }

  async function drainOnce(key: string): Promise<Drained | 'failed'> {
    if (signal.aborted) return { kind: 'more' };
    try {
      const drained = await drain(key, signal);
      hasFailed = false;
      return drained;
    } catch (error) {
      // Once per outage, in which all drains fail again and again.
      if (!hasFailed) log.warn({ directoryId: key, error: toLoggableMessage(error) }, 'a delivery was interrupted; resuming it');
      hasFailed = true;
      return 'failed';
    }
  }

  /** A wait does not keep the process alive. */
  async function wait(loop: Loop, waitMs: number): Promise<void> {
    loop.waiting = new AbortController();
    await sleep(waitMs, undefined, { signal: loop.waiting.signal, ref: false }).catch(() => undefined);
  }
}

/** Undefined: nothing is due until the next wake. */
function toWaitMs(drained: Drained): number | undefined {
  switch (drained.kind) {
    case 'more':
      return 0;
    case 'retry':
      return drained.delayMs;
    case 'drained':
    case 'inactive':
    case 'gone':
      return undefined;
  }
}

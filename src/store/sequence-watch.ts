import type { Knex } from 'knex';
import type { SequenceWatch } from '../directory/delivery/ports.ts';
import { readLastSequences } from './event-feed/last-sequences.ts';

interface Waiter {
  after: number;
  /** With the directory's last sequence, unless nothing came. */
  wake(lastSequence: number | undefined): void;
}

/** How long an event that another process wrote may lie before it is seen. */
const tickMs = 25;

/** One question for all who wait, a few times a second, and only while somebody does; at once after a hint. A process that stops waits no longer. */
export function createSequenceWatch(db: Knex, stopping?: AbortSignal): SequenceWatch {
  const waiting = new Map<string, Set<Waiter>>();
  stopping?.addEventListener('abort', () => {
    for (const waiter of [...waiting.values()].flatMap((waiters) => [...waiters])) waiter.wake(undefined);
  });
  let ticking = false;
  let lookAtOnce: (() => void) | undefined;

  return {
    waitFor: (directoryId, after, { timeoutMs, signal }) =>
      new Promise((resolve) => {
        if (signal.aborted || stopping?.aborted) return resolve(undefined);
        const waiters = waiting.get(directoryId) ?? new Set();
        waiting.set(directoryId, waiters);
        const waiter: Waiter = {
          after,
          wake(lastSequence) {
            clearTimeout(timer);
            signal.removeEventListener('abort', stop);
            waiters.delete(waiter);
            if (waiters.size === 0 && waiting.get(directoryId) === waiters) waiting.delete(directoryId);
            resolve(lastSequence);
          },
        };
        const stop = () => waiter.wake(undefined);
        const timer = setTimeout(stop, timeoutMs);
        signal.addEventListener('abort', stop);
        waiters.add(waiter);
        if (!ticking) void tick();
      }),

    hint(directoryId) {
      if (waiting.has(directoryId)) lookAtOnce?.();
    },
  };

  async function tick() {
    ticking = true;
    while (waiting.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, tickMs);
        lookAtOnce = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      await look();
    }
    ticking = false;
  }

  /** What it tells is committed: nobody is sent to look for what is not there. */
  async function look() {
    try {
      for (const [id, last] of await readLastSequences(db, [...waiting.keys()])) {
        for (const waiter of waiting.get(id) ?? []) if (last > waiter.after) waiter.wake(last);
      }
    } catch {
      // Whoever waits has a time, and then asks the database itself.
    }
  }
}

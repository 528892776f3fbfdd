import type { Knex } from 'knex';
import type { SequenceWatch } from '../directory/delivery/ports.ts';
import { prepared } from './prepared.ts';

interface Waiter {
  after: number;
  wake(isThere: boolean): void;
}

/** How long an event that another process wrote may lie before it is seen. */
const tickMs = 25;

/** One question for all who wait, a few times a second, and only while somebody does. */
export function createSequenceWatch(db: Knex): SequenceWatch {
  const waiting = new Map<string, Set<Waiter>>();
  let ticking = false;

  return {
    waitFor: (directoryId, after, { timeoutMs, signal }) =>
      new Promise((resolve) => {
        const waiters = waiting.get(directoryId) ?? new Set();
        waiting.set(directoryId, waiters);
        const waiter: Waiter = {
          after,
          wake(isThere) {
            clearTimeout(timer);
            signal.removeEventListener('abort', stop);
            waiters.delete(waiter);
            if (waiters.size === 0 && waiting.get(directoryId) === waiters) waiting.delete(directoryId);
            resolve(isThere);
          },
        };
        const stop = () => waiter.wake(false);
        const timer = setTimeout(stop, timeoutMs);
        signal.addEventListener('abort', stop);
        waiters.add(waiter);
        if (!ticking) void tick();
      }),

    hint(directoryId) {
      for (const waiter of waiting.get(directoryId) ?? []) waiter.wake(true);
    },
  };

  async function tick() {
    ticking = true;
    while (waiting.size > 0) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, tickMs));
    }
    ticking = false;
  }

  async function look() {
    try {
      const rows = await db('directories')
        .whereRaw('id = any(?)', [[...waiting.keys()]])
        .select<{ id: string; last_sequence: number }[]>('id', 'last_sequence')
        .options(prepared('sequence-watch'));
      for (const { id, last_sequence: last } of rows) {
        for (const waiter of waiting.get(id) ?? []) if (last > waiter.after) waiter.wake(true);
      }
    } catch {
      // Whoever waits has a time, and then asks the database itself.
    }
  }
}

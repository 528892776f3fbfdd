import type { Knex } from 'knex';
import type { SequenceWatch } from '../../directory/delivery/ports.ts';
import { runPrepared } from '../sql/run-prepared.ts';

interface Waiter {
  after: number;
  /** Called with the directory's last sequence, or undefined if there is no new event. */
  wake(lastSequence: number | undefined): void;
}

/** How long it takes at most to notice an event that another process wrote. */
const pollMs = 25;
/** With many directories the poll is slower, so that it reads at most 4,000 rows a second. Changes in this process give a hint. */
const pollMsPerDirectory = 0.25;

/**
 * Polls the last sequences, running replays and delivery states of all waiting directories with one query. A hint triggers a query
 * immediately. Waits end when the process stops.
 */
export function createSequenceWatch(db: Knex, stopping?: AbortSignal): SequenceWatch {
  const waiting = new Map<string, Set<Waiter>>();
  stopping?.addEventListener('abort', () => {
    for (const waiter of [...waiting.values()].flatMap((waiters) => [...waiters])) waiter.wake(undefined);
  });
  let isPolling = false;
  let pollNow: (() => void) | undefined;

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
        if (!isPolling) void poll();
      }),

    hint(directoryId) {
      if (waiting.has(directoryId)) pollNow?.();
    },
  };

  async function poll() {
    isPolling = true;
    while (waiting.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(pollMs, waiting.size * pollMsPerDirectory));
        pollNow = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      await wakeWaiters();
    }
    isPolling = false;
  }

  /** Only committed sequences wake a waiter. */
  async function wakeWaiters() {
    try {
      const ids = [...waiting.keys()];
      const watched = new Map((await readWatched(db, ids)).map((row) => [row.id, row]));
      for (const id of ids) {
        const { last_sequence: last, is_active: isActive, has_replay: hasReplay } = watched.get(id) ?? gone;
        for (const waiter of waiting.get(id) ?? []) {
          if (!isActive) waiter.wake(undefined);
          else if (last > waiter.after) waiter.wake(last);
          else if (hasReplay) waiter.wake(undefined);
        }
      }
    } catch {
      // Each waiter has a timeout, after which it reads the database itself.
    }
  }
}

const gone = { last_sequence: 0, has_replay: false, is_active: false };

const readWatched = (db: Knex, directoryIds: string[]) =>
  runPrepared<{ id: string } & typeof gone>(
    db,
    'watched-directories',
    () => `select d.id, d.last_sequence, d.id in (select directory_id from webhook_replays where status = 'running') as has_replay,
         e.status = 'active' and e.url is not null as is_active
       from directories d join webhook_endpoints e on e.directory_id = d.id
       where d.id = any(cast(:directoryIds as uuid[]))`,
    { directoryIds },
  );

import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { SequenceWatch } from '../../directory/delivery/ports.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { cancelAfter } from '../sql/statement-scope.ts';

type Seen = number | 'ended' | undefined;

interface Waiter {
  after: number;
  /** Called with the directory's last sequence, with `ended`, or with undefined after the timeout. */
  wake(seen: Seen): void;
}

/** How long it takes at most to notice an event that another process wrote. */
const pollMs = 25;
/** With many directories the poll is slower, so that it looks at most at 4,000 directories a second. Changes in this process give a hint. */
const pollMsPerDirectory = 0.25;
/** After this the query runs again, on another connection: that of the first one may have gone silent. */
const readTimeoutMs = 1_000;

/**
 * Polls the last sequences, running replays and delivery states of all waiting directories with one query. Directories with a hint are read
 * immediately, together. Waits end when the process stops.
 */
export function createSequenceWatch(db: Knex, stopping?: AbortSignal): SequenceWatch {
  const waiting = new Map<string, Set<Waiter>>();
  const hinted = new Set<string>();
  let isPolling = false;
  let isReadingHinted = false;
  stopping?.addEventListener('abort', () => {
    for (const waiter of [...waiting.values()].flatMap((waiters) => [...waiters])) waiter.wake(undefined);
  });

  return {
    waitFor: (directoryId, after, { timeoutMs, signal }) =>
      new Promise((resolve) => {
        if (signal.aborted || stopping?.aborted) return resolve(undefined);
        const waiters = waiting.get(directoryId) ?? new Set();
        waiting.set(directoryId, waiters);
        const waiter: Waiter = {
          after,
          wake(seen) {
            clearTimeout(timer);
            signal.removeEventListener('abort', stop);
            waiters.delete(waiter);
            if (waiters.size === 0 && waiting.get(directoryId) === waiters) waiting.delete(directoryId);
            resolve(seen);
          },
        };
        const stop = () => waiter.wake(undefined);
        const timer = setTimeout(stop, timeoutMs);
        signal.addEventListener('abort', stop);
        waiters.add(waiter);
        if (!isPolling) void poll();
      }),

    hint(directoryId) {
      if (!waiting.has(directoryId)) return;
      hinted.add(directoryId);
      if (!isReadingHinted) void readHinted();
    },
  };

  async function poll() {
    isPolling = true;
    while (waiting.size > 0) {
      await sleep(Math.max(pollMs, waiting.size * pollMsPerDirectory));
      await wakeWaiters([...waiting.keys()]);
    }
    isPolling = false;
  }

  async function readHinted() {
    isReadingHinted = true;
    while (hinted.size > 0) {
      // Directories of the same group of changes are read together.
      await new Promise(setImmediate);
      const ids = [...hinted];
      hinted.clear();
      await wakeWaiters(ids);
    }
    isReadingHinted = false;
  }

  /** Only committed sequences wake a waiter. */
  async function wakeWaiters(ids: string[]) {
    const watched = ids.flatMap((id) => {
      const waiters = waiting.get(id);
      return waiters ? [{ id, after: Math.min(...[...waiters].map(({ after }) => after)) }] : [];
    });
    if (watched.length === 0) return;
    try {
      for (const { id, last, hasReplay, hasEnded } of await cancelAfter(readTimeoutMs, () => readChanged(db, watched))) {
        for (const waiter of waiting.get(id) ?? []) {
          if (!hasEnded && last > waiter.after) waiter.wake(last);
          else if (hasEnded || hasReplay) waiter.wake('ended');
        }
      }
    } catch {
      // The next poll reads again.
    }
  }
}

/** Of these directories, those whose waiters must wake. `hasEnded`: nothing can be delivered, or another process lowered the wake flag. */
const readChanged = (db: Knex, watched: { id: string; after: number }[]) =>
  runPrepared<{ id: string; last: number; hasReplay: boolean; hasEnded: boolean }>(
    db,
    'watched-directories',
    () => `select * from (
         select w.id, coalesce(d.last_sequence, 0) as last, r.directory_id is not null as "hasReplay", w.after,
           coalesce(e.status <> 'active' or e.url is null or (not e.wake and d.last_sequence <= w.after), true) as "hasEnded"
         from unnest(cast(:ids as uuid[]), cast(:afters as bigint[])) as w(id, after)
           left join directories d on d.id = w.id left join webhook_endpoints e on e.directory_id = d.id
           left join (select distinct directory_id from webhook_replays where status = 'running') r on r.directory_id = w.id
       ) as seen where last > after or "hasReplay" or "hasEnded"`,
    { ids: watched.map(({ id }) => id), afters: watched.map(({ after }) => after) },
  );

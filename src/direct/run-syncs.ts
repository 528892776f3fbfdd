import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderError } from '../directory/sync/provider.ts';
import type { SyncEnd, SyncPosition } from '../directory/sync/run.ts';
import { takeSyncStep, type SyncDeps } from '../directory/sync/take-step.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

export interface RunSyncsDeps extends SyncDeps {
  /** Of all processes that share the database, one at a time reads a directory: false if it is another one. */
  alone(directoryId: string, work: () => Promise<void>): Promise<boolean>;
  syncStepMs: number;
  /** How long a provider may be away. */
  patienceMs?: number;
  log: Logger;
}

export interface RunningSyncs {
  /** Does not wait for the run's end; more often than needed does no harm. */
  start(directoryId: string): Promise<void>;
  /** False if no run of this id goes on here. */
  cancel(directoryId: string, runId: string): Promise<boolean>;
  /** What is under way is left behind; the next run of its directory makes up for it. */
  stop(): Promise<void>;
}

const rowsAtOnce = 20_000;
const syncsAtOnce = 5;
const askAgainMs = 500;

/** Takes up the runs that were asked for of each directory, one after the other. */
export function createRunningSyncs(deps: RunSyncsDeps): RunningSyncs {
  const { store, alone, syncStepMs, patienceMs = 900_000, log } = deps;
  /** Names this process to whoever finds one of its runs. */
  const self = `direct-${newId()}`;
  const stopping = new AbortController();
  const working = new Map<string, { again: boolean; done: Promise<void> }>();
  const canceling = new Map<string, AbortController>();
  const waiting: (() => void)[] = [];
  let free = syncsAtOnce;

  return {
    start(directoryId) {
      const known = working.get(directoryId);
      if (known) known.again = true;
      else if (!stopping.signal.aborted) {
        const work = { again: false, done: Promise.resolve() };
        working.set(directoryId, work);
        work.done = takeUp(directoryId, work);
      }
      return Promise.resolve();
    },

    cancel(_directoryId, runId) {
      canceling.get(runId)?.abort();
      return Promise.resolve(canceling.has(runId));
    },

    async stop() {
      stopping.abort();
      await Promise.all([...working.values()].map(({ done }) => done));
    },
  };

  async function takeUp(directoryId: string, work: { again: boolean }): Promise<void> {
    do {
      work.again = false;
      // Another process that reads it holds no place of ours.
      while (!(await takeTurn(directoryId)) && !stopping.signal.aborted)
        await sleep(askAgainMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    } while (work.again && !stopping.signal.aborted);
    working.delete(directoryId);
  }

  /** False if it is to be tried again: whoever waits for a run is not to wait for ever. */
  async function takeTurn(directoryId: string): Promise<boolean> {
    try {
      return await inPlace(() => alone(directoryId, () => runAll(directoryId)));
    } catch (error) {
      log.warn({ directoryId, error: toLoggableMessage(error) }, 'a sync was interrupted, and is taken up again');
      return false;
    }
  }

  /** Whoever leaves passes the place on. */
  async function inPlace<T>(take: () => Promise<T>): Promise<T> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await take();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  }

  async function runAll(directoryId: string): Promise<void> {
    while (!stopping.signal.aborted) {
      // A name for each run: one that an earlier attempt of ours left behind is given up, too.
      const runId = await store.begin({ directoryId, workflowRun: `${self}/${newId()}` });
      if (runId === undefined) return;
      await advance(directoryId, runId);
      while (!stopping.signal.aborted && (await store.clear(directoryId, rowsAtOnce)));
    }
  }

  async function advance(directoryId: string, runId: string): Promise<void> {
    const canceled = new AbortController();
    canceling.set(runId, canceled);
    const signal = AbortSignal.any([canceled.signal, stopping.signal]);
    try {
      let position: SyncPosition = { phase: 'users' };
      for (let failingSinceMs: number | undefined; ;) {
        const reached = await step(directoryId, runId, position, signal);
        if (reached === 'ended') return;
        if (stopping.signal.aborted) return await store.leave(directoryId, runId);
        if (canceled.signal.aborted) return await store.end(directoryId, runId, canceledEnd);
        if (!('failure' in reached)) {
          [position, failingSinceMs] = [reached, undefined];
          continue;
        }
        const { failure, waitMs } = reached;
        position = reached.position;
        failingSinceMs ??= performance.now();
        if (performance.now() + waitMs - failingSinceMs > patienceMs) return await store.end(directoryId, runId, failure);
        await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      canceling.delete(runId);
    }
  }

  async function step(directoryId: string, runId: string, from: SyncPosition, signal: AbortSignal) {
    let position = from;
    try {
      return await takeSyncStep(
        deps,
        { directoryId, runId, position },
        { beat: (reached) => (position = reached), signal, budgetMs: syncStepMs },
      );
    } catch (error) {
      if (signal.aborted) return position;
      return { position, ...toPassing(error, { directoryId, runId }) };
    }
  }

  /** What may pass, and how long to wait for it; a bug will not, but a new version may mend it. */
  function toPassing(error: unknown, run: { directoryId: string; runId: string }): { failure: SyncEnd; waitMs: number } {
    if (error instanceof ProviderError) {
      log.warn({ ...run, reason: error.message, kind: error.kind }, 'a hosted directory keeps us waiting');
      const waitMs = Math.min(Math.max(error.retryAfterMs ?? 0, 5_000), 300_000);
      return { failure: failed('provider_unavailable', error.message), waitMs };
    }
    if (error instanceof AppError) return { failure: failed('internal', error.message), waitMs: 5_000 };
    log.error({ ...run, err: error }, 'a sync failed unexpectedly');
    return { failure: failed('internal', 'Something went wrong here; the log says what.'), waitMs: Infinity };
  }
}

const failed = (code: 'provider_unavailable' | 'internal', message: string): SyncEnd => ({ state: 'failed', error: { code, message } });

const canceledEnd: SyncEnd = {
  state: 'canceled',
  error: { code: 'canceled', message: 'It was canceled. What it had changed by then stays changed.' },
};

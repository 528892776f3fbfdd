import { setTimeout as sleep } from 'node:timers/promises';
import { runQueuedSyncs, type SyncExecutor } from '../directory/sync/run-queued-syncs.ts';
import { runSyncStep, type SyncDeps } from '../directory/sync/run-sync-step.ts';
import { newId } from '../ids.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import { createSemaphore } from '../shared/semaphore.ts';

interface RunSyncsDeps extends SyncDeps {
  /** Of all processes that share the database, one at a time syncs a directory. Returns false if another one holds the lock. */
  withLock(directoryId: string, work: () => Promise<void>): Promise<boolean>;
  syncStepMs: number;
}

interface RunningSyncs {
  /** Does not wait for the run's end. It is safe to call this more often than needed. */
  start(directoryId: string): Promise<void>;
  /** Returns false if this process does not execute the run. */
  cancel(directoryId: string, runId: string): Promise<boolean>;
  /** Leaves unfinished runs. The next run of the directory makes up for them. */
  stop(): Promise<void>;
}

const rowsPerDelete = 20_000;
const maxConcurrentSyncs = 5;
const lockRetryMs = 500;

/** Executes the queued runs of each directory in this process. */
export function createRunningSyncs(deps: RunSyncsDeps): RunningSyncs {
  const { store, withLock, syncStepMs, log } = deps;
  /** Identifies this process to others that find one of its runs. */
  const self = `direct-${newId()}`;
  const stopping = new AbortController();
  const working = new Map<string, { again: boolean; done: Promise<void> }>();
  const cancelable = new Map<string, AbortController>();
  const semaphore = createSemaphore(maxConcurrentSyncs);

  return {
    start(directoryId) {
      const known = working.get(directoryId);
      if (known) known.again = true;
      else if (!stopping.signal.aborted) {
        const work = { again: false, done: Promise.resolve() };
        working.set(directoryId, work);
        work.done = runAll(directoryId, work);
      }
      return Promise.resolve();
    },

    cancel(_directoryId, runId) {
      cancelable.get(runId)?.abort();
      return Promise.resolve(cancelable.has(runId));
    },

    async stop() {
      stopping.abort();
      await Promise.all([...working.values()].map(({ done }) => done));
    },
  };

  async function runAll(directoryId: string, work: { again: boolean }): Promise<void> {
    do {
      work.again = false;
      // While another process syncs the directory, this one holds no slot.
      while (!(await tryRun(directoryId)) && !stopping.signal.aborted)
        await sleep(lockRetryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    } while (work.again && !stopping.signal.aborted);
    working.delete(directoryId);
  }

  /** Returns false if it must be tried again. */
  async function tryRun(directoryId: string): Promise<boolean> {
    try {
      return await semaphore.run(() => withLock(directoryId, () => runQueued(directoryId)));
    } catch (error) {
      log.warn({ directoryId, error: toLoggableMessage(error) }, 'a sync was interrupted; resuming it');
      return false;
    }
  }

  async function runQueued(directoryId: string): Promise<void> {
    const begun = new Set<string>();
    try {
      const left = await runQueuedSyncs(createExecutor(directoryId, begun));
      if (left) await store.leave(directoryId, left.runId);
    } finally {
      for (const runId of begun) cancelable.delete(runId);
    }
  }

  function signalOf(runId: string): AbortSignal {
    return AbortSignal.any([cancelable.get(runId)!.signal, stopping.signal]);
  }

  async function clear(directoryId: string): Promise<void> {
    while (!stopping.signal.aborted && (await store.clear(directoryId, rowsPerDelete)));
  }

  function createExecutor(directoryId: string, begun: Set<string>): SyncExecutor {
    return {
      async begin() {
        if (stopping.signal.aborted) return undefined;
        // Each run gets its own name, so that a run which an earlier attempt of this process left is given up too.
        const runId = await store.begin({ directoryId, workflowRun: `${self}/${newId()}` });
        if (runId === undefined) return undefined;
        begun.add(runId);
        cancelable.set(runId, new AbortController());
        // What an earlier process left counts toward the directory's limit of staged bytes.
        await clear(directoryId);
        return runId;
      },
      step: (runId, position) =>
        runSyncStep(deps, { directoryId, runId, position }, { beat: () => undefined, signal: signalOf(runId), budgetMs: syncStepMs }),
      async end(runId, end) {
        await store.end(directoryId, runId, end);
        cancelable.delete(runId);
      },
      clear: () => clear(directoryId),
      wait: (runId, delayMs) => sleep(delayMs, undefined, { signal: signalOf(runId) }).catch(() => undefined),
      isCanceled: (runId) => cancelable.get(runId)!.signal.aborted,
      mustLeave: () => stopping.signal.aborted,
      now: () => performance.now(),
    };
  }
}

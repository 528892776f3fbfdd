import { Context } from '@temporalio/activity';
import type { SyncRunStore, SyncStore } from '../src/directory/sync/ports.ts';
import type { SyncEnd, SyncPosition } from '../src/directory/sync/sync-run.ts';
import type { StepResult } from '../src/directory/sync/run-queued-syncs.ts';
import { runSyncStep, type SyncDeps, type SyncStep } from '../src/directory/sync/run-sync-step.ts';
import { heartbeatEveryMs } from '../src/temporal/timeouts.ts';

export interface SyncActivityDeps extends SyncDeps {
  syncStepMs: number;
}

interface Beat {
  runId: string;
  position: SyncPosition;
}

const rowsPerDelete = 20_000;

/** A step that is started again continues at its last heartbeat. */
export const createExecuteSyncStep = ({ syncStepMs, ...deps }: SyncActivityDeps) =>
  async function executeSyncStep(step: SyncStep): Promise<StepResult> {
    const { heartbeat, cancellationSignal: signal, info } = Context.current();
    const { runId } = step;
    const reported = info.heartbeatDetails as Beat | undefined;
    // The details may be those of another run's activity with the same ID.
    let position = reported?.runId === runId ? reported.position : step.position;
    const beat = (reached: SyncPosition) => heartbeat({ runId, position: (position = reached) } satisfies Beat);
    // A comparison takes a while and reports no positions.
    const beating = setInterval(() => beat(position), heartbeatEveryMs);
    try {
      return await runSyncStep(deps, { ...step, position }, { beat, signal, budgetMs: syncStepMs });
    } finally {
      clearInterval(beating);
    }
  };

type RunDeps = Pick<SyncActivityDeps, 'store'>;

export const createBeginSync = ({ store }: RunDeps) =>
  async function beginSync(request: Parameters<SyncStore['begin']>[0]): Promise<string | undefined> {
    const runId = await store.begin(request);
    // What a terminated workflow left counts toward the directory's limit of staged bytes. A repeated attempt gets the same run and continues.
    if (runId !== undefined) await clear(store, request.directoryId);
    return runId;
  };

export const createEndSync = ({ store }: RunDeps) =>
  async function endSync({ directoryId, runId, end }: { directoryId: string; runId: string; end: SyncEnd }): Promise<void> {
    await store.end(directoryId, runId, end);
  };

export const createClearSyncs = ({ store }: RunDeps) =>
  async function clearSyncs(directoryId: string): Promise<void> {
    await clear(store, directoryId);
  };

async function clear(store: SyncStore, directoryId: string): Promise<void> {
  const { cancellationSignal: signal } = Context.current();
  while (!signal.aborted && (await store.clear(directoryId, rowsPerDelete)));
}

export interface StartSyncsDeps {
  syncRuns: Pick<SyncRunStore, 'requestScheduled' | 'findForgotten'>;
  startSync(directoryId: string): Promise<void>;
}

export const createStartDirectorySyncs = ({ startSync }: Pick<StartSyncsDeps, 'startSync'>) =>
  async function startDirectorySyncs(directoryIds: string[]): Promise<void> {
    await Promise.all(directoryIds.map(startSync));
  };

/** Starts the workflow even if a run is in progress: if no workflow executes that run any more, this one resumes it. */
export const createRequestScheduledSync = ({ syncRuns, startSync }: StartSyncsDeps) =>
  async function requestScheduledSync(directoryId: string): Promise<void> {
    await syncRuns.requestScheduled(directoryId);
    await startSync(directoryId);
  };

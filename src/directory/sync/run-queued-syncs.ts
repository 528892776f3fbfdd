import { canceledEnd, failedEnd, type SyncEnd, type SyncPosition } from './sync-run.ts';

/*
 * The state machine of a directory's syncs. The workflow and the direct runtime execute what it decides. It must stay deterministic,
 * because the workflow imports it: it reads no clock, and has no I/O.
 */

export type StepResult =
  | { kind: 'ended' }
  | { kind: 'advanced'; position: SyncPosition }
  /** The step may succeed later, from this position. */
  | { kind: 'failed'; position: SyncPosition; code: 'provider_unavailable' | 'internal'; message: string; retryAfterMs?: number }
  /** The step did not finish in time. */
  | { kind: 'timed_out'; message: string };

/** How far a run is. It is small: it travels through workflow history. */
interface SyncProgress {
  position: SyncPosition;
  /** The failures since the run last advanced. */
  failures?: { count: number; sinceMs: number };
}

export interface RunInProgress {
  runId: string;
  progress: SyncProgress;
}

/** A run fails after it has not advanced for this long. */
export const noProgressTimeoutMs = 2 * 3_600_000;
const maxDelayMs = 300_000;
/** A provider gets more time to recover than our own servers. */
const firstDelayMs = { provider_unavailable: 1_000, internal: 200 };

type NextAction = { kind: 'ended' } | { kind: 'step'; progress: SyncProgress; delayMs: number } | { kind: 'end'; end: SyncEnd };

/** What to do after a step. */
export function decideNext({ failures }: SyncProgress, result: StepResult, nowMs: number): NextAction {
  switch (result.kind) {
    case 'ended':
      return result;
    case 'advanced':
      return { kind: 'step', progress: { position: result.position }, delayMs: 0 };
    case 'timed_out':
      return { kind: 'end', end: failedEnd('internal', result.message) };
    case 'failed': {
      const { position, code, message, retryAfterMs = 0 } = result;
      const { count, sinceMs } = { count: (failures?.count ?? 0) + 1, sinceMs: failures?.sinceMs ?? nowMs };
      const backOffMs = firstDelayMs[code] * 2 ** Math.min(count - 1, 20);
      const delayMs = Math.min(Math.max(retryAfterMs, backOffMs), maxDelayMs);
      if (nowMs + delayMs - sinceMs > noProgressTimeoutMs) return { kind: 'end', end: failedEnd(code, message) };
      return { kind: 'step', progress: { position, failures: { count, sinceMs } }, delayMs };
    }
  }
}

export interface SyncExecutor {
  /** Begins the queued run, if there is one. */
  begin(): Promise<string | undefined>;
  step(runId: string, position: SyncPosition): Promise<StepResult>;
  end(runId: string, end: SyncEnd): Promise<void>;
  /** Deletes what ended runs have staged. */
  clear(): Promise<void>;
  /** Returns early once the run is canceled or must be left. */
  wait(runId: string, delayMs: number): Promise<void>;
  isCanceled(runId: string): boolean;
  /** The run continues elsewhere, or not at all. */
  mustLeave(): boolean;
  now(): number;
}

/** Executes a directory's runs one after the other until none is queued. Returns a run that must be left before its end. */
export async function runQueuedSyncs(executor: SyncExecutor, resumed?: RunInProgress): Promise<RunInProgress | undefined> {
  for (let run = resumed ?? (await begin(executor)); run; run = await begin(executor)) {
    const left = await execute(executor, run);
    if (left) return left;
    await executor.clear();
  }
  return undefined;
}

async function begin(executor: SyncExecutor): Promise<RunInProgress | undefined> {
  const runId = await executor.begin();
  return runId === undefined ? undefined : { runId, progress: { position: { phase: 'users' } } };
}

async function execute(executor: SyncExecutor, { runId, progress: from }: RunInProgress): Promise<RunInProgress | undefined> {
  for (let progress = from; ;) {
    if (executor.isCanceled(runId)) {
      await executor.end(runId, canceledEnd);
      return undefined;
    }
    if (executor.mustLeave()) return { runId, progress };
    const next = decideNext(progress, await executor.step(runId, progress.position), executor.now());
    if (next.kind === 'ended') return undefined;
    if (next.kind === 'end') {
      await executor.end(runId, next.end);
      return undefined;
    }
    ({ progress } = next);
    if (next.delayMs > 0) await executor.wait(runId, next.delayMs);
  }
}

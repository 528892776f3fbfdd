import { setTimeout } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { unlimitedBudget } from '../../scim/budget.ts';
import { limitConcurrency } from '../../shared/semaphore.ts';
import { type Applied, type ApplyToDirectoryDeps, createApplyToDirectory } from '../changes/apply-to-directory.ts';
import { codeOf } from '../changes/mutation.ts';
import type { RecomputeKey, RecomputeStore } from './ports.ts';

export interface RunRecomputeDeps extends Omit<ApplyToDirectoryDeps, 'budget'> {
  recomputes: Pick<RecomputeStore, 'nextUsers' | 'mayWakeDelivery' | 'noteProgress' | 'postpone' | 'finish'>;
  /** Runs before the progress is noted, so after a crash it may run again. */
  onApplied?: ((directoryId: string, applied: Applied) => Promise<void>) | undefined;
  /** Of one directory. Default: 5,000. */
  maxUsersPerSecond?: number;
  /** Whether there is room to wait for the next changes of groups. Default: yes. */
  mayLinger?: () => boolean;
  /** Whether one that has run for this long may go on. Otherwise it waits, so that others come. Default: yes. */
  mayContinue?: (ranMs: number) => boolean;
}

/** Few enough that nobody waits long for the directory. */
const usersPerBatch = 192;
/** While changes arrive: a batch is short, and they have the processor and the database in between. */
const usersPerBusyBatch = 48;
const restPerBusyWork = 1;
/** After the first users of a burst of changes of groups, for the others: so a burst takes few batches, and no workflow for each change. */
const lingerMs = 250;
/** Batches of a process that are applied at the same time, so that any number of recomputations leaves connections to others. */
const batchesAtOnce = 2;
/** Noting the progress after each batch would be a commit for each. */
const noteEveryMs = 250;

export type RunRecompute = (key: RecomputeKey, signal: AbortSignal) => Promise<'done' | 'wait' | 'interrupted'>;

/** Of one run. What is computed and not noted is computed again after a crash. */
interface Progress {
  after: string | undefined;
  users: number;
  notedAtMs: number;
  isBusy: boolean;
}

interface Batch {
  users: number;
  lingers?: boolean;
}

/**
 * Computes the attributes and roles of users of a directory again, of all or of those that are noted. Its batches go the way of all changes, so
 * their order and locks hold. Whoever continues after a crash repeats the last batches, which then change nothing and emit nothing. `wait`:
 * the webhook has to catch up first, or others come first.
 */
export function createRunRecompute({
  recomputes,
  changes,
  onQuotaReached,
  onApplied,
  log,
  maxUsersPerSecond = 5_000,
  mayLinger = () => true,
  mayContinue = () => true,
}: RunRecomputeDeps): RunRecompute {
  // A batch has few users and bytes, and the work for a user is limited.
  const applyToDirectory = createApplyToDirectory({ changes, budget: unlimitedBudget, onQuotaReached, log });
  const limited = limitConcurrency({ runBatch }, batchesAtOnce);

  return async function runRecompute(key, signal) {
    // Whoever died may have set the flag and not woken the delivery.
    if (await recomputes.mayWakeDelivery(key)) await onApplied?.(key.directoryId, { outcomes: [], wake: true });
    const progress: Progress = { after: undefined, users: 0, notedAtMs: Number.NEGATIVE_INFINITY, isBusy: false };
    try {
      return await runBatches(key, progress, signal);
    } finally {
      await noteProgress(key, progress);
    }
  };

  async function runBatches(key: RecomputeKey, progress: Progress, signal: AbortSignal): ReturnType<RunRecompute> {
    const beganMs = performance.now();
    while (!signal.aborted) {
      const startedMs = performance.now();
      const batch = await limited.runBatch(key, progress);
      if (typeof batch === 'string') return batch;
      const workedMs = performance.now() - startedMs;
      const restMs = Math.max((batch.users / maxUsersPerSecond) * 1_000 - workedMs, progress.isBusy ? workedMs * restPerBusyWork : 0);
      await pause(batch.lingers && mayLinger() ? lingerMs - workedMs : restMs, signal);
      if (mayContinue(performance.now() - beganMs)) continue;
      await recomputes.postpone(key);
      return 'wait';
    }
    return 'interrupted';
  }

  async function runBatch(key: RecomputeKey, progress: Progress): Promise<'done' | 'wait' | Batch> {
    const limit = progress.isBusy ? usersPerBusyBatch : usersPerBatch;
    const next = await recomputes.nextUsers(key, limit, { after: progress.after });
    if (!next) return 'done';
    const { userIds, isNoted, isBusy } = next;
    progress.isBusy = isBusy;
    if (userIds.length === 0) {
      await noteProgress(key, progress);
      return (await recomputes.finish(key)) ? 'done' : { users: 0 };
    }
    const applied = await applyBatch(key.directoryId, { userIds, isNoted });
    if (applied === 'wait') await recomputes.postpone(key);
    if (applied !== 'applied') return applied;
    progress.users += userIds.length;
    if (!isNoted) progress.after = userIds.at(-1);
    if (performance.now() - progress.notedAtMs >= noteEveryMs) await noteProgress(key, progress);
    return { users: userIds.length, lingers: isNoted && userIds.length < limit };
  }

  async function noteProgress(key: RecomputeKey, progress: Progress): Promise<void> {
    if (progress.users === 0) return;
    const { users, after } = progress;
    progress.users = 0;
    await recomputes.noteProgress(key, { after, users });
    progress.notedAtMs = performance.now();
  }

  async function applyBatch(directoryId: string, users: { userIds: string[]; isNoted: boolean }): Promise<'applied' | 'done' | 'wait'> {
    const applied = await applyToDirectory(directoryId, [{ kind: 'recompute', id: newId(), directoryId, ...users }], { reason: 'mapping' });
    const [outcome] = applied.outcomes;
    const code = outcome && codeOf(outcome);
    // The deletion of the directory deletes everything.
    if (code === 'directory_deleted') return 'done';
    if (code === 'backlog_full') return 'wait';
    if (!outcome || outcome.error) throw new AppError('unavailable', outcome?.error?.detail ?? 'Nothing was applied.');
    await onApplied?.(directoryId, applied);
    return 'applied';
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms < 1) return;
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}

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
}

/** They are read with one statement, and nobody waits long for the directory. */
const usersPerBatch = 64;
/** Batches of a process that are applied at the same time, so that any number of recomputations leaves connections to others. */
const batchesAtOnce = 2;

export type RunRecompute = (key: RecomputeKey, signal: AbortSignal) => Promise<'done' | 'wait' | 'interrupted'>;

/**
 * Computes the attributes of all users of a directory again, in batches that go the way of all changes, so their order and locks hold. Whoever
 * continues after a crash repeats at most one batch, which then changes nothing and emits nothing. `wait`: the webhook has to catch up first.
 */
export function createRunRecompute({
  recomputes,
  changes,
  onQuotaReached,
  onApplied,
  log,
  maxUsersPerSecond = 5_000,
}: RunRecomputeDeps): RunRecompute {
  // A batch has few users and bytes, and the work for a user is limited.
  const applyToDirectory = createApplyToDirectory({ changes, budget: unlimitedBudget, onQuotaReached, log });
  const limited = limitConcurrency({ runBatch }, batchesAtOnce);

  return async function runRecompute(key, signal) {
    // Whoever died may have set the flag and not woken the delivery.
    if (await recomputes.mayWakeDelivery(key)) await onApplied?.(key.directoryId, { outcomes: [], wake: true });
    while (!signal.aborted) {
      const startedMs = performance.now();
      const progress = await limited.runBatch(key);
      if (typeof progress === 'string') return progress;
      await pause((progress.users / maxUsersPerSecond) * 1_000 - (performance.now() - startedMs), signal);
    }
    return 'interrupted';
  };

  async function runBatch(key: RecomputeKey): Promise<'done' | 'wait' | { users: number }> {
    const userIds = await recomputes.nextUsers(key, usersPerBatch);
    if (!userIds) return 'done';
    const last = userIds.at(-1);
    if (last === undefined) {
      await recomputes.finish(key);
      return 'done';
    }
    const progress = await applyBatch(key.directoryId, userIds);
    if (progress === 'wait') await recomputes.postpone(key);
    if (progress !== 'applied') return progress;
    await recomputes.noteProgress(key, { after: last, users: userIds.length });
    return { users: userIds.length };
  }

  async function applyBatch(directoryId: string, userIds: string[]): Promise<'applied' | 'done' | 'wait'> {
    const applied = await applyToDirectory(directoryId, [{ kind: 'recompute', id: newId(), directoryId, userIds }], { reason: 'mapping' });
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

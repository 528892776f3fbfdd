import { limitConcurrency } from '../../shared/semaphore.ts';
import { createEmitInactiveUsers, type EmitInactiveUsersDeps } from './emit-inactive-users.ts';
import type { DirectoryBatchStore } from './ports.ts';
import { createRemoveDirectory, type RemoveDirectoryDeps } from './remove-directory.ts';

export interface RunBatchesDeps extends Omit<RemoveDirectoryDeps & EmitInactiveUsersDeps, 'batches'> {
  batches: DirectoryBatchStore;
}

export type RunBatches = (directoryId: string, signal: AbortSignal) => Promise<'done' | 'wait' | 'interrupted'>;

/** Steps of a process that run at the same time, so that any number of directories leaves connections to others. */
const stepsAtOnce = 2;

/**
 * Does what is in progress in a directory, in batches that each commit their own progress.
 * Whoever continues after a crash repeats at most one.
 */
export function createRunBatches({ batches: store, ...deps }: RunBatchesDeps): RunBatches {
  const batches = limitConcurrency(store, stepsAtOnce);
  const emitInactiveUsers = createEmitInactiveUsers({ ...deps, batches });
  const removeDirectory = createRemoveDirectory({ ...deps, batches });
  return async function runBatches(directoryId, signal) {
    for (;;) {
      const work = await batches.findWork(directoryId);
      if (work === undefined) return 'done';
      // Something else may have begun meanwhile.
      const progress = work === 'removal' ? await removeDirectory(directoryId, signal) : await emitInactiveUsers(directoryId, signal);
      if (progress !== 'done') return progress;
    }
  };
}

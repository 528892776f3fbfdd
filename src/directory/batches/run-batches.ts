import { limitConcurrency } from '../../shared/semaphore.ts';
import type { DirectoryBatchStore } from './ports.ts';
import { createRemoveDirectory, type RemoveDirectoryDeps } from './remove-directory.ts';

export interface RunBatchesDeps extends Omit<RemoveDirectoryDeps, 'batches'> {
  batches: DirectoryBatchStore;
}

export type RunBatches = (directoryId: string, signal: AbortSignal) => Promise<'done' | 'wait' | 'interrupted'>;

/** Steps of a process that run at the same time, so that any number of directories leaves connections to others. */
const stepsAtOnce = 2;

/** Does what is in progress in a directory, in batches that each commit their own progress. Whoever continues after a crash repeats at most one. */
export function createRunBatches({ batches: store, ...deps }: RunBatchesDeps): RunBatches {
  const batches = limitConcurrency(store, stepsAtOnce);
  const removeDirectory = createRemoveDirectory({ ...deps, batches });
  return async function runBatches(directoryId, signal) {
    switch (await batches.findWork(directoryId)) {
      case 'removal':
        return removeDirectory(directoryId, signal);
      case undefined:
        return 'done';
    }
  };
}

import type { SyncRunStore } from '../src/directory/sync/ports.ts';
import type { Logger } from '../src/logger.ts';
import { toFailure } from './to-failure.ts';

export interface StartSyncsDeps {
  syncRuns: Pick<SyncRunStore, 'requestScheduled' | 'findForgotten'>;
  startSync(directoryId: string): Promise<void>;
  log: Logger;
}

export const createStartDirectorySyncs = ({ startSync, log }: Pick<StartSyncsDeps, 'startSync' | 'log'>) =>
  async function startDirectorySyncs(directoryIds: string[]): Promise<void> {
    try {
      await Promise.all(directoryIds.map(startSync));
    } catch (error) {
      throw toFailure(error, log);
    }
  };

/** Starts the workflow even if a run is in progress: if no workflow executes that run any more, this one resumes it. */
export const createRequestScheduledSync = ({ syncRuns, startSync, log }: StartSyncsDeps) =>
  async function requestScheduledSync(directoryId: string): Promise<void> {
    try {
      await syncRuns.requestScheduled(directoryId);
      await startSync(directoryId);
    } catch (error) {
      throw toFailure(error, log);
    }
  };

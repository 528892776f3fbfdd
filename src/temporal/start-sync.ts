import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { startSyncs } from '../../workflows/start-syncs.ts';
import type { syncDirectory } from '../../workflows/sync-directory.ts';
import { newId } from '../ids.ts';
import { tellAbsence } from './absence.ts';
import { cancelSyncSignal, startSyncsWorkflowId, syncQueue, syncWorkflowId, wakeSignal } from './names.ts';
import { mustBeThere } from './presence.ts';
import { workflowTaskTimeoutMs } from './timeouts.ts';

/** One workflow for each directory, so that no two runs of it overlap; whoever asks for another one meanwhile tells it. */
export const createStartSync =
  (client: Client) =>
  async (directoryId: string): Promise<void> => {
    try {
      await mustBeThere(client);
      await client.workflow.signalWithStart<typeof syncDirectory>('syncDirectory', {
        workflowId: syncWorkflowId(directoryId),
        taskQueue: syncQueue,
        workflowTaskTimeout: workflowTaskTimeoutMs,
        signal: wakeSignal,
        args: [{ directoryId }],
        searchAttributes: { DirectoryIds: [directoryId] },
      });
    } catch (error) {
      throw tellAbsence(error);
    }
  };

/** By a workflow, so that a crash in between forgets none. */
export const createStartSyncs =
  (client: Client) =>
  async (directoryIds: string[]): Promise<void> => {
    try {
      await mustBeThere(client);
      await client.workflow.start<typeof startSyncs>('startSyncs', {
        workflowId: startSyncsWorkflowId(newId()),
        taskQueue: syncQueue,
        workflowTaskTimeout: workflowTaskTimeoutMs,
        args: [directoryIds],
      });
    } catch (error) {
      throw tellAbsence(error);
    }
  };

/** False if there is no workflow that could hear it. */
export const createCancelSync =
  (client: Client) =>
  async (directoryId: string, runId: string): Promise<boolean> => {
    try {
      await mustBeThere(client);
      await client.workflow.getHandle(syncWorkflowId(directoryId)).signal(cancelSyncSignal, runId);
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw tellAbsence(error);
    }
  };

import type { Client } from '@temporalio/client';
import type { deleteDirectory } from '../../workflows/delete-directory.ts';
import { tellAbsence } from './absence.ts';
import { deletionWorkflowId, deliveryQueue } from './names.ts';
import { workflowTaskTimeoutMs } from './timeouts.ts';

/** One deletion for each directory, however often it is asked for. */
export const createStartDeletion =
  (client: Client) =>
  async (directoryId: string): Promise<void> => {
    try {
      await client.workflow.start<typeof deleteDirectory>('deleteDirectory', {
        workflowId: deletionWorkflowId(directoryId),
        taskQueue: deliveryQueue,
        workflowTaskTimeout: workflowTaskTimeoutMs,
        args: [directoryId],
        workflowIdConflictPolicy: 'USE_EXISTING',
        searchAttributes: { DirectoryIds: [directoryId] },
      });
    } catch (error) {
      throw tellAbsence(error);
    }
  };

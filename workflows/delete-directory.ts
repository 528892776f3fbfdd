import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

const { deleteDirectory: deleteAll } = proxyActivities<Activities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/** Takes away what belonged to a directory that nobody sees any more. */
export async function deleteDirectory(directoryId: string): Promise<void> {
  await deleteAll(directoryId);
}

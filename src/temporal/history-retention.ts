import { msToTs } from '@temporalio/common/lib/time.js';
import type { NativeConnection } from '@temporalio/worker';

/** How long the history of a workflow that has ended is kept. Nothing of ours reads it. */
export async function keepHistories(connection: NativeConnection, namespace: string, keptMs: number): Promise<void> {
  await connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: msToTs(keptMs) } });
}

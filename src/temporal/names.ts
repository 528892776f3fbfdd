/** Task queues, IDs and names that Temporal stores. Changing one orphans what runs under it. */

export const mutationQueue = 'rollcall-mutations';
export const deliveryQueue = 'rollcall-deliveries';
export const syncQueue = 'rollcall-syncs';

export const mutationGroupWorkflowId = (firstMutationId: string) => `apply:${firstMutationId}`;
export const deliveryWorkflowId = (directoryId: string) => `deliver:${directoryId}`;

export const directoryDeletionWorkflowId = (directoryId: string) => `delete:${directoryId}`;

export const directoryBatchesWorkflowId = (directoryId: string) => `batches:${directoryId}`;

export const userErasureWorkflowId = (directoryId: string, erasureId: string) => `erase:${directoryId}:${erasureId}`;

export const attributeRecomputeWorkflowId = (directoryId: string, recomputeId: string) => `recompute:${directoryId}:${recomputeId}`;

export const directorySyncWorkflowId = (directoryId: string) => `sync:${directoryId}`;
export const bulkSyncWorkflowId = (id: string) => `start-syncs:${id}`;
export const scheduledSyncWorkflowId = (directoryId: string) => `sync-tick:${directoryId}`;

export const wakeSignal = 'wake';
export const retryNowSignal = 'retryNow';
export const cancelSyncSignal = 'cancelSync';
/** The workflow continues as new, which seals what it holds with the newest key. Only these types handle it. */
export const renewSignal = 'renew';
export const renewableWorkflows: readonly string[] = ['eventDelivery', 'operatorDelivery', 'directorySync'];
export const pauseUpdate = 'pause';
export const resumeUpdate = 'resume';
export const deliveryPhaseQuery = 'phase';

export const eventProcessingWorkflowId = (id: string) => `process-events:${id}`;

export const operatorDeliveryWorkflowId = 'operator-events';

/** A schedule appends a time to the ID of what it starts. */
export const scheduledWorkflowIds = {
  sweep: 'sweep',
  retention: 'retain',
  eventProcessing: eventProcessingWorkflowId('schedule'),
} as const;
const scheduledTime = /-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Removes the time that a schedule appended: its payloads are sealed for the ID without it. */
export function toScheduledId(workflowId: string): string {
  // A fast path, because this runs for each payload.
  if (!workflowId.endsWith('Z')) return workflowId;
  const id = workflowId.replace(scheduledTime, '');
  const isScheduled = id.startsWith(scheduledSyncWorkflowId('')) || Object.values<string>(scheduledWorkflowIds).includes(id);
  return isScheduled ? id : workflowId;
}

const idPrefixes = new Map<string, string>([
  ['mutationGroup', mutationGroupWorkflowId('')],
  ['eventDelivery', deliveryWorkflowId('')],
  ['operatorDelivery', operatorDeliveryWorkflowId],
  ['directoryDeletion', directoryDeletionWorkflowId('')],
  ['directoryBatches', directoryBatchesWorkflowId('')],
  ['userErasure', 'erase:'],
  ['attributeRecompute', 'recompute:'],
  ['directorySync', directorySyncWorkflowId('')],
  ['bulkSync', bulkSyncWorkflowId('')],
  ['scheduledSync', scheduledSyncWorkflowId('')],
  ['eventProcessing', eventProcessingWorkflowId('')],
  ['sweep', scheduledWorkflowIds.sweep],
  ['retention', scheduledWorkflowIds.retention],
]);

/** A seal is bound to the workflow's ID. Each ID belongs to one type, so a payload can't be passed to a workflow of another type. */
export function isIdOfType(workflowId: string, workflowType: string): boolean {
  const prefix = idPrefixes.get(workflowType);
  return prefix !== undefined && workflowId.startsWith(prefix);
}

export const scheduleIds = {
  sweep: 'rollcall-sweep',
  retention: 'rollcall-retain',
  eventProcessing: 'rollcall-process-events',
} as const;
export const syncSchedulePrefix = 'rollcall-sync:';
export const syncScheduleId = (directoryId: string) => `${syncSchedulePrefix}${directoryId}`;

/** `DirectoryIds = '<id>'` in Temporal's UI lists the workflows of a directory. */
export const searchAttributes = { DirectoryIds: 'KeywordList' } as const;

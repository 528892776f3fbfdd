/** Task queues, ids and names that stand in Temporal's store: changing one orphans what runs under it. */

export const mutationQueue = 'rollcall-mutations';
export const deliveryQueue = 'rollcall-deliveries';
export const syncQueue = 'rollcall-syncs';

export const applyWorkflowId = (firstMutationId: string) => `apply:${firstMutationId}`;
export const deliveryWorkflowId = (directoryId: string) => `deliver:${directoryId}`;

export const deletionWorkflowId = (directoryId: string) => `delete:${directoryId}`;

export const syncWorkflowId = (directoryId: string) => `sync:${directoryId}`;
export const startSyncsWorkflowId = (id: string) => `start-syncs:${id}`;
export const syncTickWorkflowId = (directoryId: string) => `sync-tick:${directoryId}`;

export const wakeSignal = 'wake';
export const retryNowSignal = 'retryNow';
export const cancelSyncSignal = 'cancelSync';
/** Continue as new: what a workflow holds is then sealed with the newest key. Understood by the types named. */
export const renewSignal = 'renew';
export const renewableWorkflows: readonly string[] = ['deliverEvents', 'deliverOperatorEvents', 'syncDirectory'];
export const pauseUpdate = 'pause';
export const resumeUpdate = 'resume';
export const deliveryPhaseQuery = 'phase';

export const processEventsWorkflowId = (id: string) => `process-events:${id}`;

export const operatorWorkflowId = 'operator-events';

/** What schedules start gets an id that ends with a time. */
export const scheduledWorkflowIds = { sweep: 'sweep', retain: 'retain', processEvents: processEventsWorkflowId('schedule') } as const;
const scheduledTime = /-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The id that the schedule's action names: what it carries was sealed for that one. */
export function toScheduledId(workflowId: string): string {
  // Most are not: this is asked for each payload.
  if (!workflowId.endsWith('Z')) return workflowId;
  const id = workflowId.replace(scheduledTime, '');
  const isScheduled = id.startsWith(syncTickWorkflowId('')) || Object.values<string>(scheduledWorkflowIds).includes(id);
  return isScheduled ? id : workflowId;
}

const idBeginnings = new Map<string, string>([
  ['applyMutations', applyWorkflowId('')],
  ['deliverEvents', deliveryWorkflowId('')],
  ['deliverOperatorEvents', operatorWorkflowId],
  ['deleteDirectory', deletionWorkflowId('')],
  ['syncDirectory', syncWorkflowId('')],
  ['startSyncs', startSyncsWorkflowId('')],
  ['tickSync', syncTickWorkflowId('')],
  ['processEvents', processEventsWorkflowId('')],
  ['sweep', scheduledWorkflowIds.sweep],
  ['retain', scheduledWorkflowIds.retain],
]);

/** A seal is bound to the workflow's id. The id belongs to one type, so a payload can't be given to a workflow of another type. */
export function isIdOfType(workflowId: string, workflowType: string): boolean {
  const beginning = idBeginnings.get(workflowType);
  return beginning !== undefined && workflowId.startsWith(beginning);
}

export const scheduleIds = {
  sweep: 'rollcall-sweep',
  retain: 'rollcall-retain',
  processEvents: 'rollcall-process-events',
} as const;
export const syncSchedulePrefix = 'rollcall-sync:';
export const syncScheduleId = (directoryId: string) => `${syncSchedulePrefix}${directoryId}`;

/** "What happened to this directory?": `DirectoryIds = '<id>'` in Temporal's own UI. */
export const searchAttributes = { DirectoryIds: 'KeywordList' } as const;

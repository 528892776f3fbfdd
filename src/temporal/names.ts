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

export const scheduleIds = {
  sweep: 'rollcall-sweep',
  retain: 'rollcall-retain',
  processEvents: 'rollcall-process-events',
} as const;
export const syncSchedulePrefix = 'rollcall-sync:';
export const syncScheduleId = (directoryId: string) => `${syncSchedulePrefix}${directoryId}`;

/** "What happened to this directory?": `DirectoryIds = '<id>'` in Temporal's own UI. */
export const searchAttributes = { DirectoryIds: 'KeywordList' } as const;

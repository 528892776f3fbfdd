/** Task queues, ids and names that stand in Temporal's store: changing one orphans what runs under it. */

export const mutationQueue = 'rollcall-mutations';
export const deliveryQueue = 'rollcall-deliveries';

export const applyWorkflowId = (firstMutationId: string) => `apply:${firstMutationId}`;
export const deliveryWorkflowId = (directoryId: string) => `deliver:${directoryId}`;

export const wakeSignal = 'wake';

export const sweepScheduleId = 'rollcall-sweep';

/** "What happened to this directory?": `DirectoryIds = '<id>'` in Temporal's own UI. */
export const searchAttributes = { DirectoryIds: 'KeywordList' } as const;

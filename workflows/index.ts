import { ApplicationFailure } from '@temporalio/workflow';

export { bulkSync } from './sync-starts.ts';
export { directoryDeletion } from './maintenance.ts';
export { directorySync } from './directory-sync.ts';
export { eventDelivery } from './event-delivery.ts';
export { eventProcessing } from './maintenance.ts';
export { mutationGroup } from './mutation-group.ts';
export { operatorDelivery } from './operator-delivery.ts';
export { retention } from './maintenance.ts';
export { scheduledSync } from './sync-starts.ts';
export { sweep } from './maintenance.ts';

/** Runs for an unknown type. Without it the SDK would fail the workflow task, which Temporal retries forever. */
export default function endUnknownType(): never {
  throw ApplicationFailure.nonRetryable('There is no workflow of this type.', 'UnknownType');
}

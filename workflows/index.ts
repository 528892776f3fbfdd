import { ApplicationFailure } from '@temporalio/workflow';

export { bulkSync } from './bulk-sync.ts';
export { directoryDeletion } from './retention.ts';
export { directorySync } from './directory-sync.ts';
export { eventDelivery } from './event-delivery.ts';
export { eventProcessing } from './retention.ts';
export { mutationGroup } from './mutation-group.ts';
export { operatorDelivery } from './operator-delivery.ts';
export { retention } from './retention.ts';
export { scheduledSync } from './bulk-sync.ts';
export { sweep } from './retention.ts';

/** Runs for an unknown type. Without it the SDK would fail the workflow task, which Temporal retries forever. */
export default function endUnknownType(): never {
  throw ApplicationFailure.nonRetryable('There is no workflow of this type.', 'UnknownType');
}

import { ApplicationFailure } from '@temporalio/workflow';

export { directoryBatches } from './directory-batches.ts';
export { directorySync } from './directory-sync.ts';
export { eventDelivery } from './event-delivery.ts';
export { directoryDeletion, eventProcessing, retention, sweep } from './sweep-and-deletion.ts';
export { mutationGroup } from './mutation-group.ts';
export { userErasure } from './user-erasure.ts';
export { attributeRecompute } from './attribute-recompute.ts';
export { operatorDelivery } from './operator-delivery.ts';
export { bulkSync, scheduledSync } from './directory-sync.ts';

/** Runs for an unknown type. Without it the SDK would fail the workflow task, which Temporal retries forever. */
export default function endUnknownType(): never {
  throw ApplicationFailure.nonRetryable('There is no workflow of this type.', 'UnknownType');
}

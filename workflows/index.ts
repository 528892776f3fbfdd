import { ApplicationFailure } from '@temporalio/workflow';

export { applyMutations } from './apply-mutations.ts';
export { deleteDirectory } from './delete-directory.ts';
export { deliverEvents } from './deliver-events.ts';
export { deliverOperatorEvents } from './deliver-operator-events.ts';
export { processEvents } from './process-events.ts';
export { retain } from './retain.ts';
export { startSyncs, tickSync } from './start-syncs.ts';
export { sweep } from './sweep.ts';
export { syncDirectory } from './sync-directory.ts';

/** Of a type that there is not. Without it the SDK would fail the workflow task, which Temporal tries again for ever. */
export default function endUnknownType(): never {
  throw ApplicationFailure.nonRetryable('There is no workflow of this type.', 'UnknownType');
}

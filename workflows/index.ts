export { applyMutations } from './apply-mutations.ts';
export { deleteDirectory } from './delete-directory.ts';
export { deliverEvents } from './deliver-events.ts';
export { deliverOperatorEvents } from './deliver-operator-events.ts';
export { processEvents } from './process-events.ts';
export { retain } from './retain.ts';
export { startSyncs, tickSync } from './start-syncs.ts';
export { sweep } from './sweep.ts';
export { syncDirectory } from './sync-directory.ts';

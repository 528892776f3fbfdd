export { applyMutations } from './apply-mutations.ts';
export { deliverEvents } from './deliver-events.ts';
export { sweep } from './sweep.ts';

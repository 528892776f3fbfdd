import { createApplyMutations, type ApplyMutationsDeps } from './apply-mutations.ts';
import { createDrainDeliveries, type DrainDeliveriesDeps } from './drain-deliveries.ts';
import { createDeliverOperatorEvents, type OperatorActivityDeps } from './deliver-operator-events.ts';
import { createProcessEvents } from './process-events.ts';
import { createRetain, type RetainDeps } from './retain.ts';
import { createSweep, type SweepDeps } from './sweep.ts';
import { createWakeDeliveries } from './wake-deliveries.ts';

export type ActivityDeps = ApplyMutationsDeps & SweepDeps & Omit<DrainDeliveriesDeps, 'store'> & OperatorActivityDeps & RetainDeps;

/** Dependencies come once, when a worker starts; workflows see only the type of what comes out. */
export function createActivities(deps: ActivityDeps) {
  return {
    applyMutations: createApplyMutations(deps),
    wakeDeliveries: createWakeDeliveries(deps),
    drainDeliveries: createDrainDeliveries({ ...deps, store: deps.deliveries }),
    deliverOperatorEvents: createDeliverOperatorEvents(deps),
    processEvents: createProcessEvents(deps),
    retain: createRetain(deps),
    sweep: createSweep(deps),
  };
}

export type Activities = ReturnType<typeof createActivities>;

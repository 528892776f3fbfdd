import type { ApplyGroup } from '../directory/intake.ts';
import { AppError } from '../errors.ts';
import type { Orchestration } from '../directory/orchestration.ts';
import type { Deletions } from './run-deletions.ts';
import type { RunningSyncs } from './run-syncs.ts';

interface OrchestrationDeps {
  apply: ApplyGroup;
  deletions: Deletions;
  syncs: RunningSyncs;
}

const nothing = () => Promise.resolve();

/** This process does the work itself, except what goes out by webhooks: for their order, retries and memory there is Temporal. */
export const createDirectOrchestration = ({ apply, deletions, syncs }: OrchestrationDeps): Orchestration => ({
  apply,
  // Nothing is sent from here, so there is nothing to stop or to start: what Postgres says holds for whoever delivers.
  wakeDelivery: nothing,
  steer: { pause: () => Promise.resolve(true), resume: nothing, retryNow: nothing },
  wakeOperator: nothing,
  processEvents: () => Promise.reject(undelivered()),
  startDeletion: deletions.start,
  startSync: syncs.start,
  async startSyncs(directoryIds) {
    await Promise.all(directoryIds.map(syncs.start));
  },
  cancelSync: syncs.cancel,
  keepSchedule: nothing,
});

const undelivered = () =>
  new AppError(
    'invalid_request',
    'Webhooks are delivered by Temporal, and this library was started without a temporalAddress, like temporalAddress: "127.0.0.1:7233".',
  );

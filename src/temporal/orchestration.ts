import type { Client } from '@temporalio/client';
import type { ChangeStore, DirectoryStore, StagedMutationStore } from '../directory/ports.ts';
import type { Orchestration } from '../directory/orchestration.ts';
import { createApplyGroup } from './apply-group.ts';
import { createStartDeletion } from './delete-directory.ts';
import type { Handover } from './handover.ts';
import { createProcessEvents } from './process-events.ts';
import { createCancelSync, createStartSync, createStartSyncs } from './start-sync.ts';
import { createSteerDelivery } from './steer-delivery.ts';
import type { SyncSchedules } from './sync-schedules.ts';
import { createWakeDelivery } from './wake-delivery.ts';
import { createWakeOperator } from './wake-operator.ts';

interface OrchestrationDeps {
  client: Client;
  handover: Handover;
  staged: Pick<StagedMutationStore, 'put' | 'drop'>;
  changes: Pick<ChangeStore, 'outcomeOf'>;
  schedules: Pick<SyncSchedules, 'keep' | 'remove'>;
  directories: Pick<DirectoryStore, 'get'>;
  onApplied(mutations: number, seconds: number): void;
}

/** Each piece of work is a workflow. */
export function createOrchestration(deps: OrchestrationDeps): Orchestration {
  const { client, handover, staged, changes, schedules, directories, onApplied } = deps;
  const wakeDelivery = createWakeDelivery({ client });
  return {
    apply: createApplyGroup({ client, handover, staged, outcomeOf: changes.outcomeOf, onApplied }),
    wakeDelivery,
    steer: createSteerDelivery({ client, wakeDelivery }),
    processEvents: createProcessEvents(client),
    wakeOperator: createWakeOperator(client),
    startDeletion: createStartDeletion(client),
    startSync: createStartSync(client),
    startSyncs: createStartSyncs(client),
    cancelSync: createCancelSync(client),
    async keepSchedule(directoryId) {
      const directory = await directories.get(directoryId);
      if (directory?.google) await schedules.keep(directory);
      else await schedules.remove(directoryId);
    },
  };
}

import { createHash } from 'node:crypto';
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
} from '@temporalio/client';
import { syncQueue, syncScheduleId, syncSchedulePrefix, syncTickWorkflowId } from './names.ts';
import { workflowTaskTimeoutMs } from './timeouts.ts';

export interface HostedDirectory {
  id: string;
  deactivated: boolean;
}

export interface SyncSchedules {
  /** Makes a directory's schedule what it should be. */
  keep(directory: HostedDirectory): Promise<void>;
  remove(directoryId: string): Promise<void>;
  /** All of them: those of directories that are gone go, too. */
  reconcile(): Promise<void>;
}

export interface SyncSchedulesOptions {
  client: Client;
  everySeconds: number;
  /** In the order of their ids. */
  listHosted(after: string, limit: number): Promise<HostedDirectory[]>;
}

const directoriesAtOnce = 200;

/**
 * A schedule for each hosted directory. Their times are spread over the interval by the directory's id, and a little by chance, so that a
 * thousand directories are not read in the same second.
 */
export function createSyncSchedules({ client, everySeconds, listHosted }: SyncSchedulesOptions): SyncSchedules {
  return { keep, remove, reconcile };

  async function keep({ id, deactivated }: HostedDirectory): Promise<void> {
    const wanted = wantedOf(id, everySeconds);
    try {
      await client.schedule.create({ scheduleId: syncScheduleId(id), ...wanted, state: { paused: deactivated } });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await client.schedule.getHandle(syncScheduleId(id)).update((former) => ({
        ...former,
        ...wanted,
        action: { ...former.action, ...wanted.action },
        state: { ...former.state, paused: deactivated },
      }));
    }
  }

  async function remove(directoryId: string): Promise<void> {
    try {
      await client.schedule.getHandle(syncScheduleId(directoryId)).delete();
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
  }

  async function reconcile(): Promise<void> {
    const there = await listSchedules();
    for (let after = '00000000-0000-0000-0000-000000000000', more = true; more;) {
      const directories = await listHosted(after, directoriesAtOnce);
      for (const directory of directories) {
        const schedule = there.get(directory.id);
        there.delete(directory.id);
        if (schedule?.paused !== directory.deactivated || schedule.everySeconds !== everySeconds) await keep(directory);
      }
      more = directories.length === directoriesAtOnce;
      after = directories.at(-1)?.id ?? after;
    }
    for (const directoryId of there.keys()) await remove(directoryId);
  }

  async function listSchedules(): Promise<Map<string, { paused: boolean; everySeconds: number | undefined }>> {
    const found = new Map<string, { paused: boolean; everySeconds: number | undefined }>();
    for await (const { scheduleId, spec, state } of client.schedule.list()) {
      if (!scheduleId.startsWith(syncSchedulePrefix)) continue;
      const everyMs = spec?.intervals?.[0]?.every;
      found.set(scheduleId.slice(syncSchedulePrefix.length), {
        paused: state.paused,
        everySeconds: everyMs === undefined ? undefined : everyMs / 1000,
      });
    }
    return found;
  }
}

function wantedOf(directoryId: string, everySeconds: number) {
  const offsetSeconds = createHash('sha256').update(directoryId).digest().readUInt32BE() % everySeconds;
  return {
    spec: { intervals: [{ every: everySeconds * 1000, offset: offsetSeconds * 1000 }], jitter: everySeconds * 100 },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    action: {
      type: 'startWorkflow',
      workflowType: 'tickSync',
      workflowId: syncTickWorkflowId(directoryId),
      taskQueue: syncQueue,
      workflowTaskTimeout: workflowTaskTimeoutMs,
      args: [directoryId],
      searchAttributes: { DirectoryIds: [directoryId] },
    },
  } satisfies Omit<ScheduleOptions, 'scheduleId'>;
}

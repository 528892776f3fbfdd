import { createHash } from 'node:crypto';
import { ScheduleNotFoundError, ScheduleOverlapPolicy, type Client } from '@temporalio/client';
import { syncQueue, syncScheduleId, syncSchedulePrefix, syncTickWorkflowId } from './names.ts';
import { putSchedule, type WantedSchedule } from './put-schedule.ts';
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

/** The schedule's note. One without it was made before payloads were bound to workflows, and its workflows would be rejected. */
const boundToWorkflow = 'Rollcall, payloads bound to workflows';

interface FoundSchedule {
  paused: boolean;
  everySeconds: number | undefined;
  note: string | undefined;
}

/**
 * A schedule for each hosted directory. Their times are spread over the interval by the directory's id, and a little by chance, so that a
 * thousand directories are not read in the same second.
 */
export function createSyncSchedules({ client, everySeconds, listHosted }: SyncSchedulesOptions): SyncSchedules {
  const keep = (directory: HostedDirectory) => putSchedule(client, wantedOf(directory, everySeconds));
  return { keep, remove, reconcile };

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
        const isRight =
          schedule?.paused === directory.deactivated && schedule.everySeconds === everySeconds && schedule.note === boundToWorkflow;
        if (!isRight) await keep(directory);
      }
      more = directories.length === directoriesAtOnce;
      after = directories.at(-1)?.id ?? after;
    }
    for (const directoryId of there.keys()) await remove(directoryId);
  }

  async function listSchedules(): Promise<Map<string, FoundSchedule>> {
    const found = new Map<string, FoundSchedule>();
    for await (const { scheduleId, spec, state } of client.schedule.list()) {
      if (!scheduleId.startsWith(syncSchedulePrefix)) continue;
      const everyMs = spec?.intervals?.[0]?.every;
      found.set(scheduleId.slice(syncSchedulePrefix.length), {
        paused: state.paused,
        note: state.note,
        everySeconds: everyMs === undefined ? undefined : everyMs / 1000,
      });
    }
    return found;
  }
}

function wantedOf({ id: directoryId, deactivated }: HostedDirectory, everySeconds: number): WantedSchedule {
  const offsetSeconds = createHash('sha256').update(directoryId).digest().readUInt32BE() % everySeconds;
  return {
    scheduleId: syncScheduleId(directoryId),
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
    state: { paused: deactivated, note: boundToWorkflow },
  };
}

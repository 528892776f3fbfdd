import { lowestId } from '../ids.ts';
import { createHash } from 'node:crypto';
import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { syncQueue, syncScheduleId, syncSchedulePrefix, scheduledSyncWorkflowId } from './names.ts';
import { createScheduleAction } from './workflow-starter.ts';
import { RejectedPayloadError } from './codec.ts';

export interface PulledDirectory<Type extends string = string> {
  id: string;
  type?: Type;
  deactivated: boolean;
}

export interface SyncSchedules {
  /** Creates or updates a directory's schedule. */
  keep(directory: PulledDirectory): Promise<void>;
  remove(directoryId: string): Promise<void>;
  /** Creates, updates and removes schedules until each pulled directory has its own. */
  reconcile(): Promise<void>;
}

interface SyncSchedulesOptions {
  client: Client;
  /** Of all directories, or by their type. */
  everySeconds: number | Readonly<Record<string, number>>;
  /** Returns the directories in the order of their IDs. */
  listPulled(after: string, limit: number): Promise<PulledDirectory[]>;
  /** The timeout of each call of a reconciliation. */
  callTimeoutMs?: number;
}

const pageSize = 200;

/** The schedule's note. A schedule without it predates payloads that are bound to workflows, and its workflows would be rejected. */
const boundToWorkflow = 'Rollcall, payloads bound to workflows';

interface FoundSchedule {
  paused: boolean;
  everySeconds: number | undefined;
  note: string | undefined;
}

/**
 * One schedule for each pulled directory. Their times are spread over the interval by the directory's ID, with some jitter, so that a
 * thousand directories are not read in the same second.
 */
export function createSyncSchedules({ client, everySeconds, listPulled, callTimeoutMs = 20_000 }: SyncSchedulesOptions): SyncSchedules {
  const keep = (directory: PulledDirectory) => putSchedule(client, toSchedule(directory, everyOf(directory)));
  const everyOf = ({ type = '' }: PulledDirectory) => (typeof everySeconds === 'number' ? everySeconds : everySeconds[type]!);
  const remove = (directoryId: string) => removeSchedule(client, syncScheduleId(directoryId));
  /** A timeout for all calls together would end the reconciliation of many directories before it reaches the last one. */
  const inTime = <Result>(call: () => Promise<Result>) => client.withDeadline(Date.now() + callTimeoutMs, call);
  return { keep, remove, reconcile };

  async function reconcile(): Promise<void> {
    const existing = await listSchedules();
    for (let after = lowestId, hasMore = true; hasMore;) {
      const directories = await listPulled(after, pageSize);
      for (const directory of directories) {
        const schedule = existing.get(directory.id);
        existing.delete(directory.id);
        const isUpToDate =
          schedule?.paused === directory.deactivated && schedule.everySeconds === everyOf(directory) && schedule.note === boundToWorkflow;
        if (!isUpToDate) await inTime(() => keep(directory));
      }
      hasMore = directories.length === pageSize;
      after = directories.at(-1)?.id ?? after;
    }
    for (const directoryId of existing.keys()) await inTime(() => remove(directoryId));
  }

  async function listSchedules(): Promise<Map<string, FoundSchedule>> {
    const found = new Map<string, FoundSchedule>();
    const schedules = client.schedule.list()[Symbol.asyncIterator]();
    const next = () => inTime(() => schedules.next());
    for (let one = await next(); !one.done; one = await next()) {
      const { scheduleId, spec, state } = one.value;
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

function toSchedule({ id: directoryId, deactivated }: PulledDirectory, everySeconds: number): DesiredSchedule {
  const offsetSeconds = createHash('sha256').update(directoryId).digest().readUInt32BE() % everySeconds;
  return {
    scheduleId: syncScheduleId(directoryId),
    spec: { intervals: [{ every: everySeconds * 1000, offset: offsetSeconds * 1000 }], jitter: everySeconds * 100 },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    action: createScheduleAction('scheduledSync', [directoryId], {
      workflowId: scheduledSyncWorkflowId(directoryId),
      taskQueue: syncQueue,
      directoryIds: [directoryId],
    }),
    state: { paused: deactivated, note: boundToWorkflow },
  };
}

type DesiredSchedule = ScheduleOptions & { action: { workflowId: string } };

/** Creates the schedule, or updates the one with this ID. A schedule whose arguments Rollcall did not seal is replaced. */
export async function putSchedule(client: Client, desired: DesiredSchedule): Promise<void> {
  const { scheduleId, spec, policies, action, state } = desired;
  const handle = client.schedule.getHandle(scheduleId);
  try {
    await client.schedule.create(desired);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    try {
      await handle.update((former) => ({
        ...former,
        spec,
        policies: { ...former.policies, ...policies },
        action: { ...former.action, ...action },
        state: { ...former.state, ...state },
      }));
    } catch (updateError) {
      if (!(updateError instanceof RejectedPayloadError)) throw updateError;
      await handle.delete();
      await client.schedule.create(desired);
    }
  }
}

export async function removeSchedule(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Refused, Result, SyncRun } from '../client/index.ts';
import type { EventHandover } from './event-handover.ts';
import type { EventCallback } from './rollcall-options.ts';

export interface Sync {
  /**
   * Reads hosted directories now, and waits until that is done: one, or all that may be read. The answer has the run of each, with its
   * `state` and its `error`. Without Temporal the callback receives each event once its change is committed.
   */
  (directoryId?: string, callback?: EventCallback): Promise<Result<SyncRun[]>>;
}

export interface SyncDeps {
  client: Client;
  tellRange: EventHandover['tellRange'];
  onEvent: EventCallback | undefined;
  /** Webhooks take the events. */
  hasTemporal: boolean;
}

const [firstWaitMs, longestWaitMs] = [50, 1_000];

export function createSync({ client, tellRange, onEvent, hasTemporal }: SyncDeps): Sync {
  return async function sync(directoryId, given) {
    if (given && hasTemporal) return noCallback;
    const callback = given ?? (hasTemporal ? undefined : onEvent);
    const started = directoryId === undefined ? await client.syncs.startAll() : await client.syncs.start(directoryId);
    if (started.error) return started;
    const runs: { directoryId: string; runId: string }[] =
      'directories' in started.data
        ? started.data.directories.map((run) => ({ directoryId: run.directory_id, runId: run.run_id }))
        : [{ directoryId: started.data.directory_id, runId: started.data.id }];
    const ended = await Promise.all(runs.map((run) => follow(run, callback)));
    const refused = ended.find((result): result is Refused => result.error !== null);
    return refused ?? { data: ended.flatMap(({ data }) => data ?? []), error: null, status: 200 };
  };

  /** Until it has ended; a hosted directory changes by its runs alone. */
  async function follow(run: { directoryId: string; runId: string }, callback: EventCallback | undefined): Promise<Result<SyncRun>> {
    let told = callback && (await lastSequence(run.directoryId));
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 1.5, longestWaitMs)) {
      const result = await client.syncs.get(run.directoryId, run.runId);
      if (callback && told !== undefined) {
        const last = await lastSequence(run.directoryId);
        if (last !== undefined && last > told) await tellRange(run.directoryId, { first: told + 1, count: last - told }, callback);
        told = last ?? told;
      }
      if (result.error || (result.data.state !== 'queued' && result.data.state !== 'running')) return result;
      await sleep(waitMs);
    }
  }

  async function lastSequence(directoryId: string): Promise<number | undefined> {
    const { data } = await client.deliveries.state(directoryId);
    return data?.last_sequence;
  }
}

const noCallback: Refused = {
  data: null,
  error: {
    code: 'invalid_request',
    message:
      'callback: with a temporalAddress the events of a sync go to the webhook of each directory; leave the callback out, or read events.list.',
    field: 'callback',
  },
  status: 400,
};

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Failure, Result, SyncRun } from '../client/index.ts';
import type { EventCallbacks } from './event-callbacks.ts';
import type { EventCallback } from './rollcall-options.ts';

export interface Sync {
  /**
   * Syncs one pulled directory, or all that are ready, and waits for the runs to end. The result has each run with its `state` and `error`.
   * Without Temporal, the callback receives each event once its change is committed.
   */
  (directoryId?: string, callback?: EventCallback): Promise<Result<SyncRun[]>>;
}

export interface SyncDeps {
  client: Pick<Client, 'syncs'>;
  callbacks: Pick<EventCallbacks, 'listenDuring' | 'activeDirectories'>;
  /** With Temporal, webhooks deliver the events. */
  hasTemporal: boolean;
}

interface StartedRun {
  directoryId: string;
  runId: string;
}

const [firstWaitMs, longestWaitMs] = [50, 1_000];

export function createSync({ client, callbacks, hasTemporal }: SyncDeps): Sync {
  return async function sync(directoryId, callback) {
    if (callback && hasTemporal)
      return toInvalidRequest(
        'callback',
        'with temporalAddress, the events of a sync go to the webhook of each directory; omit the callback, or read events.list',
      );
    const within = callbacks.activeDirectories();
    if (directoryId === undefined ? within.length > 0 : within.includes(directoryId))
      return toInvalidRequest(
        'sync',
        'a callback must not wait for a sync, which may wait for the callback; start it afterwards, like setImmediate(() => sync(directoryId))',
      );
    // Listens before the sync starts, so that no event is missed.
    if (directoryId !== undefined) return callbacks.listenDuring(directoryId, callback, () => syncOne(directoryId));
    return callbacks.listenDuring(undefined, callback, syncAll);
  };

  async function syncAll(): Promise<Result<SyncRun[]>> {
    const started = await Promise.all([client.syncs.startAll(), client.syncs.startAllEntra()]);
    const failure = started.find((result): result is Failure => result.error !== null);
    if (failure) return failure;
    const runs = started.flatMap(({ data }) => data?.directories ?? []);
    return all(await Promise.all(runs.map((run) => follow({ directoryId: run.directory_id, runId: run.run_id }))));
  }

  async function syncOne(directoryId: string): Promise<Result<SyncRun[]>> {
    const { data, error, ...rest } = await client.syncs.start(directoryId);
    return error ? { data, error, ...rest } : all([await follow({ directoryId, runId: data.id })]);
  }

  async function follow({ directoryId, runId }: StartedRun): Promise<Result<SyncRun>> {
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 1.5, longestWaitMs)) {
      const result = await client.syncs.get(directoryId, runId);
      if (result.error) return result;
      if (!isOpen(result.data)) return (await findSuccessor(result.data)) ?? result;
      await sleep(waitMs);
    }
  }

  /** A run that a stopped process left behind ends, and another run replaces it, which may have ended too. */
  async function findSuccessor({ id, directory_id: directoryId, state }: SyncRun): Promise<Result<SyncRun> | undefined> {
    if (state !== 'failed' && state !== 'canceled') return undefined;
    const newest = (await client.syncs.list(directoryId, { pageLimit: 1 })).data?.[0];
    return newest && newest.id !== id ? follow({ directoryId, runId: newest.id }) : undefined;
  }
}

const isOpen = ({ state }: SyncRun) => state === 'queued' || state === 'running';

function all(ended: Result<SyncRun>[]): Result<SyncRun[]> {
  const failure = ended.find((result): result is Failure => result.error !== null);
  return failure ?? { data: ended.flatMap(({ data }) => data ?? []), error: null, status: 200 };
}

const toInvalidRequest = (field: string, sentence: string): Failure => ({
  data: null,
  error: { code: 'invalid_request', message: `${field}: ${sentence}.`, field },
  status: 400,
});

import { createAsyncScope } from '../shared/async-scope.ts';
import type { Applied } from '../directory/changes/apply-to-directory.ts';
import { toEventPayload, type EmittedEvents } from '../directory/event.ts';
import type { CommitMutations } from '../directory/intake/intake.ts';
import type { Mutation, Outcome } from '../directory/changes/mutation.ts';
import type { Intake } from '../directory/ports.ts';
import type { EventCallback, RollcallEvent } from './rollcall-options.ts';
import type { Logger } from '../logger.ts';

interface PendingCallback {
  callback: EventCallback;
  finished: Promise<void>;
  done(): void;
}

export interface EventCallbacksDeps {
  /** Returns the events from `first` to `last`, in order. It may return only the first few of them, if all would be too large. */
  readEvents(directoryId: string, first: number, last: number): Promise<EmittedEvents | undefined>;
  /** For changes without a callback of their own. */
  onEvent: EventCallback | undefined;
  log: Logger;
}

interface Caller {
  callback: EventCallback | undefined;
  activeDirectories: string[];
}

/** It cannot be the ID of a directory. */
const allDirectories = '*';

interface Range {
  first: number;
  count: number;
}

type Batches = AsyncIterable<EmittedEvents> | EmittedEvents[];

const eventsPerRead = 500;
const slowMs = 30_000;

export type EventCallbacks = ReturnType<typeof createEventCallbacks>;

/**
 * Calls back with events once their change is committed: each event once, and the events of a directory one by one in their order,
 * no matter which call made the changes. Events whose callback fails stay in the event feed.
 */
export function createEventCallbacks({ readEvents, onEvent, log }: EventCallbacksDeps) {
  const callers = createAsyncScope<Caller>();
  const pending = new WeakMap<Mutation, PendingCallback>();
  const queues = createCallbackQueues({
    log,
    runIn: (directoryId, work) => callers.run({ callback: undefined, activeDirectories: [...activeDirectories(), directoryId] }, work),
  });

  return {
    /** Changes made during the work go to this callback. */
    runWithCallback: <T>(callback: EventCallback | undefined, work: () => Promise<T>): Promise<T> =>
      callers.run({ callback, activeDirectories: activeDirectories() }, work),

    watchIntake: (intake: Intake): Intake => ({
      assertAccepts: intake.assertAccepts,
      async submit(mutation, caller) {
        const callback = callers.get()?.callback ?? onEvent;
        if (!callback) return intake.submit(mutation, caller);
        const mine = createPendingCallback(callback);
        pending.set(mutation, mine);
        const outcome = await intake.submit(mutation, caller);
        // Of two identical creates, the first one was applied and is dispatched. A callback that waited for itself would never finish.
        if (outcome.emitted && outcome.mutationId === mutation.id && activeDirectories().length === 0) await mine.finished;
        return outcome;
      },
    }),

    watchApply:
      (apply: CommitMutations): CommitMutations =>
      (mutations, settle) => {
        const byId = new Map(mutations.map((mutation) => [mutation.id, mutation]));
        return apply(mutations, (outcome, emitted) => {
          const mutation = byId.get(outcome.mutationId);
          if (mutation) dispatch(mutation, outcome, emitted);
          settle(outcome, emitted);
        });
      },

    ...createSyncListeners({ onEvent, enqueue }),

    /** The directories whose callbacks are running here. Work that waits for one of them would wait for itself. */
    activeDirectories,

    /** Resolves when everything committed so far has been dispatched. */
    settled: queues.settled,
  };

  function activeDirectories(): string[] {
    return callers.get()?.activeDirectories ?? [];
  }

  function dispatch(mutation: Mutation, { emitted: range }: Outcome, emitted: EmittedEvents | undefined): void {
    const mine = pending.get(mutation);
    if (!mine || !range) return;
    void enqueue(mutation.directoryId, mine.callback, range, emitted).then(mine.done);
  }

  function enqueue(directoryId: string, callback: EventCallback, range: Range, emitted: EmittedEvents | undefined): Promise<void> {
    return queues.enqueue(directoryId, callback, toBatches(readEvents, directoryId, range, emitted));
  }
}

interface SyncListenersDeps {
  onEvent: EventCallback | undefined;
  enqueue(directoryId: string, callback: EventCallback, range: Range, emitted: EmittedEvents | undefined): Promise<void>;
}

function createSyncListeners({ onEvent, enqueue }: SyncListenersDeps) {
  const listeners = new Map<string, Set<EventCallback>>();
  /** The last sequence dispatched for each directory's syncs: a repeated step does not repeat events. */
  const lastSequences = new Map<string, number>();

  return {
    /** Dispatches the changes of a sync to the first listener, or to `onEvent`. */
    async dispatchSynced(directoryId: string, { outcomes, emitted }: Applied): Promise<void> {
      const [callback = onEvent] = [...(listeners.get(directoryId) ?? []), ...(listeners.get(allDirectories) ?? [])];
      for (const { emitted: range } of outcomes) {
        if (!callback || !range) continue;
        const fresh = after(range, lastSequences.get(directoryId) ?? 0);
        if (fresh.count === 0) continue;
        await enqueue(directoryId, callback, fresh, emitted);
        lastSequences.set(directoryId, fresh.first + fresh.count - 1);
      }
    },

    /** During the work, syncs of this directory, or of all, go to this callback. */
    async listenDuring<T>(directoryId: string | undefined, callback: EventCallback | undefined, work: () => Promise<T>): Promise<T> {
      if (!callback) return work();
      const own: EventCallback = (event) => callback(event);
      const key = directoryId ?? allDirectories;
      const there = listeners.get(key) ?? new Set();
      listeners.set(key, there.add(own));
      try {
        return await work();
      } finally {
        there.delete(own);
        if (there.size === 0) listeners.delete(key);
      }
    },
  };
}

interface CallbackQueuesDeps {
  runIn(directoryId: string, work: () => Promise<unknown>): Promise<unknown>;
  log: Logger;
}

/** Calls the callbacks of each directory one after the other. */
function createCallbackQueues({ runIn, log }: CallbackQueuesDeps) {
  const queues = new Map<string, Promise<void>>();

  return {
    enqueue(directoryId: string, callback: EventCallback, batches: Batches): Promise<void> {
      const queue = (queues.get(directoryId) ?? Promise.resolve()).then(async () => dispatchAll(directoryId, callback, batches));
      queues.set(directoryId, queue);
      void queue.then(() => queues.get(directoryId) === queue && queues.delete(directoryId));
      return queue;
    },
    settled: async (): Promise<void> => void (await Promise.all(queues.values())),
  };

  async function dispatchAll(directoryId: string, callback: EventCallback, batches: Batches): Promise<void> {
    try {
      for await (const { directory, events } of batches) {
        for (const event of events) {
          if (event.data) await call(callback, toEventPayload(directory, event) as RollcallEvent);
          else log.warn({ directoryId, sequence: event.sequence }, 'event was delivered and deleted before its callback was called');
        }
      }
    } catch (error) {
      log.error({ directoryId, err: error }, 'failed to read events for their callback; they are in the event feed');
    }
  }

  async function call(callback: EventCallback, event: RollcallEvent): Promise<void> {
    const { id, sequence, directory_id: directoryId } = event;
    const slow = setTimeout(() => {
      log.warn({ eventId: id, sequence, directoryId }, 'slow event callback; later events of its directory wait for it');
    }, slowMs).unref();
    try {
      await runIn(directoryId, async () => callback(event));
    } catch (error) {
      log.error({ err: error, eventId: id, sequence, directoryId }, 'event callback failed; the event is in the event feed');
    } finally {
      clearTimeout(slow);
    }
  }
}

type ReadEvents = EventCallbacksDeps['readEvents'];

/** Events that an earlier attempt committed, or that are too large together, are not in the result and must be read. */
function toBatches(readEvents: ReadEvents, directoryId: string, range: Range, emitted: EmittedEvents | undefined): Batches {
  const found = emitted && cut(emitted, range);
  return found?.events.length === range.count ? [found] : readInBatches(readEvents, directoryId, range);
}

/** Starts reading immediately: once a webhook has delivered the events, they may be deleted. */
function readInBatches(readEvents: ReadEvents, directoryId: string, { first, count }: Range): AsyncIterable<EmittedEvents> {
  const end = first + count;
  const read = (from: number) => readEvents(directoryId, from, Math.min(from + eventsPerRead, end) - 1);
  const firstBatch = read(first);
  firstBatch.catch(() => undefined);
  return (async function* batches() {
    for (let [from, reading] = [first, firstBatch]; ; reading = read(from)) {
      const batch = await reading;
      if (batch) yield batch;
      // If all events of the range are deleted, the next range follows.
      from = batch?.events.length ? batch.events.at(-1)!.sequence + 1 : from + eventsPerRead;
      if (from >= end) return;
    }
  })();
}

const after = ({ first, count }: Range, last: number): Range => {
  const from = Math.max(first, last + 1);
  return { first: from, count: Math.max(0, first + count - from) };
};

const cut = ({ directory, events }: EmittedEvents, { first, count }: Range): EmittedEvents => ({
  directory,
  events: events.filter(({ sequence }) => sequence >= first && sequence < first + count),
});

function createPendingCallback(callback: EventCallback): PendingCallback {
  let done!: () => void;
  const finished = new Promise<void>((resolve) => (done = resolve));
  return { callback, finished, done };
}

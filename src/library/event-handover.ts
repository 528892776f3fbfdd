import { AsyncLocalStorage } from 'node:async_hooks';
import { toEventPayload } from '../directory/event.ts';
import type { ApplyGroup } from '../directory/intake.ts';
import type { Mutation, Outcome } from '../directory/mutation.ts';
import type { Intake } from '../directory/ports.ts';
import type { Logger } from '../logger.ts';
import type { ReadEvents } from '../store/read-events.ts';

/** What has changed, as a webhook would tell it. */
export type RollcallEvent = ReturnType<typeof toEventPayload>;
export type EventCallback = (event: RollcallEvent) => unknown;

interface Asked {
  callback: EventCallback;
  told: Promise<void>;
  done(): void;
}

interface Committed {
  asked: Asked;
  first: number;
  last: number;
}

export interface EventHandoverDeps {
  readEvents(directoryId: string, first: number, last: number): Promise<ReadEvents | undefined>;
  /** For changes that nobody gave a callback for. */
  onEvent: EventCallback | undefined;
  log: Logger;
}

export type EventHandover = ReturnType<typeof createEventHandover>;

/**
 * Hands events over once their change is committed: each once, and those of one directory one after the other in their order, whoever
 * made the changes. What a callback does not manage stays in the event feed.
 */
export function createEventHandover({ readEvents, onEvent, log }: EventHandoverDeps) {
  const callers = new AsyncLocalStorage<{ callback: EventCallback | undefined; isInCallback: boolean }>();
  const asked = new WeakMap<Mutation, Asked>();
  const committed = new Map<string, Committed[]>();
  const lines = new Map<string, Promise<void>>();

  return {
    /** Changes that are made meanwhile are told to this callback. */
    during: <T>(callback: EventCallback | undefined, work: () => Promise<T>): Promise<T> =>
      callers.run({ callback, isInCallback: callers.getStore()?.isInCallback ?? false }, work),

    watchIntake: (intake: Intake): Intake => ({
      async submit(mutation) {
        const { callback, isInCallback } = { callback: onEvent, isInCallback: false, ...withoutUndefined(callers.getStore()) };
        if (!callback) return intake.submit(mutation);
        const mine = createAsked(callback);
        asked.set(mutation, mine);
        const outcome = await intake.submit(mutation);
        // Of two creations that were the same the first one was made, and is told. A callback that waited for itself would wait for ever.
        if (outcome.told && outcome.mutationId === mutation.id && !isInCallback) await mine.told;
        return outcome;
      },
    }),

    watchApply:
      (apply: ApplyGroup): ApplyGroup =>
      (mutations, settle) => {
        const byId = new Map(mutations.map((mutation) => [mutation.id, mutation]));
        return apply(mutations, (outcome) => {
          const mutation = byId.get(outcome.mutationId);
          if (mutation) queueOutcome(mutation, outcome);
          settle(outcome);
        });
      },

    /** Likewise, and in the same line; waits until they are told. */
    tellRange: (directoryId: string, range: { first: number; last: number }, callback: EventCallback): Promise<void> => {
      const mine = createAsked(callback);
      queue(directoryId, { asked: mine, ...range });
      return mine.told;
    },
  };

  function queueOutcome(mutation: Mutation, { told }: Outcome): void {
    const mine = asked.get(mutation);
    if (!mine || !told) return;
    queue(mutation.directoryId, { asked: mine, first: told.first, last: told.first + told.count - 1 });
  }

  function queue(directoryId: string, entry: Committed): void {
    const queued = committed.get(directoryId);
    if (queued) return void queued.push(entry);
    committed.set(directoryId, [entry]);
    // All that was committed together is read together.
    queueMicrotask(() => handOver(directoryId));
  }

  function handOver(directoryId: string): void {
    const entries = (committed.get(directoryId) ?? []).sort((a, b) => a.first - b.first);
    committed.delete(directoryId);
    const reading = readEvents(directoryId, entries[0]!.first, entries.at(-1)!.last);
    reading.catch(() => undefined);
    const line = (lines.get(directoryId) ?? Promise.resolve()).then(() => tellAll(directoryId, entries, reading));
    lines.set(directoryId, line);
    void line.finally(() => lines.get(directoryId) === line && lines.delete(directoryId));
  }

  async function tellAll(directoryId: string, entries: Committed[], reading: ReturnType<EventHandoverDeps['readEvents']>): Promise<void> {
    try {
      const found = await reading;
      for (const { asked: mine, first, last } of entries) {
        for (const event of found?.events.filter(({ sequence }) => sequence >= first && sequence <= last) ?? [])
          await tell(mine.callback, toEventPayload(found!.directory, event));
        mine.done();
      }
    } catch (error) {
      log.error({ directoryId, err: error }, 'events could not be read for their callback; they are in the event feed');
    } finally {
      for (const { asked: mine } of entries) mine.done();
    }
  }

  async function tell(callback: EventCallback, event: RollcallEvent): Promise<void> {
    try {
      await callers.run({ callback: undefined, isInCallback: true }, async () => callback(event));
    } catch (error) {
      const { id, sequence, directory_id: directoryId } = event;
      log.error({ err: error, eventId: id, sequence, directoryId }, 'the callback of an event failed; the event is in the event feed');
    }
  }
}

function createAsked(callback: EventCallback): Asked {
  let done!: () => void;
  const told = new Promise<void>((resolve) => (done = resolve));
  return { callback, told, done };
}

const withoutUndefined = <T extends object>(value: T | undefined) =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([, inner]) => inner !== undefined)) as Partial<T>;

import { createAsyncScope } from '../shared/async-scope.ts';
import type { Applied } from '../directory/apply-mutations.ts';
import { toEventPayload, type ToldEvents } from '../directory/event.ts';
import type { ApplyGroup } from '../directory/intake.ts';
import type { Mutation, Outcome } from '../directory/mutation.ts';
import type { Intake } from '../directory/ports.ts';
import type { EventCallback, RollcallEvent } from './rollcall-options.ts';
import type { Logger } from '../logger.ts';

interface Asked {
  callback: EventCallback;
  told: Promise<void>;
  done(): void;
}

export interface EventHandoverDeps {
  /** Those that fit, in their order. */
  readEvents(directoryId: string, first: number, last: number): Promise<ToldEvents | undefined>;
  /** For changes that nobody gave a callback for. */
  onEvent: EventCallback | undefined;
  log: Logger;
}

interface Caller {
  callback: EventCallback | undefined;
  within: string[];
}

/** No directory has this id. */
const everyDirectory = '*';

interface Range {
  first: number;
  count: number;
}

const eventsAtOnce = 500;
const slowMs = 30_000;

export type EventHandover = ReturnType<typeof createEventHandover>;

/**
 * Hands events over once their change is committed: each once, and those of one directory one after the other in their order, whoever
 * made the changes. What a callback does not manage stays in the event feed.
 */
export function createEventHandover({ readEvents, onEvent, log }: EventHandoverDeps) {
  const callers = createAsyncScope<Caller>();
  const asked = new WeakMap<Mutation, Asked>();
  const lines = new Map<string, Promise<void>>();
  const listeners = new Map<string, Set<EventCallback>>();
  /** How far the readings of a hosted directory are told: a step that is taken again tells no more of what it told. */
  const toldOfSyncs = new Map<string, number>();

  return {
    /** Changes that are made meanwhile are told to this callback. */
    during: <T>(callback: EventCallback | undefined, work: () => Promise<T>): Promise<T> =>
      callers.run({ callback, within: within() }, work),

    watchIntake: (intake: Intake): Intake => ({
      async submit(mutation, caller) {
        const callback = callers.get()?.callback ?? onEvent;
        if (!callback) return intake.submit(mutation, caller);
        const mine = createAsked(callback);
        asked.set(mutation, mine);
        const outcome = await intake.submit(mutation, caller);
        // Of two creations that were the same the first one was made, and is told. A callback that waited for itself would wait for ever.
        if (outcome.told && outcome.mutationId === mutation.id && within().length === 0) await mine.told;
        return outcome;
      },
    }),

    watchApply:
      (apply: ApplyGroup): ApplyGroup =>
      (mutations, settle) => {
        const byId = new Map(mutations.map((mutation) => [mutation.id, mutation]));
        return apply(mutations, (outcome, told) => {
          const mutation = byId.get(outcome.mutationId);
          if (mutation) handOver(mutation, outcome, told);
          settle(outcome, told);
        });
      },

    /** What a reading has changed is told to whoever waits for it, the first to come, else to the callback of all. */
    async tellSynced(directoryId: string, { outcomes, told }: Applied): Promise<void> {
      const [callback = onEvent] = [...(listeners.get(directoryId) ?? []), ...(listeners.get(everyDirectory) ?? [])];
      for (const { told: range } of outcomes) {
        if (!callback || !range) continue;
        const fresh = after(range, toldOfSyncs.get(directoryId) ?? 0);
        if (fresh.count === 0) continue;
        await standInLine(directoryId, callback, lotsOf(directoryId, fresh, told));
        toldOfSyncs.set(directoryId, fresh.first + fresh.count - 1);
      }
    },

    /** While the work goes on, readings of this directory, or of all, are told to this callback. */
    async listening<T>(directoryId: string | undefined, callback: EventCallback | undefined, work: () => Promise<T>): Promise<T> {
      if (!callback) return work();
      const own: EventCallback = (event) => callback(event);
      const key = directoryId ?? everyDirectory;
      const there = listeners.get(key) ?? new Set();
      listeners.set(key, there.add(own));
      try {
        return await work();
      } finally {
        there.delete(own);
        if (there.size === 0) listeners.delete(key);
      }
    },

    /** The directories whose callbacks are under way here: what waits for one of them waits for itself. */
    within,

    /** When all that was committed so far has been told. */
    settled: async (): Promise<void> => void (await Promise.all(lines.values())),
  };

  function within(): string[] {
    return callers.get()?.within ?? [];
  }

  function handOver(mutation: Mutation, { told: range }: Outcome, told: ToldEvents | undefined): void {
    const mine = asked.get(mutation);
    if (!mine || !range) return;
    const { directoryId } = mutation;
    void standInLine(directoryId, mine.callback, lotsOf(directoryId, range, told)).then(mine.done);
  }

  /** What an attempt before this one committed is not among those that were told. */
  function lotsOf(directoryId: string, range: Range, told: ToldEvents | undefined): AsyncIterable<ToldEvents> | ToldEvents[] {
    const found = told && cut(told, range);
    return found?.events.length === range.count ? [found] : readInLots(directoryId, range);
  }

  /** Begins to read at once: what a webhook has delivered meanwhile may no longer be there. */
  function readInLots(directoryId: string, { first, count }: Range): AsyncIterable<ToldEvents> {
    const end = first + count;
    const read = (from: number) => readEvents(directoryId, from, Math.min(from + eventsAtOnce, end) - 1);
    const begun = read(first);
    begun.catch(() => undefined);
    return (async function* lots() {
      for (let [from, reading] = [first, begun]; ; reading = read(from)) {
        const lot = await reading;
        if (lot) yield lot;
        // What is not there any more is passed over.
        from = lot?.events.length ? lot.events.at(-1)!.sequence + 1 : from + eventsAtOnce;
        if (from >= end) return;
      }
    })();
  }

  type Lots = ReturnType<typeof lotsOf>;

  function standInLine(directoryId: string, callback: EventCallback, lots: Lots): Promise<void> {
    const line = (lines.get(directoryId) ?? Promise.resolve()).then(async () => tellAll(directoryId, callback, lots));
    lines.set(directoryId, line);
    void line.then(() => lines.get(directoryId) === line && lines.delete(directoryId));
    return line;
  }

  async function tellAll(directoryId: string, callback: EventCallback, lots: Lots): Promise<void> {
    try {
      for await (const { directory, events } of lots) {
        for (const event of events) {
          if (event.data) await tell(callback, toEventPayload(directory, event) as RollcallEvent);
          else log.warn({ directoryId, sequence: event.sequence }, 'an event was delivered and forgotten before its callback was told');
        }
      }
    } catch (error) {
      log.error({ directoryId, err: error }, 'events could not be read for their callback; they are in the event feed');
    }
  }

  async function tell(callback: EventCallback, event: RollcallEvent): Promise<void> {
    const { id, sequence, directory_id: directoryId } = event;
    const slow = setTimeout(() => {
      log.warn({ eventId: id, sequence, directoryId }, 'a callback takes long; the next events of its directory wait for it');
    }, slowMs).unref();
    try {
      await callers.run({ callback: undefined, within: [...within(), directoryId] }, async () => callback(event));
    } catch (error) {
      log.error({ err: error, eventId: id, sequence, directoryId }, 'the callback of an event failed; the event is in the event feed');
    } finally {
      clearTimeout(slow);
    }
  }
}

const after = ({ first, count }: Range, last: number): Range => {
  const from = Math.max(first, last + 1);
  return { first: from, count: Math.max(0, first + count - from) };
};

const cut = ({ directory, events }: ToldEvents, { first, count }: Range): ToldEvents => ({
  directory,
  events: events.filter(({ sequence }) => sequence >= first && sequence < first + count),
});

function createAsked(callback: EventCallback): Asked {
  let done!: () => void;
  const told = new Promise<void>((resolve) => (done = resolve));
  return { callback, told, done };
}

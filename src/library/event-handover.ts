import { AsyncLocalStorage } from 'node:async_hooks';
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
  readEvents(directoryId: string, first: number, last: number): Promise<ToldEvents | undefined>;
  /** For changes that nobody gave a callback for. */
  onEvent: EventCallback | undefined;
  log: Logger;
}

interface Range {
  first: number;
  count: number;
}

const eventsAtOnce = 500;

export type EventHandover = ReturnType<typeof createEventHandover>;

/**
 * Hands events over once their change is committed: each once, and those of one directory one after the other in their order, whoever
 * made the changes. What a callback does not manage stays in the event feed.
 */
export function createEventHandover({ readEvents, onEvent, log }: EventHandoverDeps) {
  const callers = new AsyncLocalStorage<{ callback: EventCallback | undefined; isInCallback: boolean }>();
  const asked = new WeakMap<Mutation, Asked>();
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
        return apply(mutations, (outcome, told) => {
          const mutation = byId.get(outcome.mutationId);
          if (mutation) handOver(mutation, outcome, told);
          settle(outcome, told);
        });
      },

    /** Likewise, and in the same line; waits until they are told. */
    tellRange: (directoryId: string, range: Range, callback: EventCallback): Promise<void> =>
      standInLine(directoryId, callback, readInLots(directoryId, range)),
  };

  function handOver(mutation: Mutation, { told: range }: Outcome, told: ToldEvents | undefined): void {
    const mine = asked.get(mutation);
    if (!mine || !range) return;
    const { directoryId } = mutation;
    const mineTold = told && cut(told, range);
    // What an attempt before this one committed is not among them.
    const lots = mineTold?.events.length === range.count ? [Promise.resolve(mineTold)] : readInLots(directoryId, range);
    void standInLine(directoryId, mine.callback, lots).then(mine.done);
  }

  /** Begins to read at once: what a webhook has delivered meanwhile may no longer be there. */
  function readInLots(directoryId: string, { first, count }: Range): Iterable<Promise<ToldEvents | undefined>> {
    const read = (from: number) => readEvents(directoryId, from, Math.min(from + eventsAtOnce, first + count) - 1);
    const begun = read(first);
    begun.catch(() => undefined);
    return (function* lots() {
      yield begun;
      for (let from = first + eventsAtOnce; from < first + count; from += eventsAtOnce) yield read(from);
    })();
  }

  function standInLine(directoryId: string, callback: EventCallback, lots: Iterable<Promise<ToldEvents | undefined>>): Promise<void> {
    const line = (lines.get(directoryId) ?? Promise.resolve()).then(async () => tellAll(directoryId, callback, lots));
    lines.set(directoryId, line);
    void line.then(() => lines.get(directoryId) === line && lines.delete(directoryId));
    return line;
  }

  async function tellAll(directoryId: string, callback: EventCallback, lots: Iterable<Promise<ToldEvents | undefined>>): Promise<void> {
    try {
      for (const lot of lots) {
        const told = await lot;
        for (const event of told?.events ?? []) await tell(callback, toEventPayload(told!.directory, event) as RollcallEvent);
      }
    } catch (error) {
      log.error({ directoryId, err: error }, 'events could not be read for their callback; they are in the event feed');
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

const cut = ({ directory, events }: ToldEvents, { first, count }: Range): ToldEvents => ({
  directory,
  events: events.filter(({ sequence }) => sequence >= first && sequence < first + count),
});

function createAsked(callback: EventCallback): Asked {
  let done!: () => void;
  const told = new Promise<void>((resolve) => (done = resolve));
  return { callback, told, done };
}

const withoutUndefined = <T extends object>(value: T | undefined) =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([, inner]) => inner !== undefined)) as Partial<T>;

import { type ReadAhead, memoryTimeoutMs, toHeldBytes } from './read-ahead.ts';
import type { Delivery, DeliveryStore, DueDelivery, HeldMemory, DeliveryMemory, OpenDelivery, RunningReplay, TakenLane } from './ports.ts';
import { type FreezeLimits, freezeDelivery } from './freeze-delivery.ts';
import { rangeAt } from './replays.ts';

/** The delivery to send next, or why there is none. `settled`: another process concluded the delivery. */
export type NextDelivery = { open: DueDelivery } | { freeze: Delivery } | { retryInMs: number } | 'no room' | 'settled' | undefined;

interface OpenDeliveries {
  /** The delivery with its body, as soon as it is due. */
  load(open: OpenDelivery): Promise<NextDelivery>;
  /** Frees the memory of the last body. */
  release(): void;
}

interface OpenDeliveriesDeps {
  store: Pick<DeliveryStore, 'readBody'>;
  memory: DeliveryMemory;
}

/** Loads the bodies of deliveries that were begun before. Holds the memory of one body. */
export function createOpenDeliveries(
  { store, memory }: OpenDeliveriesDeps,
  { directoryId, signal, beforeWait }: { directoryId: string; signal: AbortSignal; beforeWait(): void },
): OpenDeliveries {
  let held: HeldMemory | undefined;
  return {
    async load(open) {
      if (open.retryInMs > 0) return { retryInMs: open.retryInMs };
      const { body } = open;
      if (body !== undefined) return { open: { ...open, body } };
      beforeWait();
      held = await memory.enter(directoryId, toHeldBytes(open.bytes), { timeoutMs: memoryTimeoutMs, signal });
      if (!held) return 'no room';
      const read = await store.readBody(directoryId, open.id);
      return read === undefined ? 'settled' : { open: { ...open, body: read } };
    },
    release() {
      held?.release();
      held = undefined;
    },
  };
}

export type LiveEvents = ReturnType<typeof createLiveEvents>;

interface LiveEventsDeps {
  limits: FreezeLimits;
  /** Events after this sequence wait for the next drain. */
  upTo: number;
  ahead: ReadAhead;
  openDeliveries: OpenDeliveries;
}

/** The events of a directory that are not acknowledged yet, in order: how far the receiver is, and how many events it can take at a time. */
export function createLiveEvents(taken: TakenLane, { limits, upTo, ahead, openDeliveries }: LiveEventsDeps) {
  let { ackedSequence, lastSequence, batchLimit, suspectUntil, head } = taken;

  return {
    ackedSequence: () => ackedSequence,
    batchLimit: () => batchLimit,
    isBehind: () => lastSequence > ackedSequence,
    setLastSequence(sequence: number): void {
      lastSequence = sequence;
    },

    /** Without `mayWait`, returns nothing rather than wait for memory. */
    async next(mayWait: boolean): Promise<NextDelivery> {
      if (head) return openDeliveries.load(head);
      const isSuspect = ackedSequence < suspectUntil;
      const maxEvents = Math.min(limits.maxEvents, batchLimit ?? Infinity);
      const last = Math.min(lastSequence, upTo, isSuspect ? suspectUntil : Infinity);
      const events = await ahead.between(ackedSequence, last, { waits: mayWait });
      if (events === 'no room') return mayWait ? events : undefined;
      if (events.length === 0) return undefined;
      return { freeze: { ...freezeDelivery(taken, events, { ...limits, maxEvents }), suspect: isSuspect } };
    },

    acknowledge({ toSequence, eventCount }: Delivery): void {
      [head, ackedSequence] = [undefined, toSequence];
      if (ackedSequence >= suspectUntil && eventCount <= (batchLimit ?? 0)) batchLimit = grow(batchLimit);
    },

    /** The receiver rejects the content of the delivery: its events are sent again in smaller batches. */
    split({ toSequence }: Delivery, newLimit: number): void {
      head = undefined;
      batchLimit = newLimit;
      suspectUntil = toSequence;
    },
  };

  /** After an overload, the batch size doubles with each acknowledged delivery. */
  function grow(limit: number | undefined): number | undefined {
    return limit === undefined || limit * 2 >= limits.maxEvents ? undefined : limit * 2;
  }
}

export type ReplayedEvents = ReturnType<typeof createReplayedEvents>;

interface ReplayedEventsDeps {
  store: Pick<DeliveryStore, 'finishReplay'>;
  limits: FreezeLimits;
  ahead: ReadAhead;
  openDeliveries: OpenDeliveries;
}

/** The replay in progress, if there is one. */
export function createReplayedEvents({ lane, directory }: TakenLane, { store, limits, ahead, openDeliveries }: ReplayedEventsDeps) {
  let replay: RunningReplay | undefined;

  return {
    current: () => replay,
    set(running: RunningReplay | undefined): void {
      replay = running;
    },
    next,
    acknowledge({ toSequence }: Delivery): void {
      replay = { ...replay!, nextSequence: toSequence + 1, head: undefined };
    },
    retryLater({ body, ...frozen }: Delivery, delayMs: number): void {
      const open = { body: undefined, bytes: Buffer.byteLength(body), attempts: 0, failures: 0, clientErrors: 0 };
      replay = { ...replay!, head: { ...frozen, ...open, retryInMs: delayMs } };
    },
  };

  async function next(): Promise<NextDelivery> {
    if (!replay) return undefined;
    if (replay.head) return openDeliveries.load(replay.head);
    const range = rangeAt(replay.ranges, replay.nextSequence);
    const events = range ? await ahead.between(range.after, range.upTo, { waits: true }) : [];
    if (events === 'no room') return events;
    if (events.length > 0) return { freeze: freezeDelivery({ lane, directory }, events, limits, replay.id) };
    if (range) {
      replay = { ...replay, nextSequence: range.upTo + 1 };
      return next();
    }
    await store.finishReplay(lane, replay.id);
    replay = undefined;
    return undefined;
  }
}

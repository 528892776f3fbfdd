import { freeze, type FreezeLimits } from './freeze.ts';
import type { NextBatch, OpenBatches } from './next-batch.ts';
import type { Batch, TakenLane } from './ports.ts';
import type { ReadAhead } from './read-ahead.ts';

export type LiveEvents = ReturnType<typeof createLiveEvents>;

interface LiveEventsDeps {
  limits: FreezeLimits;
  /** Events after this sequence wait for the next drain. */
  upTo: number;
  ahead: ReadAhead;
  openBatches: OpenBatches;
}

/** The events of a directory that are not acknowledged yet, in order: how far the receiver is, and how many events it can take at a time. */
export function createLiveEvents(taken: TakenLane, { limits, upTo, ahead, openBatches }: LiveEventsDeps) {
  let { ackedSequence, lastSequence, batchLimit, suspectUntil, head } = taken;

  return {
    ackedSequence: () => ackedSequence,
    batchLimit: () => batchLimit,
    isBehind: () => lastSequence > ackedSequence,
    setLastSequence(sequence: number): void {
      lastSequence = sequence;
    },

    /** Without `mayWait`, returns nothing rather than wait for memory. */
    async next(mayWait: boolean): Promise<NextBatch> {
      if (head) return openBatches.load(head);
      const isSuspect = ackedSequence < suspectUntil;
      const maxEvents = Math.min(limits.maxEvents, batchLimit ?? Infinity);
      const last = Math.min(lastSequence, upTo, isSuspect ? suspectUntil : Infinity);
      const events = await ahead.between(ackedSequence, last, { waits: mayWait });
      if (events === 'no room') return mayWait ? events : undefined;
      if (events.length === 0) return undefined;
      return { freeze: { ...freeze(taken, events, { ...limits, maxEvents }), suspect: isSuspect } };
    },

    acknowledge({ toSequence, eventCount }: Batch): void {
      [head, ackedSequence] = [undefined, toSequence];
      if (ackedSequence >= suspectUntil && eventCount <= (batchLimit ?? 0)) batchLimit = grow(batchLimit);
    },

    /** The receiver rejects the content of the batch: its events are sent again in smaller batches. */
    split({ toSequence }: Batch, newLimit: number): void {
      head = undefined;
      batchLimit = newLimit;
      suspectUntil = toSequence;
    },
  };

  /** After an overload, the batch size doubles with each acknowledged batch. */
  function grow(limit: number | undefined): number | undefined {
    return limit === undefined || limit * 2 >= limits.maxEvents ? undefined : limit * 2;
  }
}

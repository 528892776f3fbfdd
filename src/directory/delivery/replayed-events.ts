import { freeze, type FreezeLimits } from './freeze.ts';
import type { NextBatch, OpenBatches } from './next-batch.ts';
import type { Batch, DeliveryStore, RunningReplay, TakenLane } from './ports.ts';
import type { ReadAhead } from './read-ahead.ts';
import { rangeAt } from './replay-ranges.ts';

export type ReplayedEvents = ReturnType<typeof createReplayedEvents>;

interface ReplayedEventsDeps {
  store: Pick<DeliveryStore, 'finishReplay'>;
  limits: FreezeLimits;
  ahead: ReadAhead;
  openBatches: OpenBatches;
}

/** The replay in progress, if there is one. */
export function createReplayedEvents({ lane, directory }: TakenLane, { store, limits, ahead, openBatches }: ReplayedEventsDeps) {
  let replay: RunningReplay | undefined;

  return {
    current: () => replay,
    set(running: RunningReplay | undefined): void {
      replay = running;
    },
    next,
    acknowledge({ toSequence }: Batch): void {
      replay = { ...replay!, nextSequence: toSequence + 1, head: undefined };
    },
    retryLater({ body, ...frozen }: Batch, delayMs: number): void {
      const open = { body: undefined, bytes: Buffer.byteLength(body), attempts: 0, failures: 0, clientErrors: 0 };
      replay = { ...replay!, head: { ...frozen, ...open, retryInMs: delayMs } };
    },
  };

  async function next(): Promise<NextBatch> {
    if (!replay) return undefined;
    if (replay.head) return openBatches.load(replay.head);
    const range = rangeAt(replay.ranges, replay.nextSequence);
    const events = range ? await ahead.between(range.after, range.upTo, { waits: true }) : [];
    if (events === 'no room') return events;
    if (events.length > 0) return { freeze: freeze({ lane, directory }, events, limits, replay.id) };
    if (range) {
      replay = { ...replay, nextSequence: range.upTo + 1 };
      return next();
    }
    await store.finishReplay(lane, replay.id);
    replay = undefined;
    return undefined;
  }
}

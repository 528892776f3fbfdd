import { createLiveEvents, createOpenBatches, createReplayedEvents, type NextBatch } from './batch-sources.ts';
import type { Batch, DeliveryStore, Failure, LaneMemory, TakenLane } from './ports.ts';
import { createReadAhead } from './read-ahead.ts';

interface LaneEventsDeps {
  store: DeliveryStore;
  memory: LaneMemory;
}

/** What a lane sends, and the memory that this takes: the live events of its directory, then its replays. */
export function createLaneEvents(deps: LaneEventsDeps, taken: TakenLane, batchSize: number | undefined, signal: AbortSignal) {
  const limits = { asArray: batchSize !== undefined, maxEvents: batchSize ?? 1 };
  const reading = { directoryId: taken.directory.id, batchSize: limits.maxEvents, signal };
  // A lane that waits for memory holds none: otherwise lanes could wait for each other.
  const liveAhead = createReadAhead(deps, { ...reading, beforeWait: () => replayAhead.close() });
  const replayAhead = createReadAhead(deps, { ...reading, beforeWait: () => liveAhead.close() });
  const openBatches = createOpenBatches(deps, { ...reading, beforeWait: closeReaders });
  // In batch mode, events that are committed during the drain wait for the next one.
  const upTo = batchSize === undefined ? Infinity : taken.lastSequence;
  const live = createLiveEvents(taken, { limits, upTo, ahead: liveAhead, openBatches });
  const replays = createReplayedEvents(taken, { store: deps.store, limits, ahead: replayAhead, openBatches });

  return {
    live,
    replays,
    /** The next batch. Does not wait for one while a success is unrecorded. Live events come before replays. */
    async next(hasUnrecorded: boolean): Promise<NextBatch> {
      return (await live.next(!hasUnrecorded)) ?? (hasUnrecorded ? undefined : await replays.next());
    },
    acknowledge(batch: Batch): void {
      (batch.kind === 'replay' ? replays : live).acknowledge(batch);
    },
    continueAfter(batch: Batch, failure: Failure): void {
      if (failure.kind === 'split') live.split(batch, failure.batchLimit);
      else if (failure.kind === 'retry') replays.retryLater(batch, failure.delayMs);
      else replays.set(undefined);
    },
    /** Frees the memory of the body that was sent. */
    releaseBody: () => openBatches.release(),
    close(): void {
      closeReaders();
      openBatches.release();
    },
  };

  function closeReaders(): void {
    liveAhead.close();
    replayAhead.close();
  }
}

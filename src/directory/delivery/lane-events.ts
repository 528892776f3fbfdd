import { createLiveEvents, createOpenDeliveries, createReplayedEvents, type NextDelivery } from './delivery-sources.ts';
import type { Delivery, DeliveryStore, Failure, DeliveryMemory, TakenLane } from './ports.ts';
import { createReadAhead } from './read-ahead.ts';

interface LaneEventsDeps {
  store: DeliveryStore;
  memory: DeliveryMemory;
}

/** What a lane sends, and the memory that this takes: the live events of its directory, then its replays. */
export function createLaneEvents(deps: LaneEventsDeps, taken: TakenLane, batchSize: number | undefined, signal: AbortSignal) {
  const limits = { asArray: batchSize !== undefined, maxEvents: batchSize ?? 1 };
  const reading = { directoryId: taken.directory.id, batchSize: limits.maxEvents, signal };
  // A lane that waits for memory holds none: otherwise lanes could wait for each other.
  const liveAhead = createReadAhead(deps, { ...reading, beforeWait: () => replayAhead.close() });
  const replayAhead = createReadAhead(deps, { ...reading, beforeWait: () => liveAhead.close() });
  const openDeliveries = createOpenDeliveries(deps, { ...reading, beforeWait: closeReaders });
  // In batch mode, events that are committed during the drain wait for the next one.
  const upTo = batchSize === undefined ? Infinity : taken.lastSequence;
  const live = createLiveEvents(taken, { limits, upTo, ahead: liveAhead, openDeliveries });
  const replays = createReplayedEvents(taken, { store: deps.store, limits, ahead: replayAhead, openDeliveries });

  return {
    live,
    replays,
    /** The next delivery. Does not wait for one while a success is unrecorded. Live events come before replays. */
    async next(hasUnrecorded: boolean): Promise<NextDelivery> {
      return (await live.next(!hasUnrecorded)) ?? (hasUnrecorded ? undefined : await replays.next());
    },
    acknowledge(delivery: Delivery): void {
      (delivery.kind === 'replay' ? replays : live).acknowledge(delivery);
    },
    continueAfter(delivery: Delivery, failure: Failure): void {
      if (failure.kind === 'split') live.split(delivery, failure.batchLimit);
      else if (failure.kind === 'retry') replays.retryLater(delivery, failure.delayMs);
      else replays.set(undefined);
    },
    /** Frees the memory of the body that was sent. */
    releaseBody: () => openDeliveries.release(),
    close(): void {
      closeReaders();
      openDeliveries.release();
    },
  };

  function closeReaders(): void {
    liveAhead.close();
    replayAhead.close();
  }
}

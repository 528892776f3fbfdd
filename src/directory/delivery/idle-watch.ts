import type { DeliveryStore, DeliveryLane, SequenceWatch } from './ports.ts';
import type { DrainSlots } from './drain-slots.ts';
import type { LiveEvents, ReplayedEvents } from './delivery-sources.ts';

export interface IdleWatchDeps {
  store: Pick<DeliveryStore, 'goIdle' | 'stopWatching' | 'deleteDeliveredBodies'>;
  watch: SequenceWatch;
  batchSize: number | undefined;
  quietMs: number;
  lingerMs: number;
  slots: DrainSlots;
  now?: () => number;
}

interface IdleWatchOptions {
  lane: DeliveryLane;
  directoryId: string;
  live: LiveEvents;
  replays: ReplayedEvents;
  signal: AbortSignal;
  endsAtMs: number;
  onIdle(): void;
}

const maxDeletions = 100;

/** What a drain does when nothing is left to deliver: it watches for new events, so that a busy directory needs no wake for each change. */
export function createIdleWatch(deps: IdleWatchDeps, options: IdleWatchOptions) {
  const { store, batchSize, quietMs, now = Date.now } = deps;
  const { lane, directoryId, live, replays, signal, endsAtMs, onIdle } = options;
  const usedSecretIds = new Set<string>();
  // While it watches, the wake flag is set, and changes wake no delivery. The drain must not end before it has lowered the flag.
  let isWatching = false;
  let hasNewEvents = false;
  let mustEnd = false;

  return {
    deleteDeliveredBodies,

    noteAttempt(secrets: { id: string }[]): void {
      for (const { id } of secrets) usedSecretIds.add(id);
      hasNewEvents = true;
    },

    /** Waits for the next event of a directory that is watched already. Returns whether there is one. */
    async expectMore(timeoutMs: number): Promise<boolean> {
      if (!isWatching || replays.current() || timeoutMs <= 0) return false;
      const seen = await waitForMore(timeoutMs);
      if (typeof seen !== 'number') return false;
      live.setLastSequence(seen);
      return true;
    },

    /** Returns how the drain ends, or nothing if it must look for the next delivery. */
    async begin(): Promise<'more' | 'drained' | undefined> {
      const keepWatch = batchSize === undefined && hasNewEvents && now() + quietMs < endsAtMs;
      if (isWatching && !keepWatch) {
        const ended = await store.stopWatching(lane);
        if (ended === 'superseded') return 'more';
        isWatching = false;
        live.setLastSequence(ended.lastSequence);
        if (live.isBehind()) return undefined;
      }
      if (!isWatching) {
        const replay = replays.current() ?? (await store.goIdle(lane, { keepWatch, usedSecretIds: [...usedSecretIds] }));
        if (replay === 'superseded') return 'more';
        replays.set(replay);
        if (replay) return undefined;
        onIdle();
        if (!keepWatch) {
          await deleteDeliveredBodies();
          return 'drained';
        }
        isWatching = true;
      }
      const seen = await linger();
      hasNewEvents = typeof seen === 'number';
      if (typeof seen === 'number') live.setLastSequence(seen);
      return undefined;
    },
  };

  /** Bodies are deleted as soon as the directory is quiet for a moment, not only when the drain ends. */
  async function linger(): Promise<number | 'ended' | undefined> {
    const seen = await waitForMore(quietMs);
    const leftMs = Math.min(deps.lingerMs - quietMs, endsAtMs - now());
    if (seen !== undefined || leftMs <= 0 || mustEnd) return seen;
    await deleteDeliveredBodies();
    return waitForMore(leftMs);
  }

  async function waitForMore(timeoutMs: number): Promise<number | 'ended' | undefined> {
    const waiting = new AbortController();
    const end = () => {
      mustEnd = true;
      waiting.abort();
    };
    const stopLingering = deps.slots.linger(end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    try {
      return await deps.watch.waitFor(directoryId, live.ackedSequence(), { timeoutMs, signal: waiting.signal });
    } finally {
      signal.removeEventListener('abort', end);
      stopLingering();
    }
  }

  /** In small steps, so that other transactions do not wait for locks. */
  async function deleteDeliveredBodies(): Promise<void> {
    for (let steps = 0; steps < maxDeletions && (await store.deleteDeliveredBodies(lane)); steps += 1);
  }
}

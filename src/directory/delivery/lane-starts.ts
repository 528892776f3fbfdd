import { createOneAtATime } from '../one-at-a-time.ts';
import type { Drained } from './drain-deliveries.ts';
import type { DeliveryStore, Lane, TakenLane } from './ports.ts';

/**
 * Starts of lanes are counted in Postgres before they are made, and set back by whatever is concluded, so that a delivery which kills its
 * process again and again is noticed. This knows the starts of this process that are not concluded: a process that lives, or that stops in
 * an orderly way, takes them back.
 */
export interface LaneStarts {
  takeLane: DeliveryStore['takeLane'];
  /**
   * Begins a drain. After several deaths of its process lanes begin one at a time, so that it is known over which of them a process dies:
   * the next one begins after `onConcluded`, or a second later.
   */
  begin(taken: TakenLane, signal: AbortSignal, drain: (onConcluded: () => void) => Promise<Drained>): Promise<Drained>;
  /** Whether a start of this lane is counted and not concluded. */
  setCounted(lane: Lane, isCounted: boolean): void;
  /** It ended without a conclusion, but its process lives. */
  forgive(lane: Lane): Promise<void>;
  /** The process stops: what it was doing does not kill it. */
  forgiveOpen(): Promise<void>;
}

const aloneMs = 1_000;
/** After this the activity makes room, and queues again. */
const queueMs = 10_000;

export function createLaneStarts(store: Pick<DeliveryStore, 'takeLane' | 'countStart' | 'forgiveStarts'>): LaneStarts {
  const oneAtATime = createOneAtATime(aloneMs);
  const open = new Set<Lane>();
  /** Could not be taken back, since Postgres was away: that is done before the lane is taken again. */
  const owed = new Set<string>();
  const countAlive = (id: string) => [...open].filter(({ directoryId }) => directoryId === id).length;

  return {
    async takeLane(directoryId) {
      if (owed.has(directoryId)) {
        await store.forgiveStarts([directoryId]);
        owed.delete(directoryId);
      }
      try {
        const aliveBefore = countAlive(directoryId);
        const taken = await store.takeLane(directoryId);
        if (typeof taken === 'string' || !('lane' in taken)) return taken;
        // Predecessors that live in this process, and end as soon as they see their successor, did not die.
        const deaths = Math.max(0, taken.deaths - Math.max(aliveBefore, countAlive(directoryId)));
        if (taken.isStartCounted) open.add(taken.lane);
        return { ...taken, deaths };
      } catch (error) {
        // It may have been counted.
        owed.add(directoryId);
        throw error;
      }
    },

    async begin(taken, signal, drain) {
      if (taken.isStartCounted) return drain(() => undefined);
      const { lane } = taken;
      const started: { drain?: Promise<Drained>; hasLeft: boolean } = { hasLeft: false };
      const turn = oneAtATime(async () => {
        if (started.hasLeft || !(await store.countStart(lane))) return;
        open.add(lane);
        if (started.hasLeft) return await forgive([lane]);
        let conclude!: () => void;
        const concluded = new Promise<void>((resolve) => (conclude = resolve));
        started.drain = drain(conclude);
        await Promise.race([concluded, started.drain.catch(() => undefined)]);
      });
      await Promise.race([turn, untilAborted(AbortSignal.any([signal, AbortSignal.timeout(queueMs)]))]);
      started.hasLeft = true;
      turn.catch(() => undefined);
      return started.drain ?? { kind: 'more' };
    },

    setCounted(lane, isCounted) {
      if (isCounted) open.add(lane);
      else open.delete(lane);
    },

    forgive: (lane) => forgive(open.has(lane) ? [lane] : []),
    forgiveOpen: () => forgive([...open]),
  };

  async function forgive(lanes: Lane[]): Promise<void> {
    if (lanes.length === 0) return;
    for (const lane of lanes) open.delete(lane);
    const directoryIds = lanes.map(({ directoryId }) => directoryId);
    await store.forgiveStarts(directoryIds).catch(() => {
      for (const directoryId of directoryIds) owed.add(directoryId);
    });
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

import { withTimeout } from '../../shared/timeout.ts';
import type { DeliveryStore, DeliveryLane, CountedStart, TakenLane } from './ports.ts';
import { createOneAtATime } from '../../shared/semaphore.ts';

/**
 * Detects deliveries that crash their process. Postgres counts each start of a lane before it begins, and resets the count when an attempt
 * is concluded. This keeps the open starts of the process, and takes them back when a drain ends or the process stops in an orderly way.
 */
export interface DeliveryLaneStarts {
  takeLane: DeliveryStore['takeLane'];
  /**
   * Begins a drain. After several crashes, lanes begin one at a time, so that the next crash shows which of them caused it: the next lane
   * begins after `onConcluded`, or after a second. Returns nothing if the lane could not begin in time.
   */
  begin<Drained>(taken: TakenLane, signal: AbortSignal, drain: (onConcluded: () => void) => Promise<Drained>): Promise<Drained | undefined>;
  /** Whether a start of this lane is counted and not concluded. */
  setCounted(lane: DeliveryLane, isCounted: boolean): void;
  /** Takes back the start of a drain that ended without a conclusion. */
  uncount(lane: DeliveryLane): Promise<void>;
  /** Takes back all open starts, because the process stops. */
  forgiveOpen(): Promise<void>;
}

const aloneMs = 1_000;
/** After this time the drain ends, and its workflow tries again. */
const queueMs = 10_000;

export function createDeliveryLaneStarts(store: Pick<DeliveryStore, 'takeLane' | 'countStart' | 'uncountStarts'>): DeliveryLaneStarts {
  const oneAtATime = createOneAtATime(aloneMs);
  const open = new Set<DeliveryLane>();
  /** Starts that could not be taken back because Postgres was unreachable. Done before the lane is taken again. */
  const owed = new Set<CountedStart>();
  const countAlive = (id: string) => [...open].filter(({ directoryId }) => directoryId === id).length;

  return {
    async takeLane(directoryId, holder) {
      const due = [...owed].filter((start) => start.directoryId === directoryId);
      if (due.length > 0) {
        await store.uncountStarts(due);
        for (const start of due) owed.delete(start);
      }
      try {
        const aliveBefore = countAlive(directoryId);
        const taken = await store.takeLane(directoryId, holder);
        if (typeof taken === 'string' || !('lane' in taken)) return taken;
        // Earlier drains of this process are alive: they end when they notice that the lane was taken.
        const crashes = Math.max(0, taken.crashes - Math.max(aliveBefore, countAlive(directoryId)));
        if (taken.isStartCounted) open.add(taken.lane);
        return { ...taken, crashes };
      } catch (error) {
        // The start may have been counted.
        owed.add({ directoryId });
        throw error;
      }
    },

    async begin<Drained>(taken: TakenLane, signal: AbortSignal, drain: (onConcluded: () => void) => Promise<Drained>) {
      if (taken.isStartCounted) return drain(() => undefined);
      const { lane } = taken;
      const started: { drain?: Promise<Drained>; isLate: boolean } = { isLate: false };
      const turn = oneAtATime(async () => {
        if (started.isLate || !(await countStart(lane))) return;
        open.add(lane);
        if (started.isLate) return await forgive([lane]);
        let conclude!: () => void;
        const concluded = new Promise<void>((resolve) => (conclude = resolve));
        started.drain = drain(conclude);
        await Promise.race([concluded, started.drain.catch(() => undefined)]);
      });
      await withTimeout(queueMs, signal, (ending) => Promise.race([turn, untilAborted(ending)]));
      started.isLate = true;
      turn.catch(() => undefined);
      return started.drain;
    },

    setCounted(lane, isCounted) {
      if (isCounted) open.add(lane);
      else open.delete(lane);
    },

    uncount: (lane) => forgive(open.has(lane) ? [lane] : []),
    forgiveOpen: () => forgive([...open]),
  };

  async function countStart(lane: DeliveryLane): Promise<boolean> {
    try {
      return await store.countStart(lane);
    } catch (error) {
      // The start may have been counted.
      owed.add(lane);
      throw error;
    }
  }

  async function forgive(lanes: DeliveryLane[]): Promise<void> {
    if (lanes.length === 0) return;
    for (const lane of lanes) open.delete(lane);
    await store.uncountStarts(lanes).catch(() => {
      for (const lane of lanes) owed.add(lane);
    });
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

import { maxDeliveryBytes } from './freeze-delivery.ts';
import type { DeliveryStore, HeldMemory, DeliveryMemory, StoredEvent } from './ports.ts';

export interface ReadAhead {
  /**
   * Events after one sequence and up to another: `batchSize` of them, if there are so many and there is memory for them. `no room`: there is
   * not enough memory for one event. Waits for memory only with `waits`.
   */
  between(after: number, upTo: number, how: { waits: boolean }): Promise<StoredEvent[] | 'no room'>;
  /** Drops the events and their memory. */
  close(): void;
}

export interface ReadAheadDeps {
  store: Pick<DeliveryStore, 'readEvents'>;
  memory: DeliveryMemory;
}

export interface ReadAheadOptions {
  directoryId: string;
  batchSize: number;
  signal: AbortSignal;
  /** Must free the lane's other memory: a lane that waits for memory holds none. */
  beforeWait(): void;
}

const minEventsPerRead = 50;
/** Memory that each lane may use without acquiring it, so that small events never wait. */
const freeBytes = 32_768;
export const memoryTimeoutMs = 10_000;

/** An event is in memory twice: as it was read, and in the body of its delivery. */
export const toHeldBytes = (bytes: number) => 2 * bytes;

/** Reads several events per statement, as many as there is memory for. Events never change. */
export function createReadAhead({ store, memory }: ReadAheadDeps, options: ReadAheadOptions): ReadAhead {
  const { directoryId, batchSize, signal, beforeWait } = options;
  let read: StoredEvent[] = [];
  let [readFrom, readTo] = [0, 0];
  let held: HeldMemory | undefined;

  return {
    async between(after, upTo, { waits }) {
      // The next replay may begin before the end of the last one.
      const isBehind = after < readFrom || readTo < after;
      readFrom = after;
      if (isBehind || (read.at(-1)?.sequence ?? 0) > upTo) [read, readTo] = [[], after];
      read = read.filter(({ sequence }) => sequence > after);
      if (memory.isScarce() && read.length > batchSize) [read, readTo] = [read.slice(0, batchSize), read[batchSize - 1]!.sequence];
      settle();
      while (read.length < batchSize && readTo < upTo) {
        const limit = Math.max(batchSize - read.length, minEventsPerRead);
        const { events, firstBytes } = await readMore(upTo, limit);
        if (firstBytes !== undefined && read.length === 0) {
          if (!(await hold(firstBytes, waits))) return 'no room';
          const large = await store.readEvents(directoryId, { after: readTo, upTo, limit: 1, maxBytes: firstBytes });
          // Its body was deleted meanwhile.
          if (large.events.length === 0) continue;
          [read, readTo] = [large.events, large.events[0]!.sequence];
          break;
        }
        read.push(...events);
        if (firstBytes === undefined) readTo = events.at(-1)?.sequence ?? upTo;
        if (events.length < limit) break;
      }
      return read;
    },

    close() {
      [read, readTo] = [[], readFrom];
      settle();
    },
  };

  async function readMore(upTo: number, limit: number) {
    const room = memory.tryEnter(directoryId, toHeldBytes(maxDeliveryBytes));
    const maxBytes = room ? maxDeliveryBytes : freeBytes - totalBytes(read);
    if (maxBytes <= 0) return { events: [], firstBytes: 0 };
    try {
      const found = await store.readEvents(directoryId, { after: readTo, upTo, limit, maxBytes });
      settle(totalBytes(found.events), room);
      return found;
    } catch (error) {
      room?.release();
      throw error;
    }
  }

  async function hold(bytes: number, waits: boolean): Promise<boolean> {
    if (waits) {
      beforeWait();
      held = await memory.enter(directoryId, toHeldBytes(bytes), { timeoutMs: memoryTimeoutMs, signal });
    } else held = memory.tryEnter(directoryId, toHeldBytes(bytes));
    return held !== undefined;
  }

  /** Keeps the memory of the events that were read, plus `moreBytes`, and releases the rest. */
  function settle(moreBytes = 0, room?: HeldMemory) {
    const bytes = totalBytes(read) + moreBytes;
    const kept = bytes > freeBytes ? (held ?? room) : undefined;
    kept?.resize(toHeldBytes(bytes));
    for (const other of [held, room]) if (other !== kept) other?.release();
    held = kept;
  }
}

const totalBytes = (events: StoredEvent[]) => events.reduce((sum, { bytes }) => sum + bytes, 0);

import { maxBatchBytes } from './freeze.ts';
import type { DeliveryStore, HeldMemory, LaneMemory, StoredEvent } from './ports.ts';

export interface ReadAhead {
  /**
   * Events after one sequence and up to another: `batchSize` of them if there are as many and there is memory for them. `no room`: there
   * is no memory for even one; without `waits` that is known at once.
   */
  between(after: number, upTo: number, how: { waits: boolean }): Promise<StoredEvent[] | 'no room'>;
  /** Lets go of what was read. */
  close(): void;
}

export interface ReadAheadDeps {
  store: Pick<DeliveryStore, 'readEvents'>;
  memory: LaneMemory;
}

export interface ReadAheadOptions {
  directoryId: string;
  batchSize: number;
  signal: AbortSignal;
  /** A lane that waits for memory holds none: what else it has is to go. */
  beforeWait(): void;
}

const leastAtOnce = 50;
/** A lane may read so much without asking: small events never wait for memory. */
const freeBytes = 32_768;
export const memoryTimeoutMs = 10_000;

/** An event is held twice for a while: as it was read, and as the body of its delivery. */
export const toHeldBytes = (bytes: number) => 2 * bytes;

/** Events never change, so several are read at once, as many as there is memory for. */
export function createReadAhead({ store, memory }: ReadAheadDeps, options: ReadAheadOptions): ReadAhead {
  const { directoryId, batchSize, signal, beforeWait } = options;
  let read: StoredEvent[] = [];
  let [readFrom, readTo] = [0, 0];
  let held: HeldMemory | undefined;

  return {
    async between(after, upTo, { waits }) {
      // Another replay may begin before the last one ended.
      const isBehind = after < readFrom || readTo < after;
      readFrom = after;
      if (isBehind || (read.at(-1)?.sequence ?? 0) > upTo) [read, readTo] = [[], after];
      read = read.filter(({ sequence }) => sequence > after);
      if (memory.isScarce() && read.length > batchSize) [read, readTo] = [read.slice(0, batchSize), read[batchSize - 1]!.sequence];
      settle();
      while (read.length < batchSize && readTo < upTo) {
        const limit = Math.max(batchSize - read.length, leastAtOnce);
        const { events, firstBytes } = await readMore(upTo, limit);
        if (firstBytes !== undefined && read.length === 0) {
          if (!(await hold(firstBytes, waits))) return 'no room';
          const large = await store.readEvents(directoryId, { after: readTo, upTo, limit: 1, maxBytes: firstBytes });
          // Its content was cleared meanwhile.
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
    const room = memory.tryEnter(directoryId, toHeldBytes(maxBatchBytes));
    const maxBytes = room ? maxBatchBytes : freeBytes - totalBytes(read);
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

  /** Holds what has been read and what is added to it, and gives back the rest. */
  function settle(moreBytes = 0, room?: HeldMemory) {
    const bytes = totalBytes(read) + moreBytes;
    const kept = bytes > freeBytes ? (held ?? room) : undefined;
    kept?.resize(toHeldBytes(bytes));
    for (const other of [held, room]) if (other !== kept) other?.release();
    held = kept;
  }
}

const totalBytes = (events: StoredEvent[]) => events.reduce((sum, { bytes }) => sum + bytes, 0);

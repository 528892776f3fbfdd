import type { DeliveryStore, StoredEvent } from './ports.ts';

export interface ReadAhead {
  /** Events after one sequence and up to another: at least `batchSize` of them if there are as many. */
  between(after: number, upTo: number): Promise<StoredEvent[]>;
}

const leastAtOnce = 50;

/** Events never change, so several are read at once. */
export function createReadAhead(store: Pick<DeliveryStore, 'readEvents'>, directoryId: string, batchSize: number): ReadAhead {
  let read: StoredEvent[] = [];
  let [readFrom, readTo] = [0, 0];
  return {
    async between(after, upTo) {
      if (upTo <= after) return [];
      // Another replay may begin before the last one ended.
      const isBehind = after < readFrom || readTo < after;
      readFrom = after;
      if (isBehind || (read.at(-1)?.sequence ?? 0) > upTo) [read, readTo] = [[], after];
      read = read.filter(({ sequence }) => sequence > after);
      while (read.length < batchSize && readTo < upTo) {
        const limit = Math.max(batchSize - read.length, leastAtOnce);
        const more = await store.readEvents(directoryId, { after: readTo, upTo, limit });
        read.push(...more);
        readTo = more.at(-1)?.sequence ?? upTo;
        // Cut because they are large: no batch holds more of them.
        if (more.length < limit) break;
      }
      return read;
    },
  };
}

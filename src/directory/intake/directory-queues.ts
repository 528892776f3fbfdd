import type { Mutation } from '../changes/mutation.ts';

/** The fields of a waiting mutation that the queues read. */
export interface WaitingMutation {
  mutation: Pick<Mutation, 'directoryId'>;
  /** Increases with each submission. */
  arrival: number;
  /** Size as JSON. */
  bytes: number;
  /** Estimated memory while it waits. */
  memoryBytes: number;
}

/** The waiting mutations of one directory, oldest first. */
export interface Queue<Waiting> {
  entries: Waiting[];
  memoryBytes: number;
}

/** The waiting mutations by directory, in the order of the directories' turns, with their totals. */
export function createDirectoryQueues<Waiting extends WaitingMutation>(isLarge: (entry: Waiting) => boolean) {
  const queues = new Map<string, Queue<Waiting>>();
  let small = 0;
  let memoryBytes = 0;

  return {
    of: (directoryId: string) => queues.get(directoryId),
    inTurn: () => queues.entries(),
    /** Number of mutations that are not large. */
    countSmall: () => small,
    memoryBytes: () => memoryBytes,

    push(entry: Waiting): void {
      const { directoryId } = entry.mutation;
      const queue = queues.get(directoryId) ?? { entries: [], memoryBytes: 0 };
      queues.set(directoryId, queue);
      queue.entries.push(entry);
      queue.memoryBytes += entry.memoryBytes;
      if (!isLarge(entry)) small += 1;
      memoryBytes += entry.memoryBytes;
    },

    /** False if the mutation is not waiting. */
    remove(entry: Waiting): boolean {
      const { directoryId } = entry.mutation;
      const queue = queues.get(directoryId);
      const index = queue?.entries.indexOf(entry) ?? -1;
      if (!queue || index === -1) return false;
      queue.entries.splice(index, 1);
      queue.memoryBytes -= entry.memoryBytes;
      if (!isLarge(entry)) small -= 1;
      memoryBytes -= entry.memoryBytes;
      if (queue.entries.length === 0) queues.delete(directoryId);
      return true;
    },

    /** The directory is last in the order of turns. */
    endTurn(directoryId: string): void {
      const queue = queues.get(directoryId);
      if (!queue) return;
      queues.delete(directoryId);
      queues.set(directoryId, queue);
    },
  };
}

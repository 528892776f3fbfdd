import { AppError } from '../../errors.ts';
import type { Mutation } from '../changes/mutation.ts';
import { findLongestQueue } from '../../shared/fair-semaphore.ts';

/** Above this size, encrypting and writing a mutation takes long enough to delay others. */
export const largeMutationBytes = 65_536;

export interface WaitingOptions {
  /** Mutations in a group. */
  maxGroup: number;
  /** Directories in a group: Temporal limits the size of a search attribute. Default: 40. */
  maxGroupDirectories?: number;
  /** Memory of a group, which also stands for its work. A mutation above it is large. Default: 256 KiB. */
  maxGroupBytes?: number;
  /** A mutation with more bytes of JSON is large: it has a group and a lane of its own. Default: 64 KiB. */
  largeBytes?: number;
  /** Memory of all waiting mutations. Default: 64 MiB. */
  maxWaitingBytes?: number;
  /** Waiting mutations of one directory. Default: 1,000. */
  maxWaitingPerDirectory?: number;
  /** Memory of the waiting mutations of one directory; a single mutation may exceed it. Default: 16 MiB. */
  maxWaitingBytesPerDirectory?: number;
}

/** The fields of a waiting mutation that the queue reads. */
interface WaitingMutation {
  mutation: Pick<Mutation, 'directoryId'>;
  /** Increases with each submission. */
  arrival: number;
  /** Size as JSON. */
  bytes: number;
  /** Estimated memory while it waits. */
  memoryBytes: number;
}

/** The waiting mutations of one directory, oldest first. */
interface Queue<Waiting> {
  entries: Waiting[];
  memoryBytes: number;
}

type BusyDirectories = Pick<ReadonlySet<string>, 'has'>;

export interface WaitingMutations<Waiting> {
  /** Returns the mutations that were removed to make room. Throws if there is no room. */
  add(entry: Waiting): Waiting[];
  /** False if the mutation is not waiting any more. */
  remove(entry: Waiting): boolean;
  /** Takes one mutation of each directory that is not busy, then the next of each, until the group is full. */
  takeGroup(busy: BusyDirectories): Waiting[];
  /** Takes the oldest mutation of the next directory where that is large. */
  takeLarge(busy: BusyDirectories): Waiting | undefined;
  /** Number of waiting mutations that are not large. */
  countSmall(): number;
}

/** Mutations that wait for a lane, limited in number and memory. Those of a directory keep their order, and directories take turns. */
export function createWaitingMutations<Waiting extends WaitingMutation>({
  maxGroup,
  maxGroupDirectories = 40,
  maxGroupBytes = 262_144,
  largeBytes = largeMutationBytes,
  maxWaitingBytes = 67_108_864,
  maxWaitingPerDirectory = 1_000,
  maxWaitingBytesPerDirectory = 16_777_216,
}: WaitingOptions): WaitingMutations<Waiting> {
  /** By directory, in the order of their turns. */
  const queues = new Map<string, Queue<Waiting>>();
  let small = 0;
  let waitingBytes = 0;
  return { add, remove, takeGroup, takeLarge, countSmall: () => small };

  function add(entry: Waiting): Waiting[] {
    const { directoryId } = entry.mutation;
    const queue = queues.get(directoryId);
    if (queue && queue.entries.length >= maxWaitingPerDirectory)
      throw new AppError(
        'rate_limited',
        `At most ${maxWaitingPerDirectory} changes of a directory may wait (INTAKE_WAITING_PER_DIRECTORY); try again.`,
      );
    if (queue && queue.memoryBytes + entry.memoryBytes > maxWaitingBytesPerDirectory)
      throw new AppError(
        'rate_limited',
        `The waiting changes of a directory may take at most ${maxWaitingBytesPerDirectory} bytes of memory together (INTAKE_WAITING_BYTES_PER_DIRECTORY); try again.`,
      );
    const displaced = makeRoom(entry.memoryBytes, queue);
    if (queue) {
      queue.entries.push(entry);
      queue.memoryBytes += entry.memoryBytes;
    } else queues.set(directoryId, { entries: [entry], memoryBytes: entry.memoryBytes });
    if (!isLarge(entry)) small += 1;
    waitingBytes += entry.memoryBytes;
    return displaced;
  }

  /** When memory is full, removes the newest mutations of the longest queues, but never from one that is shorter than the newcomer's. */
  function makeRoom(memoryBytes: number, own: Queue<Waiting> | undefined): Waiting[] {
    let missing = waitingBytes + memoryBytes - maxWaitingBytes;
    if (missing <= 0) return [];
    const minBytes = memoryBytes + (own?.memoryBytes ?? 0);
    const others = [...queues.values()]
      .filter((queue) => queue.memoryBytes >= minBytes)
      .map((queue) => ({ entries: queue.entries, kept: queue.entries.length, memoryBytes: queue.memoryBytes }));
    const displaced: Waiting[] = [];
    while (missing > 0) {
      const longest = findLongestQueue(others, (queue) => queue.memoryBytes, minBytes);
      if (!longest) throw queueFull();
      longest.kept -= 1;
      const newest = longest.entries[longest.kept]!;
      longest.memoryBytes -= newest.memoryBytes;
      missing -= newest.memoryBytes;
      displaced.push(newest);
    }
    for (const entry of displaced) remove(entry);
    return displaced;
  }

  function remove(entry: Waiting) {
    const { directoryId } = entry.mutation;
    const queue = queues.get(directoryId);
    const index = queue?.entries.indexOf(entry) ?? -1;
    if (!queue || index === -1) return false;
    queue.entries.splice(index, 1);
    queue.memoryBytes -= entry.memoryBytes;
    if (!isLarge(entry)) small -= 1;
    waitingBytes -= entry.memoryBytes;
    if (queue.entries.length === 0) queues.delete(directoryId);
    return true;
  }

  function isLarge({ bytes, memoryBytes }: Waiting): boolean {
    return bytes > largeBytes || memoryBytes > maxGroupBytes;
  }

  function takeGroup(busy: BusyDirectories): Waiting[] {
    const group: Waiting[] = [];
    let memoryBytes = 0;
    let turns = [...queues].filter(([directoryId]) => !busy.has(directoryId)).slice(0, maxGroupDirectories);
    for (let round = 0; turns.length > 0; round += 1)
      turns = turns.filter(([, { entries }]) => {
        const entry = entries[round];
        if (!entry || isLarge(entry) || group.length >= maxGroup) return false;
        if (group.length > 0 && memoryBytes + entry.memoryBytes > maxGroupBytes) return false;
        group.push(entry);
        memoryBytes += entry.memoryBytes;
        return true;
      });
    for (const entry of group) {
      remove(entry);
      endTurn(entry.mutation.directoryId);
    }
    return group.toSorted((one, other) => one.arrival - other.arrival);
  }

  function takeLarge(busy: BusyDirectories): Waiting | undefined {
    for (const [directoryId, { entries }] of queues) {
      const [entry] = entries;
      if (!entry || !isLarge(entry) || busy.has(directoryId)) continue;
      remove(entry);
      endTurn(directoryId);
      return entry;
    }
    return undefined;
  }

  /** The directory is last in the order of turns. */
  function endTurn(directoryId: string) {
    const queue = queues.get(directoryId);
    if (!queue) return;
    queues.delete(directoryId);
    queues.set(directoryId, queue);
  }
}

export const queueFull = () => new AppError('unavailable', 'Too many changes are waiting; try again.');

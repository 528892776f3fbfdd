import { AppError } from '../errors.ts';
import { findLongest } from '../shared/longest-queue.ts';
import type { Mutation } from './mutation.ts';

/** To seal, write, read and open more bytes than this takes long enough to delay others. */
export const largeMutationBytes = 65_536;

export interface WaitingOptions {
  maxGroup: number;
  /** Temporal bounds what a workflow's search attribute may hold. */
  maxGroupDirectories?: number;
  /** Of memory, which stands for the work too. A mutation that takes more is large. */
  maxGroupBytes?: number;
  /** A mutation of more bytes is large: it travels alone, in a lane of its own. */
  largeBytes?: number;
  /** Of memory. */
  maxWaitingBytes?: number;
  /** Of these, what may wait for one directory: one mutation may always wait, however large. */
  maxWaitingPerDirectory?: number;
  maxWaitingBytesPerDirectory?: number;
}

/** What waits, as far as its queue looks at it. */
interface WaitingMutation {
  mutation: Pick<Mutation, 'directoryId'>;
  /** Counts on: the order in which mutations came. */
  arrival: number;
  /** As JSON. */
  bytes: number;
  /** What it takes of the memory of this process while it waits. */
  memoryBytes: number;
}

/** What waits for one directory, oldest first. */
interface Queue<Waiting> {
  entries: Waiting[];
  memoryBytes: number;
}

export interface WaitingMutations<Waiting> {
  /** Gives those that lost their place by it. Throws where there is no place. */
  add(entry: Waiting): Waiting[];
  /** It is not wanted any more. Whether it still waited. */
  remove(entry: Waiting): boolean;
  /** One mutation of each directory that is not busy, then the next of each, for as long as they fit. */
  takeGroup(busy: ReadonlySet<string>): Waiting[];
  /** Of the next directory whose oldest mutation is large. */
  takeLarge(busy: ReadonlySet<string>): Waiting | undefined;
  /** How many wait that are not large. */
  countSmall(): number;
}

/** Mutations that wait for a lane, bounded in number and memory. Those of a directory keep their order, and directories take turns. */
export function createWaitingMutations<Waiting extends WaitingMutation>({
  maxGroup,
  maxGroupDirectories = 40,
  maxGroupBytes = 262_144,
  largeBytes = largeMutationBytes,
  maxWaitingBytes = 67_108_864,
  maxWaitingPerDirectory = 1_000,
  maxWaitingBytesPerDirectory = 16_777_216,
}: WaitingOptions): WaitingMutations<Waiting> {
  /** By directory; the next in turn is the first. */
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

  /** Where all room is taken, a newcomer takes that of the newest of the directory that has most waiting, unless its own would have more. */
  function makeRoom(memoryBytes: number, own: Queue<Waiting> | undefined): Waiting[] {
    let missing = waitingBytes + memoryBytes - maxWaitingBytes;
    if (missing <= 0) return [];
    const minBytes = memoryBytes + (own?.memoryBytes ?? 0);
    const others = [...queues.values()]
      .filter((queue) => queue.memoryBytes >= minBytes)
      .map((queue) => ({ entries: queue.entries, kept: queue.entries.length, memoryBytes: queue.memoryBytes }));
    const displaced: Waiting[] = [];
    while (missing > 0) {
      const longest = findLongest(others, (queue) => queue.memoryBytes, minBytes);
      if (!longest) throw tooManyWait();
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

  function takeGroup(busy: ReadonlySet<string>): Waiting[] {
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
      moveBack(entry.mutation.directoryId);
    }
    return group.toSorted((one, other) => one.arrival - other.arrival);
  }

  function takeLarge(busy: ReadonlySet<string>): Waiting | undefined {
    for (const [directoryId, { entries }] of queues) {
      const [entry] = entries;
      if (!entry || !isLarge(entry) || busy.has(directoryId)) continue;
      remove(entry);
      moveBack(directoryId);
      return entry;
    }
    return undefined;
  }

  /** Whose turn it was has the last one next. */
  function moveBack(directoryId: string) {
    const queue = queues.get(directoryId);
    if (!queue) return;
    queues.delete(directoryId);
    queues.set(directoryId, queue);
  }
}

export const tooManyWait = () => new AppError('unavailable', 'Too many changes are waiting; try again.');

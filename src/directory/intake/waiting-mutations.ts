import { AppError } from '../../errors.ts';
import { findLongestQueue } from '../../shared/fair-semaphore.ts';
import { createDirectoryQueues, type Queue, type WaitingMutation } from './directory-queues.ts';

/** Above this size, encrypting and writing a mutation takes long enough to delay others. */
export const largeMutationBytes = 65_536;
/** Temporal limits the size of a search attribute. */
const maxGroupDirectories = 40;

export interface WaitingOptions {
  /** Mutations in a group. */
  maxGroup: number;
  /** Memory of a group, which is also the measure of its work. A mutation above it is large. Default: 256 KiB. */
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

type BusyDirectories = Pick<ReadonlySet<string>, 'has'>;

interface WaitingMutations<Waiting> {
  /** Throws if there is no room for any more mutation of the directory. */
  assertRoom(directoryId: string): void;
  /** Returns the mutations that were removed to make room. Throws if there is no room. */
  add(entry: Waiting): Waiting[];
  /** The error of the mutations that `add` removed. */
  toDisplacedError(): AppError;
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
  maxGroupBytes = 262_144,
  largeBytes = largeMutationBytes,
  maxWaitingBytes = 67_108_864,
  maxWaitingPerDirectory = 1_000,
  maxWaitingBytesPerDirectory = 16_777_216,
}: WaitingOptions): WaitingMutations<Waiting> {
  const isLarge = ({ bytes, memoryBytes }: Waiting): boolean => bytes > largeBytes || memoryBytes > maxGroupBytes;
  const queues = createDirectoryQueues(isLarge);
  return {
    assertRoom: (directoryId) => void makeRoom(directoryId, 1),
    add,
    toDisplacedError: () => queueFull(maxWaitingBytes),
    remove: queues.remove,
    takeGroup,
    takeLarge,
    countSmall: queues.countSmall,
  };

  function add(entry: Waiting): Waiting[] {
    const displaced = makeRoom(entry.mutation.directoryId, entry.memoryBytes);
    for (const other of displaced) queues.remove(other);
    queues.push(entry);
    return displaced;
  }

  /** Selects the mutations that must be removed. Throws if there is no room. */
  function makeRoom(directoryId: string, memoryBytes: number): Waiting[] {
    const own = queues.of(directoryId);
    if (own && own.entries.length >= maxWaitingPerDirectory)
      throw new AppError(
        'rate_limited',
        `At most ${maxWaitingPerDirectory} changes of a directory may wait (INTAKE_WAITING_PER_DIRECTORY); try again.`,
      );
    if (own && own.memoryBytes + memoryBytes > maxWaitingBytesPerDirectory)
      throw new AppError(
        'rate_limited',
        `The waiting changes of a directory may take at most ${maxWaitingBytesPerDirectory} bytes of memory together (INTAKE_WAITING_BYTES_PER_DIRECTORY); try again.`,
      );
    const missing = queues.memoryBytes() + memoryBytes - maxWaitingBytes;
    const displaced = selectDisplaced(queues.inTurn, missing, memoryBytes + (own?.memoryBytes ?? 0));
    if (!displaced) throw queueFull(maxWaitingBytes);
    return displaced;
  }

  function takeGroup(busy: BusyDirectories): Waiting[] {
    const group: Waiting[] = [];
    let memoryBytes = 0;
    const mayTake = (directoryId: string, [first]: Waiting[]) => first !== undefined && !isLarge(first) && !busy.has(directoryId);
    let turns = [...queues.inTurn()].filter(([id, { entries }]) => mayTake(id, entries)).slice(0, maxGroupDirectories);
    for (let round = 0; turns.length > 0; round += 1)
      turns = turns.filter(([, { entries }]) => {
        const entry = entries[round];
        if (!entry || isLarge(entry) || group.length >= maxGroup) return false;
        if (group.length > 0 && memoryBytes + entry.memoryBytes > maxGroupBytes) return false;
        group.push(entry);
        memoryBytes += entry.memoryBytes;
        return true;
      });
    for (const entry of group) take(entry);
    return group.toSorted((one, other) => one.arrival - other.arrival);
  }

  function takeLarge(busy: BusyDirectories): Waiting | undefined {
    for (const [directoryId, { entries }] of queues.inTurn()) {
      const [entry] = entries;
      if (!entry || !isLarge(entry) || busy.has(directoryId)) continue;
      take(entry);
      return entry;
    }
    return undefined;
  }

  function take(entry: Waiting): void {
    queues.remove(entry);
    queues.endTurn(entry.mutation.directoryId);
  }
}

/**
 * The newest mutations of the longest queues, until the missing memory is free. Takes none from a queue that has less than `minBytes`.
 * Undefined if that does not free enough.
 */
function selectDisplaced<Waiting extends WaitingMutation>(
  inTurn: () => Iterable<[string, Queue<Waiting>]>,
  missingBytes: number,
  minBytes: number,
): Waiting[] | undefined {
  if (missingBytes <= 0) return [];
  const others = [...inTurn()]
    .filter(([, { memoryBytes }]) => memoryBytes >= minBytes)
    .map(([, { entries, memoryBytes }]) => ({ entries, kept: entries.length, memoryBytes }));
  const displaced: Waiting[] = [];
  for (let missing = missingBytes; missing > 0;) {
    const longest = findLongestQueue(others, (queue) => queue.memoryBytes, minBytes);
    if (!longest) return undefined;
    longest.kept -= 1;
    const newest = longest.entries[longest.kept]!;
    longest.memoryBytes -= newest.memoryBytes;
    missing -= newest.memoryBytes;
    displaced.push(newest);
  }
  return displaced;
}

const queueFull = (maxBytes: number) =>
  new AppError(
    'unavailable',
    `The changes that wait in this process may take at most ${maxBytes} bytes of memory together (fixed limit); try again.`,
  );

import { AppError } from '../errors.ts';
import { countJsonValues, estimateMemory } from '../json-memory.ts';
import { findLongest } from '../longest-queue.ts';
import type { ToldEvents } from './event.ts';
import type { Mutation, Outcome } from './mutation.ts';
import type { Intake } from './ports.ts';

/**
 * Has mutations applied, and settles each as soon as it is committed, where it is known with the events of its group. Rejects if they could
 * not be handed in.
 */
export type ApplyGroup = (mutations: Mutation[], settle: (outcome: Outcome, told?: ToldEvents) => void) => Promise<void>;

/** To seal, write, read and open more bytes than this takes long enough to delay others. */
export const largeMutationBytes = 65_536;

export interface IntakeOptions {
  apply: ApplyGroup;
  /** Workflows in flight at once, besides one for a large mutation. */
  lanes: number;
  /** How long a caller waits. */
  timeoutMs: number;
  maxGroup?: number;
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
  /** How long one stuck directory can hold up a lane for the others. */
  laneHoldMs?: number;
  /** How long to wait for the next of the writers that were just answered, */
  lingerMs?: number;
  /** and how long for all of them. */
  maxLingerMs?: number;
}

interface Entry {
  mutation: Mutation;
  /** Counts on: the order in which mutations came. */
  arrival: number;
  /** Of a creation: what was asked, without the ids made for it. Equal for a request that was sent again. */
  request: string | undefined;
  /** As JSON. */
  bytes: number;
  /** What it takes of the memory of this process while it waits. */
  memoryBytes: number;
  /** Callers that still wait: identical creates share an entry, and each has a time of its own. */
  callers: number;
  outcome: Promise<Outcome>;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** What waits for one directory, oldest first. */
interface Queue {
  entries: Entry[];
  memoryBytes: number;
}

/**
 * Group commit: while every lane is busy, or the directory's last change is under way, mutations wait and then share a
 * workflow. Changes of one directory keep their order, and directories take turns, so that one which has many waiting delays nobody
 * else's. Alone, a mutation starts at once, in a workflow of its own.
 */
export function createIntake(options: IntakeOptions): Intake {
  const {
    apply,
    lanes,
    timeoutMs,
    maxGroup = 64,
    maxGroupDirectories = 40,
    maxGroupBytes = 262_144,
    largeBytes = largeMutationBytes,
    maxWaitingBytes = 67_108_864,
    maxWaitingPerDirectory = 1_000,
    maxWaitingBytesPerDirectory = 16_777_216,
    laneHoldMs = 300,
    lingerMs = 6,
    maxLingerMs = 60,
  } = options;
  /** By directory; the next in turn is the first. */
  const queues = new Map<string, Queue>();
  /** Small ones: large ones have a lane of their own. */
  let waiting = 0;
  let waitingBytes = 0;
  let arrivals = 0;
  const free: Record<Lane, number> = { small: lanes, large: 1 };
  let gathering: { until: number; endsAtMs: number; timer: NodeJS.Timeout } | undefined;
  const busyDirectories = new Set<string>();
  const creating = new Map<string, Entry>();

  return {
    async submit(mutation, signal) {
      signal?.throwIfAborted();
      const request = requestOf(mutation);
      const running = request === undefined ? undefined : creating.get(request);
      if (running) return inTime(running, signal);
      const entry = createEntry(mutation, { request, arrival: arrivals++ });
      enqueue(entry);
      if (request !== undefined) creating.set(request, entry);
      fillLanes();
      return inTime(entry, signal);
    },
  };

  function enqueue(entry: Entry) {
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
    makeRoom(entry.memoryBytes, queue);
    if (queue) {
      queue.entries.push(entry);
      queue.memoryBytes += entry.memoryBytes;
    } else queues.set(directoryId, { entries: [entry], memoryBytes: entry.memoryBytes });
    if (!isLarge(entry)) waiting += 1;
    waitingBytes += entry.memoryBytes;
  }

  /** Where all room is taken, a newcomer takes that of the newest of the directory that has most waiting, unless its own would have more. */
  function makeRoom(memoryBytes: number, own: Queue | undefined) {
    let missing = waitingBytes + memoryBytes - maxWaitingBytes;
    if (missing <= 0) return;
    const minBytes = memoryBytes + (own?.memoryBytes ?? 0);
    const others = [...queues.values()]
      .filter((queue) => queue.memoryBytes >= minBytes)
      .map((queue) => ({ entries: queue.entries, kept: queue.entries.length, memoryBytes: queue.memoryBytes }));
    const displaced: Entry[] = [];
    while (missing > 0) {
      const longest = findLongest(others, (queue) => queue.memoryBytes, minBytes);
      if (!longest) throw tooManyWait();
      longest.kept -= 1;
      const newest = longest.entries[longest.kept]!;
      longest.memoryBytes -= newest.memoryBytes;
      missing -= newest.memoryBytes;
      displaced.push(newest);
    }
    for (const entry of displaced) {
      takeBack(entry);
      entry.reject(tooManyWait());
    }
  }

  /** It waits no longer: it starts, or nobody wants it any more. */
  function dequeue(entry: Entry) {
    const { directoryId } = entry.mutation;
    const queue = queues.get(directoryId);
    const index = queue?.entries.indexOf(entry) ?? -1;
    if (!queue || index === -1) return false;
    queue.entries.splice(index, 1);
    queue.memoryBytes -= entry.memoryBytes;
    if (!isLarge(entry)) waiting -= 1;
    waitingBytes -= entry.memoryBytes;
    if (queue.entries.length === 0) queues.delete(directoryId);
    return true;
  }

  function isLarge({ bytes, memoryBytes }: Entry): boolean {
    return bytes > largeBytes || memoryBytes > maxGroupBytes;
  }

  function fillLanes() {
    const large = free.large > 0 ? takeLarge() : undefined;
    if (large) void runGroup([large], 'large');
    if (gathering && waiting < gathering.until) return linger(gathering.until, gathering.endsAtMs);
    stopLingering();
    while (free.small > 0) {
      const group = takeGroup();
      if (group.length === 0) return;
      void runGroup(group, 'small');
    }
  }

  /**
   * Writers that were just answered are back in a moment, and one workflow for all costs less than one for the first of them
   * and another for the rest. A lone writer never waits.
   */
  function gather(answered: number) {
    const expected = Math.min(maxGroup, answered + waiting);
    stopLingering();
    if (lingerMs > 0 && expected > 1 && waiting < expected) return linger(expected, performance.now() + maxLingerMs);
    fillLanes();
  }

  /** As long as they keep coming: on a busy machine many take a while to come back. */
  function linger(until: number, endsAtMs: number) {
    stopLingering();
    const timer = setTimeout(
      () => {
        stopLingering();
        fillLanes();
      },
      Math.max(0, Math.min(lingerMs, endsAtMs - performance.now())),
    );
    gathering = { until, endsAtMs, timer };
  }

  function stopLingering() {
    clearTimeout(gathering?.timer);
    gathering = undefined;
  }

  /** One mutation of each directory, then the next of each, for as long as they fit. */
  function takeGroup(): Entry[] {
    const group: Entry[] = [];
    let memoryBytes = 0;
    let turns = [...queues].filter(([directoryId]) => !busyDirectories.has(directoryId)).slice(0, maxGroupDirectories);
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
      dequeue(entry);
      moveBack(entry.mutation.directoryId);
    }
    return group.toSorted((one, other) => one.arrival - other.arrival);
  }

  /** Of the next directory whose oldest mutation is large. */
  function takeLarge(): Entry | undefined {
    for (const [directoryId, { entries }] of queues) {
      const [entry] = entries;
      if (!entry || !isLarge(entry) || busyDirectories.has(directoryId)) continue;
      dequeue(entry);
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

  async function runGroup(group: Entry[], lane: Lane) {
    free[lane] -= 1;
    const open = new Map(group.map((entry) => [entry.mutation.id, entry]));
    const unsettled = new Map<string, number>();
    for (const { mutation } of group) unsettled.set(mutation.directoryId, (unsettled.get(mutation.directoryId) ?? 0) + 1);
    for (const directoryId of unsettled.keys()) busyDirectories.add(directoryId);

    const close = (entry: Entry) => {
      open.delete(entry.mutation.id);
      forgetCreation(entry);
      const { directoryId } = entry.mutation;
      const left = unsettled.get(directoryId)! - 1;
      unsettled.set(directoryId, left);
      if (left === 0) busyDirectories.delete(directoryId);
    };
    const freeLane = once(() => {
      clearTimeout(hold);
      free[lane] += 1;
    });
    const hold = setTimeout(() => {
      freeLane();
      fillLanes();
    }, laneHoldMs);

    try {
      await apply(
        group.map(({ mutation }) => mutation),
        (outcome) => {
          const entry = open.get(outcome.mutationId);
          if (!entry) return;
          entry.resolve(outcome);
          close(entry);
          if (open.size > 0) return fillLanes();
          freeLane();
          if (lane === 'large') fillLanes();
          else gather(group.length);
        },
      );
    } catch (error) {
      for (const entry of open.values()) entry.reject(error);
    } finally {
      for (const entry of open.values()) {
        entry.reject(unanswered());
        close(entry);
      }
      freeLane();
      fillLanes();
    }
  }

  /**
   * A caller that has waited long enough is told so. What is not handed in yet is taken back once nobody waits for it: all have waited
   * long enough, or have left. The rest may still happen.
   */
  function inTime(entry: Entry, signal: AbortSignal | undefined): Promise<Outcome> {
    entry.callers += 1;
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      };
      const giveUp = (error: Error) => {
        stopWaiting();
        entry.callers -= 1;
        if (entry.callers === 0) takeBack(entry);
        reject(error);
      };
      const leave = () => giveUp(signal!.reason as Error);
      const timer = setTimeout(() => giveUp(unanswered()), timeoutMs);
      signal?.addEventListener('abort', leave);
      void entry.outcome.then(resolve, reject).finally(stopWaiting);
    });
  }

  function takeBack(entry: Entry) {
    if (dequeue(entry)) forgetCreation(entry);
  }

  function forgetCreation(entry: Entry) {
    if (entry.request !== undefined && creating.get(entry.request) === entry) creating.delete(entry.request);
  }
}

/** A large mutation, which takes long, is not to keep the lanes from small ones of other directories. */
type Lane = 'small' | 'large';

function createEntry(mutation: Mutation, { request, arrival }: Pick<Entry, 'request' | 'arrival'>): Entry {
  const bytes = Buffer.byteLength(request ?? JSON.stringify(mutation));
  const memoryBytes = estimateMemory({ bytes, values: countJsonValues(mutation) });
  const entry = { mutation, request, arrival, bytes, memoryBytes, callers: 0 } as Entry;
  entry.outcome = new Promise<Outcome>((resolve, reject) => Object.assign(entry, { resolve, reject }));
  // Every waiting caller handles the failure; there may be none left.
  entry.outcome.catch(() => undefined);
  return entry;
}

/** Of a creation, what was asked without the ids that were made for it. */
function requestOf(mutation: Mutation): string | undefined {
  if (mutation.kind !== 'createUser' && mutation.kind !== 'createGroup') return undefined;
  const { kind, directoryId, resource } = mutation;
  return JSON.stringify([kind, directoryId, resource, mutation.kind === 'createGroup' ? mutation.members : []]);
}

const tooManyWait = () => new AppError('unavailable', 'Too many changes are waiting; try again.');
const unanswered = () => new AppError('unavailable', 'The change could not be committed in time; try again.');

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    run();
  };
}

import { withTimeout } from './timeout.ts';
import { findLongestQueue } from './fair-semaphore.ts';

interface FairBytesOptions {
  maxBytes: number;
  /** No limit by default. */
  maxWaiting?: number;
  maxWaitingPerDirectory?: number;
}

export interface HeldBytes {
  resize(bytes: number): void;
  release(): void;
}

/** A memory budget that directories share. */
export interface FairBytes {
  /** Waits for room. Resolves with undefined on timeout, if too many wait, or when the signal aborts. */
  enter(directoryId: string, bytes: number, wait: { timeoutMs: number; signal?: AbortSignal }): Promise<HeldBytes | undefined>;
  /** Returns undefined unless there is room now and no caller waits for it. */
  tryEnter(directoryId: string, bytes: number): HeldBytes | undefined;
  /** Whether a caller waits for room. */
  isScarce(): boolean;
  /** How much the next waiting directory would hold after it is let in. Undefined if none waits for room that other directories hold. */
  heldUp(): number | undefined;
}

interface Owner {
  bytes: number;
  waiting: Set<Waiter>;
}

interface Waiter {
  owner: Owner;
  bytes: number;
  /** How many later callers were let in first. */
  passedBy: number;
  start(): void;
  giveUp(): void;
}

/** A smaller request may overtake a larger one that waits for room, but only this often. Otherwise the larger one could wait forever. */
const maxPassedBy = 20;

/**
 * Serves the waiting directories round-robin. A directory gets at most half of the budget, unless it holds nothing yet. A request that is
 * larger than the budget is let in alone. When the queue is full, a new caller replaces the newest caller of the longest queue, unless its own
 * directory's queue is as long.
 */
export function createFairBytes({ maxBytes, maxWaiting = Infinity, maxWaitingPerDirectory = Infinity }: FairBytesOptions): FairBytes {
  const budget = createBudget(maxBytes);
  const queue = createQueue(budget, maxWaiting);
  const hold = (name: string, owner: Owner, bytes: number) => budget.hold(name, owner, bytes, queue.startNext);

  return {
    async enter(name, bytes, { timeoutMs, signal }) {
      if (signal?.aborted) return undefined;
      const owner = budget.ownerOf(name);
      if (owner.waiting.size === 0 && budget.hasRoom(owner, bytes) && queue.mayPass()) return hold(name, owner, bytes);
      if (owner.waiting.size >= maxWaitingPerDirectory || !queue.hasPlace(owner)) {
        budget.forget(name, owner);
        return undefined;
      }
      return withTimeout(
        timeoutMs,
        signal,
        (ending) =>
          new Promise((resolve) => {
            const leave = () => {
              ending.removeEventListener('abort', giveUp);
              queue.remove(name, waiter);
            };
            const giveUp = () => {
              leave();
              budget.forget(name, owner);
              resolve(undefined);
              queue.startNext();
            };
            const waiter: Waiter = {
              owner,
              bytes,
              passedBy: 0,
              start() {
                leave();
                resolve(hold(name, owner, bytes));
              },
              giveUp,
            };
            ending.addEventListener('abort', giveUp);
            queue.add(name, waiter);
          }),
      );
    },

    tryEnter(name, bytes) {
      const owner = budget.ownerOf(name);
      if (!queue.isWaiting() && budget.hasRoom(owner, bytes)) return hold(name, owner, bytes);
      budget.forget(name, owner);
      return undefined;
    },

    isScarce: queue.isWaiting,
    heldUp() {
      for (const { owner, bytes } of queue.firstInTurn()) return owner.bytes + bytes;
      return undefined;
    },
  };
}

type Budget = ReturnType<typeof createBudget>;

/** What each directory holds, and all of them together. */
function createBudget(maxBytes: number) {
  const owners = new Map<string, Owner>();
  let held = 0;
  return {
    ownerOf(name: string): Owner {
      const owner = owners.get(name) ?? { bytes: 0, waiting: new Set() };
      owners.set(name, owner);
      return owner;
    },
    forget,
    isWithinShare,
    isWithinBound,
    hasRoom: (owner: Owner, bytes: number) => isWithinShare(owner, bytes) && isWithinBound(bytes),
    hold(name: string, owner: Owner, bytes: number, onChange: () => void): HeldBytes {
      let current = bytes;
      add(owner, bytes);
      return {
        resize(to) {
          add(owner, to - current);
          current = to;
          onChange();
        },
        release() {
          add(owner, -current);
          current = 0;
          forget(name, owner);
          onChange();
        },
      };
    },
  };

  function add(owner: Owner, bytes: number) {
    owner.bytes += bytes;
    held += bytes;
  }

  function forget(name: string, owner: Owner) {
    if (owner.bytes === 0 && owner.waiting.size === 0 && owners.get(name) === owner) owners.delete(name);
  }

  function isWithinShare(owner: Owner, bytes: number): boolean {
    return owner.bytes === 0 || owner.bytes + bytes <= maxBytes / 2;
  }

  function isWithinBound(bytes: number): boolean {
    return held === 0 || held + bytes <= maxBytes;
  }
}

/** The callers that wait for room. */
function createQueue({ isWithinShare, isWithinBound }: Budget, maxWaiting: number) {
  /** The waiting directories, next one first. */
  const turns = new Map<string, Owner>();
  let waiting = 0;
  return {
    firstInTurn,
    isWaiting: () => waiting > 0,
    add(name: string, waiter: Waiter) {
      waiter.owner.waiting.add(waiter);
      waiting += 1;
      turns.set(name, waiter.owner);
    },
    remove(name: string, waiter: Waiter) {
      waiter.owner.waiting.delete(waiter);
      waiting -= 1;
      if (waiter.owner.waiting.size === 0) turns.delete(name);
    },
    /** Whether the caller may wait. Evicts another caller if necessary. */
    hasPlace(owner: Owner): boolean {
      if (waiting < maxWaiting) return true;
      const queues = [...turns.values()].map((other) => other.waiting);
      const longest = findLongestQueue(queues, (queue) => queue.size, owner.waiting.size + 1);
      if (longest) [...longest].at(-1)!.giveUp();
      return longest !== undefined;
    },
    /** Whether a new caller may overtake those that wait for room. */
    mayPass(): boolean {
      const passed = [...firstInTurn()];
      if (passed.some(({ passedBy }) => passedBy >= maxPassedBy)) return false;
      for (const waiter of passed) waiter.passedBy += 1;
      return true;
    },
    startNext() {
      const passed: Waiter[] = [];
      for (const [name, owner] of turns) {
        const [next] = owner.waiting;
        if (!next || !isWithinShare(owner, next.bytes)) continue;
        if (!isWithinBound(next.bytes)) {
          if (next.passedBy >= maxPassedBy) return;
          passed.push(next);
          continue;
        }
        turns.delete(name);
        turns.set(name, owner);
        next.start();
        for (const waiter of passed) waiter.passedBy += 1;
      }
    },
  };

  /** The first caller of each directory that waits because of other directories, not because of its own share. */
  function* firstInTurn(): Iterable<Waiter> {
    for (const owner of turns.values()) {
      const [first] = owner.waiting;
      if (first && isWithinShare(owner, first.bytes)) yield first;
    }
  }
}

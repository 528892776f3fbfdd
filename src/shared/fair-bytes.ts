import { findLongestQueue } from './fair-semaphore.ts';

export interface FairBytesOptions {
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
  const owners = new Map<string, Owner>();
  /** The waiting directories, next one first. */
  const turns = new Set<string>();
  let [held, waiting] = [0, 0];

  return {
    async enter(name, bytes, { timeoutMs, signal }) {
      if (signal?.aborted) return undefined;
      const owner = ownerOf(name);
      if (owner.waiting.size === 0 && hasRoom(owner, bytes) && mayPass()) return hold(name, owner, bytes);
      if (owner.waiting.size >= maxWaitingPerDirectory || !hasPlace(owner)) {
        forget(name, owner);
        return undefined;
      }
      return new Promise((resolve) => {
        const leave = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', giveUp);
          owner.waiting.delete(waiter);
          waiting -= 1;
          if (owner.waiting.size === 0) turns.delete(name);
        };
        const giveUp = () => {
          leave();
          forget(name, owner);
          resolve(undefined);
          startNext();
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
        const timer = setTimeout(giveUp, timeoutMs);
        signal?.addEventListener('abort', giveUp);
        owner.waiting.add(waiter);
        waiting += 1;
        turns.add(name);
      });
    },

    tryEnter(name, bytes) {
      const owner = ownerOf(name);
      if (waiting === 0 && hasRoom(owner, bytes)) return hold(name, owner, bytes);
      forget(name, owner);
      return undefined;
    },

    isScarce: () => waiting > 0,
    heldUp() {
      for (const { owner, bytes } of firstInTurn()) return owner.bytes + bytes;
      return undefined;
    },
  };

  /** Whether the caller may wait. Evicts another caller if necessary. */
  function hasPlace(owner: Owner): boolean {
    if (waiting < maxWaiting) return true;
    const queues = [...turns].map((name) => owners.get(name)!.waiting);
    const longest = findLongestQueue(queues, (queue) => queue.size, owner.waiting.size + 1);
    if (longest) [...longest].at(-1)!.giveUp();
    return longest !== undefined;
  }

  function ownerOf(name: string): Owner {
    const owner = owners.get(name) ?? { bytes: 0, waiting: new Set() };
    owners.set(name, owner);
    return owner;
  }

  function hold(name: string, owner: Owner, bytes: number): HeldBytes {
    let current = bytes;
    add(owner, bytes);
    return {
      resize(to) {
        add(owner, to - current);
        current = to;
        startNext();
      },
      release() {
        add(owner, -current);
        current = 0;
        forget(name, owner);
        startNext();
      },
    };
  }

  function startNext() {
    const passed: Waiter[] = [];
    for (const name of turns) {
      const owner = owners.get(name)!;
      const [next] = owner.waiting;
      if (!next || !isWithinShare(owner, next.bytes)) continue;
      if (!isWithinBound(next.bytes)) {
        if (next.passedBy >= maxPassedBy) return;
        passed.push(next);
        continue;
      }
      turns.delete(name);
      turns.add(name);
      next.start();
      for (const waiter of passed) waiter.passedBy += 1;
    }
  }

  /** Whether a new caller may overtake those that wait for room. */
  function mayPass(): boolean {
    const passed = [...firstInTurn()];
    if (passed.some(({ passedBy }) => passedBy >= maxPassedBy)) return false;
    for (const waiter of passed) waiter.passedBy += 1;
    return true;
  }

  /** The first caller of each directory that waits because of other directories, not because of its own share. */
  function* firstInTurn(): Iterable<Waiter> {
    for (const name of turns) {
      const owner = owners.get(name)!;
      const [first] = owner.waiting;
      if (first && isWithinShare(owner, first.bytes)) yield first;
    }
  }

  function hasRoom(owner: Owner, bytes: number): boolean {
    return isWithinShare(owner, bytes) && isWithinBound(bytes);
  }

  function isWithinShare(owner: Owner, bytes: number): boolean {
    return owner.bytes === 0 || owner.bytes + bytes <= maxBytes / 2;
  }

  function isWithinBound(bytes: number): boolean {
    return held === 0 || held + bytes <= maxBytes;
  }

  function add(owner: Owner, bytes: number) {
    owner.bytes += bytes;
    held += bytes;
  }

  function forget(name: string, owner: Owner) {
    if (owner.bytes === 0 && owner.waiting.size === 0 && owners.get(name) === owner) owners.delete(name);
  }
}

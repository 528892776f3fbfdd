import { findLongest } from '../shared/longest-queue.ts';

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

/** Memory that directories share. */
export interface FairBytes {
  /** Waits for room. Nothing if there is none in time, if too many wait, or once the signal is aborted. */
  enter(directoryId: string, bytes: number, wait: { timeoutMs: number; signal?: AbortSignal }): Promise<HeldBytes | undefined>;
  /** For what can be done without: nothing unless there is room and nobody waits for it. */
  tryEnter(directoryId: string, bytes: number): HeldBytes | undefined;
  /** Whether anybody waits for room. */
  isScarce(): boolean;
  /** How much the first directory would hold that waits for room which others hold; nothing if none does. */
  heldUp(): number | undefined;
}

interface Owner {
  bytes: number;
  waiting: Set<Waiter>;
}

interface Waiter {
  owner: Owner;
  bytes: number;
  /** How many that came later were let in before it. */
  passedBy: number;
  start(): void;
  giveUp(): void;
}

/** A smaller request may pass a larger one for which there is no room yet, but only so often: otherwise it could wait forever. */
const maxPassedBy = 20;

/**
 * Room is given in turn to the directories that wait. A directory has half of it at most, unless it holds nothing yet; what is larger
 * than everything is let in alone. Where all places to wait are taken, a newcomer takes that of the newest of the longest queue, unless its
 * own is as long.
 */
export function createFairBytes({ maxBytes, maxWaiting = Infinity, maxWaitingPerDirectory = Infinity }: FairBytesOptions): FairBytes {
  const owners = new Map<string, Owner>();
  /** Those that wait; the next in turn is the first. */
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

  /** To wait: if need be that of another one. */
  function hasPlace(owner: Owner): boolean {
    if (waiting < maxWaiting) return true;
    const queues = [...turns].map((name) => owners.get(name)!.waiting);
    const longest = findLongest(queues, (queue) => queue.size, owner.waiting.size + 1);
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

  /** Whether one that comes now is let in before those that wait for room. */
  function mayPass(): boolean {
    const passed = [...firstInTurn()];
    if (passed.some(({ passedBy }) => passedBy >= maxPassedBy)) return false;
    for (const waiter of passed) waiter.passedBy += 1;
    return true;
  }

  /** Of each directory that waits for others and not for itself. */
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

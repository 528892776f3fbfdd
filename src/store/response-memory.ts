import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../errors.ts';

export interface ResponseMemoryOptions {
  /** For all responses of this process together. */
  maxBytes: number;
  /** How long a read waits for room. */
  timeoutMs: number;
  maxWaiting?: number;
  maxWaitingPerDirectory?: number;
}

/** What is loaded to be sent, from before it is read until the response has left. */
export interface ResponseMemory {
  /** What is read meanwhile is held until the response is closed; elsewhere until it was read. */
  during<Result>(response: { once(event: 'close', listener: () => void): unknown }, work: () => Promise<Result>): Promise<Result>;
  /** Waits for room for this much, reads, and then holds what it really was. */
  read<Found>(owner: string, bytes: number, load: () => Promise<Found>, weigh?: (found: Found) => number): Promise<Found>;
}

interface Owner {
  bytes: number;
  waiting: Set<Waiter>;
}

interface Waiter {
  bytes: number;
  start(): void;
}

/**
 * Room is given in turn to the directories that wait. A directory has half of it at most, unless it holds nothing yet; what is larger
 * than everything is let in alone.
 */
export function createResponseMemory({
  maxBytes,
  timeoutMs,
  maxWaiting = 500,
  maxWaitingPerDirectory = 50,
}: ResponseMemoryOptions): ResponseMemory {
  const owners = new Map<string, Owner>();
  /** Those that wait; the next in turn is the first. */
  const turns = new Set<string>();
  let [held, waiting] = [0, 0];
  const scopes = new AsyncLocalStorage<(release: () => void) => void>();

  return {
    during(response, work) {
      let releases: (() => void)[] | undefined = [];
      response.once('close', () => {
        const all = releases ?? [];
        releases = undefined;
        for (const release of all) release();
      });
      return scopes.run((release) => (releases ? void releases.push(release) : release()), work);
    },

    async read(owner, bytes, load, weigh) {
      const hold = await enter(owner, bytes);
      try {
        const found = await load();
        if (weigh) hold.resize(weigh(found));
        const keep = scopes.getStore();
        if (keep) keep(hold.release);
        else hold.release();
        return found;
      } catch (error) {
        hold.release();
        throw error;
      }
    },
  };

  async function enter(name: string, bytes: number) {
    const owner = owners.get(name) ?? { bytes: 0, waiting: new Set() };
    owners.set(name, owner);
    if (owner.waiting.size > 0 || !hasRoom(owner, bytes)) await wait(name, owner, bytes);
    else add(owner, bytes);
    let current = bytes;
    return {
      resize(to: number) {
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

  function wait(name: string, owner: Owner, bytes: number): Promise<void> {
    if (waiting >= maxWaiting || owner.waiting.size >= maxWaitingPerDirectory) {
      forget(name, owner);
      throw overloaded();
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        owner.waiting.delete(waiter);
        waiting -= 1;
        if (owner.waiting.size === 0) turns.delete(name);
      };
      const waiter = {
        bytes,
        start() {
          leave();
          add(owner, bytes);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        leave();
        forget(name, owner);
        reject(overloaded());
        startNext();
      }, timeoutMs);
      owner.waiting.add(waiter);
      waiting += 1;
      turns.add(name);
    });
  }

  function startNext() {
    for (const name of turns) {
      const owner = owners.get(name)!;
      const [next] = owner.waiting;
      if (!next || !hasRoom(owner, next.bytes)) continue;
      turns.delete(name);
      turns.add(name);
      next.start();
    }
  }

  function hasRoom(owner: Owner, bytes: number): boolean {
    if (held === 0) return true;
    return held + bytes <= maxBytes && (owner.bytes === 0 || owner.bytes + bytes <= maxBytes / 2);
  }

  function add(owner: Owner, bytes: number) {
    owner.bytes += bytes;
    held += bytes;
  }

  function forget(name: string, owner: Owner) {
    if (owner.bytes === 0 && owner.waiting.size === 0) owners.delete(name);
  }

  function overloaded() {
    return new AppError(
      'unavailable',
      `The responses in progress take all of the ${maxBytes} bytes that MAX_RESPONSES_BYTES allows; try again.`,
    );
  }
}

import { AppError } from '../errors.ts';

export interface FairSemaphoreOptions {
  /** What the slots are for, as a plural noun for messages. */
  name: string;
  concurrency: number;
  perDirectory: number;
  maxWaiting: number;
  maxWaitingPerDirectory: number;
  /** The setting that sets `maxWaitingPerDirectory`, for messages. */
  setting?: string;
  /** What sets `maxWaiting`, for messages. */
  settingForAll?: string;
}

interface FairSemaphore {
  /**
   * Waits for a slot and resolves with the function that releases it. Rejects if too many are waiting already, also later if a directory
   * with a shorter queue takes the place, and with the signal's reason once it aborts. `ownLimit` replaces `perDirectory` for this
   * directory.
   */
  enter(directoryId: string, signal: AbortSignal, ownLimit?: number): Promise<() => void>;
  /** The number of slots that the directory holds. */
  count(directoryId: string): number;
}

interface Directory {
  running: number;
  limit: number;
  /** The oldest waiter comes first. */
  waiting: Set<Waiter>;
}

interface Waiter {
  start(): void;
  reject(error: Error): void;
}

/**
 * A semaphore that directories share. Unlike `createSemaphore`, its queue is bounded and waiters may leave it. Each directory may hold a few
 * slots, and a free slot goes to the directories in turn, so a directory with a long queue does not delay others. If the queue is full, a
 * newcomer replaces the newest waiter of the longest queue, unless its own queue is as long. So no directory can be kept out by others,
 * however many of them work together.
 */
export function createFairSemaphore(options: FairSemaphoreOptions): FairSemaphore {
  const {
    name,
    concurrency,
    perDirectory,
    maxWaiting,
    maxWaitingPerDirectory,
    setting = 'fixed limit',
    settingForAll = 'fixed limit',
  } = options;
  const directories = new Map<string, Directory>();
  /** Directories with waiters; the first one is next. */
  const turns = new Set<string>();
  let running = 0;
  let waiting = 0;

  return {
    count: (directoryId) => directories.get(directoryId)?.running ?? 0,

    async enter(directoryId, signal, ownLimit) {
      signal.throwIfAborted();
      const limit = ownLimit ?? perDirectory;
      if (limit === 0)
        throw new AppError('forbidden', `The directory may have at most 0 concurrent ${name} (quotas.${name} of this directory).`);
      const directory = directories.get(directoryId) ?? { running: 0, limit, waiting: new Set() };
      directory.limit = limit;
      directories.set(directoryId, directory);
      if (running < concurrency && directory.running < limit) return take(directoryId, directory);
      const error = findNoPlace(directory);
      if (error) {
        forget(directoryId, directory);
        throw error;
      }
      return new Promise((resolve, reject) => {
        const leaveQueue = () => {
          signal.removeEventListener('abort', giveUp);
          directory.waiting.delete(waiter);
          waiting -= 1;
          if (directory.waiting.size === 0) turns.delete(directoryId);
        };
        const waiter: Waiter = {
          start() {
            leaveQueue();
            resolve(take(directoryId, directory));
          },
          reject(reason) {
            leaveQueue();
            forget(directoryId, directory);
            reject(reason);
          },
        };
        const giveUp = () => waiter.reject(signal.reason as Error);
        signal.addEventListener('abort', giveUp);
        directory.waiting.add(waiter);
        waiting += 1;
        turns.add(directoryId);
      });
    },
  };

  function take(directoryId: string, directory: Directory): () => void {
    running += 1;
    directory.running += 1;
    return () => {
      running -= 1;
      directory.running -= 1;
      forget(directoryId, directory);
      startNext();
    };
  }

  function startNext() {
    for (const directoryId of turns) {
      if (running >= concurrency) return;
      const directory = directories.get(directoryId)!;
      if (directory.running >= directory.limit) continue;
      turns.delete(directoryId);
      turns.add(directoryId);
      const [next] = directory.waiting;
      return next!.start();
    }
  }

  function findNoPlace({ waiting: { size } }: Directory): AppError | undefined {
    if (size >= maxWaitingPerDirectory)
      return new AppError('rate_limited', `At most ${maxWaitingPerDirectory} ${name} per directory may wait (${setting}); try again.`);
    if (waiting < maxWaiting) return undefined;
    const allTaken = new AppError('unavailable', `At most ${maxWaiting} ${name} may wait in this process (${settingForAll}); try again.`);
    const queues = [...turns].map((directoryId) => directories.get(directoryId)!.waiting);
    const longest = findLongestQueue(queues, (queue) => queue.size, size + 1);
    if (!longest) return allTaken;
    [...longest].at(-1)!.reject(allTaken);
    return undefined;
  }

  function forget(directoryId: string, { running: held, waiting: queue }: Directory) {
    if (held === 0 && queue.size === 0) directories.delete(directoryId);
  }
}

/**
 * Finds the longest queue, the last one of equals. Undefined if all are shorter than `minSize`, the length that the newcomer's queue would
 * have.
 */
export function findLongestQueue<Queue>(queues: Iterable<Queue>, sizeOf: (queue: Queue) => number, minSize: number): Queue | undefined {
  let longest: Queue | undefined;
  let size = minSize;
  for (const queue of queues) {
    if (sizeOf(queue) < size) continue;
    longest = queue;
    size = sizeOf(queue);
  }
  return longest;
}

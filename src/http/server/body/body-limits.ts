import { AppError } from '../../../errors.ts';
import { estimateJsonMemory } from '../../../shared/json-memory.ts';
import { setImmediate } from 'node:timers/promises';
import type { Context } from 'koa';
import { createFairSemaphore } from '../../../shared/fair-semaphore.ts';
import { signalOf, throwIfDisconnected } from '../caller-connection.ts';

export interface BodyLimit {
  maxBytes: number;
  /** The setting of the limit, for the error message. A fixed limit has none. */
  setting?: string;
  maxValues: number;
  valuesSetting?: string;
  inFlight?: BodiesInFlight;
  scheduler?: BodyScheduler;
}

export interface BodyLimits {
  /** A Bulk request. */
  bulk: BodyLimit;
  user: BodyLimit;
  /** A group with its members. */
  group: BodyLimit;
  search: BodyLimit;
  /** A request to the JSON API. */
  api: BodyLimit;
}

interface BodySettings {
  maxBodyBytes: number;
  maxResourceBodyBytes: number;
  maxBodyValues: number;
  maxBodiesBytes: number;
}

/** A user of 1 MiB, with every character escaped. */
const maxUserBytes = 2_097_152;
const maxSearchBytes = 65_536;
/** Requests to the JSON API contain only a few settings. */
const maxApiBodyBytes = 65_536;
const valuesOfSmall = 10_000;

/** Created once per process: bodies in flight are counted together. */
export function createBodyLimits({
  maxBodyBytes,
  maxResourceBodyBytes,
  maxBodyValues: maxValues,
  maxBodiesBytes,
}: BodySettings): BodyLimits {
  const shared = {
    maxValues,
    valuesSetting: 'MAX_BODY_VALUES',
    inFlight: createBodiesInFlight({ maxBytes: maxBodiesBytes }),
    scheduler: createBodyScheduler(),
  };
  const toSmall = (maxBytes: number): BodyLimit => ({
    ...(maxBodyBytes < maxBytes ? { maxBytes: maxBodyBytes, setting: 'MAX_BODY_BYTES' } : { maxBytes }),
    maxValues: valuesOfSmall,
    inFlight: shared.inFlight,
  });
  const maxResource = Math.min(maxBodyBytes, maxResourceBodyBytes);
  const resource = { ...shared, setting: maxResource < maxBodyBytes ? 'MAX_RESOURCE_BODY_BYTES' : 'MAX_BODY_BYTES' };
  return {
    bulk: { maxBytes: maxBodyBytes, setting: 'MAX_BODY_BYTES', ...shared },
    group: { ...resource, maxBytes: maxResource },
    user: maxResource <= maxUserBytes ? { ...resource, maxBytes: maxResource } : { maxBytes: maxUserBytes, ...shared },
    search: toSmall(maxSearchBytes),
    api: toSmall(maxApiBodyBytes),
  };
}

/** Limits the memory of request bodies in this process, from their first byte until the response. */
interface BodiesInFlight {
  /** Starts to count a body for an owner: a directory, or the JSON API, whose name is empty. */
  open(owner: string): CountedBody;
}

export interface CountedBody {
  /** Counts received bytes. Returns an error if there is no room for them. */
  add(bytes: number): AppError | undefined;
  /** Counts the JSON values of the body. Returns an error if there is no room for them. */
  addValues(values: number): AppError | undefined;
  release(): void;
}

/** Small bodies are always accepted, so that one owner's large bodies do not block the small ones of others. */
const freeBytes = 32_768;

export function createBodiesInFlight({ maxBytes }: { maxBytes: number }): BodiesInFlight {
  let all = 0;
  const byOwner = new Map<string, number>();
  return {
    open(owner) {
      let received = 0;
      let counted = 0;
      const count = (values: number) => {
        const takes = estimateJsonMemory({ bytes: received, values });
        if (takes <= freeBytes) return undefined;
        const more = takes - counted;
        const owned = byOwner.get(owner) ?? 0;
        // A single body is always accepted, whatever the limit is.
        if (all > counted && all + more > maxBytes) return overloaded('this process', maxBytes, 'MAX_BODIES_BYTES');
        // One owner leaves half to others, and two together leave a quarter.
        const share = (maxBytes - all + owned) / 2;
        if (owned > counted && owned + more > share)
          return overloaded(owner === '' ? 'the JSON API' : 'one directory', share, 'half of what others leave of MAX_BODIES_BYTES');
        counted += more;
        all += more;
        byOwner.set(owner, owned + more);
        return undefined;
      };
      return {
        add(bytes) {
          received += bytes;
          return count(0);
        },
        addValues: count,
        release() {
          all -= counted;
          const left = (byOwner.get(owner) ?? 0) - counted;
          if (left > 0) byOwner.set(owner, left);
          else byOwner.delete(owner);
          counted = 0;
        },
      };
    },
  };
}

const overloaded = (whose: string, maxBytes: number, setting: string) =>
  new AppError(
    'unavailable',
    `Request bodies of ${whose} may take at most ${Math.floor(maxBytes)} bytes of memory at the same time (${setting}); try again.`,
  );

/**
 * Large bodies take turns, so that one directory does not delay others: a few bodies of each directory are read concurrently, and one body
 * of the process at a time is checked and submitted. Rejects when the caller has left, so that no more work is done for its body.
 */
export interface BodyScheduler {
  /** Waits until this body may be read on. */
  beginReading(ctx: Context, owner: string): Promise<void>;
  /** Waits until this body, which has been read, may be processed. */
  beginProcessing(ctx: Context, owner: string): Promise<void>;
}

/** A larger body waits for its turn to be processed. A smaller one takes less than a millisecond. */
export const smallBodyBytes = 16_384;

/** A body with more JSON values waits too: a Bulk request of 3 KB may have a thousand operations. */
export const smallBodyValues = 400;

/** A larger body waits for its turn to be read further. What was read before, at most twice as much, is counted as in flight. */
export const largeBodyBytes = 65_536;

const maxReadsPerDirectory = 8;
/** Waiting bodies hold at most half of what one directory may have in flight by default. The other half is for bodies being read. */
const waitingToBeRead = { maxWaiting: 128, maxWaitingPerDirectory: 64 };
/** Bodies that wait here are read, and counted as in flight unless they are small. MAX_CONNECTIONS bounds their number. */
const unbounded = { maxWaiting: Infinity, maxWaitingPerDirectory: Infinity };

const held = new WeakMap<Context['res'], (() => void)[]>();

export function createBodyScheduler(): BodyScheduler {
  const reading = createFairSemaphore({
    name: 'request bodies',
    concurrency: Infinity,
    perDirectory: maxReadsPerDirectory,
    ...waitingToBeRead,
  });
  const work = createFairSemaphore({ name: 'request bodies', concurrency: 1, perDirectory: 1, ...unbounded });
  return {
    async beginReading(ctx, owner) {
      hold(ctx, await reading.enter(owner, signalOf(ctx)));
    },

    async beginProcessing(ctx, owner) {
      hold(ctx, await work.enter(owner, signalOf(ctx)));
      // The first ends this turn of the event loop. Before the second, connections are read, so that a caller who has left is noticed.
      await setImmediate();
      await setImmediate();
      throwIfDisconnected(ctx);
    },
  };
}

/** Call it as soon as the body is submitted or rejected: the next body begins. */
export function releaseBody({ res }: Context): void {
  for (const leave of held.get(res) ?? []) leave();
  held.delete(res);
}

function hold({ res }: Context, leave: () => void) {
  // The response has ended, so the turn would never be ended.
  if (res.destroyed || res.writableEnded) return leave();
  held.set(res, [...(held.get(res) ?? []), leave]);
}

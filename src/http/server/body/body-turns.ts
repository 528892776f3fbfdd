import { setImmediate } from 'node:timers/promises';
import type { Context } from 'koa';
import { createFairSemaphore } from '../../../shared/fair-semaphore.ts';
import { signalOf, throwIfLeft } from '../caller-left.ts';

/**
 * Large bodies take turns, so that one directory does not delay others: a few bodies of each directory are read concurrently, and one body
 * of the process at a time is checked and submitted. Rejects when the caller has left, so that no more work is done for its body.
 */
export interface BodyTurns {
  /** Waits until this body may be read on. */
  beginReading(ctx: Context, owner: string): Promise<void>;
  /** Waits until this body, which has been read, may be processed. */
  beginWork(ctx: Context, owner: string): Promise<void>;
}

/** A larger body waits for its turn to be processed. A smaller one takes less than a millisecond. */
export const smallBodyBytes = 16_384;

/** A body with more JSON values waits too: a Bulk request of 3 KB may have a thousand operations. */
export const smallBodyValues = 400;

/** A larger body waits for its turn to be read further. What was read before, at most twice as much, is counted as in flight. */
export const largeBodyBytes = 65_536;

const readAtOnce = 8;
/** Waiting bodies hold at most half of what one directory may have in flight by default. The other half is for bodies being read. */
const waitingToBeRead = { maxWaiting: 128, maxWaitingPerDirectory: 64 };
/** Bodies that wait here are read, and counted as in flight unless they are small. MAX_CONNECTIONS bounds their number. */
const unbounded = { maxWaiting: Infinity, maxWaitingPerDirectory: Infinity };

const held = new WeakMap<Context['res'], (() => void)[]>();

export function createBodyTurns(): BodyTurns {
  const reading = createFairSemaphore({ name: 'request bodies', concurrency: Infinity, perDirectory: readAtOnce, ...waitingToBeRead });
  const work = createFairSemaphore({ name: 'request bodies', concurrency: 1, perDirectory: 1, ...unbounded });
  return {
    async beginReading(ctx, owner) {
      hold(ctx, await reading.enter(owner, signalOf(ctx)));
    },

    async beginWork(ctx, owner) {
      hold(ctx, await work.enter(owner, signalOf(ctx)));
      // The first ends this turn of the event loop. Before the second, connections are read, so that a caller who has left is noticed.
      await setImmediate();
      await setImmediate();
      throwIfLeft(ctx);
    },
  };
}

/** Call it as soon as the body is submitted or rejected: the next body begins. */
export function endBodyTurn({ res }: Context): void {
  for (const leave of held.get(res) ?? []) leave();
  held.delete(res);
}

function hold({ res }: Context, leave: () => void) {
  // The response has ended, so the turn would never be ended.
  if (res.destroyed || res.writableEnded) return leave();
  held.set(res, [...(held.get(res) ?? []), leave]);
}

import { setImmediate } from 'node:timers/promises';
import type { Context } from 'koa';
import { createFairSlots } from '../../../shared/fair-slots.ts';
import { signalOf, throwIfLeft } from '../caller-left.ts';

/**
 * Large bodies take turns, so that those of one directory delay nobody else: each directory has a few that are read at once, and one of the
 * process is checked and submitted at a time. Rejects once the caller has left: then nothing more is done for its body.
 */
export interface BodyTurns {
  /** Waits until this body may be read on. */
  beginReading(ctx: Context, owner: string): Promise<void>;
  /** Waits until this body, which is read, may be worked on. */
  beginWork(ctx: Context, owner: string): Promise<void>;
}

/** A larger body waits for its turn to be worked on. One that is smaller takes less than a millisecond. */
export const smallBodyBytes = 16_384;

/** Of more JSON values too: a Bulk request of 3 KB may have a thousand operations. */
export const smallBodyValues = 400;

/** A larger body waits for its turn to be read on. What is read of it by then, at most twice as much, is counted as in flight. */
export const largeBodyBytes = 65_536;

const readAtOnce = 8;
/** They hold at most half of what one directory may have in flight by default: the rest is for those that are read. */
const waitingToBeRead = { maxWaiting: 128, maxWaitingPerDirectory: 64 };
/** What waits here is read, and counted as in flight, unless it is small. MAX_CONNECTIONS bounds how many those are. */
const unbounded = { maxWaiting: Infinity, maxWaitingPerDirectory: Infinity };

const held = new WeakMap<Context['res'], (() => void)[]>();

export function createBodyTurns(): BodyTurns {
  const reading = createFairSlots({ name: 'request bodies', atOnce: Infinity, perDirectory: readAtOnce, ...waitingToBeRead });
  const work = createFairSlots({ name: 'request bodies', atOnce: 1, perDirectory: 1, ...unbounded });
  return {
    async beginReading(ctx, owner) {
      hold(ctx, await reading.enter(owner, signalOf(ctx)));
    },

    async beginWork(ctx, owner) {
      hold(ctx, await work.enter(owner, signalOf(ctx)));
      // The first ends this turn of the event loop; before the second, connections are read: whoever has left by now is seen.
      await setImmediate();
      await setImmediate();
      throwIfLeft(ctx);
    },
  };
}

/** To be called as soon as the body is submitted or refused: the next one begins. */
export function endBodyTurn({ res }: Context): void {
  for (const leave of held.get(res) ?? []) leave();
  held.delete(res);
}

function hold({ res }: Context, leave: () => void) {
  // Nobody would end it any more.
  if (res.destroyed || res.writableEnded) return leave();
  held.set(res, [...(held.get(res) ?? []), leave]);
}

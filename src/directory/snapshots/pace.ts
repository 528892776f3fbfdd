import { setTimeout as sleepFor } from 'node:timers/promises';

/** While changes arrive, a snapshot works for one part of its time and rests for this many parts. */
const restPerWork = 19;
/** Work before the first rest. */
const freeWorkMs = 100;
/** In users. A snapshot of less work never rests: it takes a fraction of a second. */
const smallWork = 2_500;
/** A page that waited for a busy database is not followed by a longer rest: a connection on which nothing is sent for 30 s is closed. */
const maxRestMs = 2_000;
/** Between two looks at whether changes still arrive. */
const restStepMs = 100;
/** The part of the time limit in which a snapshot plans to end. What is left is for a reader that needs longer for the last rows. */
const plannedPart = 0.6;

export interface PaceOptions {
  /** Whether changes arrive now. */
  isBusy(): boolean;
  /** The work of the whole snapshot, in users. Only called before the first rest. */
  countWork(): Promise<number>;
  timeoutMs: number;
  signal: AbortSignal;
  clock?: Clock | undefined;
}

export interface Clock {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

const realClock: Clock = { now: () => performance.now(), sleep: (ms) => sleepFor(ms) };

export type Pace = ReturnType<typeof createPace>;

/**
 * Lets a snapshot rest between its pages while changes arrive: it needs the processor and the database, as they do. A snapshot that is
 * behind its plan does not rest, so that it ends in time, and does not hold back vacuum for longer.
 */
export function createPace({ isBusy, countWork, timeoutMs, signal, clock = realClock }: PaceOptions) {
  const { now, sleep } = clock;
  const beganMs = now();
  const plannedMs = timeoutMs * plannedPart;
  let total: number | undefined;
  let [done, workedMs, owedMs] = [0, 0, 0];
  const isAhead = () => total! >= smallWork && done >= (total! * (now() - beganMs)) / plannedMs;

  return {
    /** Called at the start of a page. Returns what to call when its lines are written; the time after that, of the reader, is no work. */
    beginPage() {
      const fromMs = now();
      return (work: number) => {
        const tookMs = now() - fromMs;
        done += work;
        workedMs += tookMs;
        owedMs = workedMs < freeWorkMs ? 0 : Math.min(maxRestMs, tookMs * restPerWork);
      };
    },

    /** Called before the next page. */
    async rest(): Promise<void> {
      if (owedMs > 0 && isBusy()) total ??= await countWork();
      for (; owedMs > 0 && isBusy() && !signal.aborted && isAhead(); owedMs -= restStepMs) await sleep(Math.min(restStepMs, owedMs));
      owedMs = 0;
    },
  };
}

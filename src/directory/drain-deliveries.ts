import type { Attempt, DeliveryStore, SendResult, SendWebhook } from './ports.ts';

export type Drained = { kind: 'drained' | 'more' | 'unaddressed' | 'gone' } | { kind: 'retry'; delayMs: number };

export interface DrainDeps {
  store: DeliveryStore;
  send: SendWebhook;
  /** The wait after the first, second, … failure; the last one repeats. */
  retryDelaysMs: number[];
  random?: () => number;
  now?: () => number;
  /** For the person who asks why nothing arrives. */
  onAttempt?: (attempt: Attempt, result: SendResult, retryDelayMs: number) => void;
}

export interface DrainRun {
  /** Told before each POST, so that a successor starts only when ours is surely over. */
  beat(): void;
  signal: AbortSignal;
  budgetMs: number;
  /** For one whole exchange. */
  timeoutMs: number;
}

/** Delivers a directory's events, one after the other, until there are none, one has failed, or the time is up. */
export async function drainDeliveries(
  deps: DrainDeps,
  directoryId: string,
  { beat, signal, budgetMs, timeoutMs }: DrainRun,
): Promise<Drained> {
  const { store, send, now = Date.now } = deps;
  const taken = await store.takeLane(directoryId);
  if (taken === 'gone' || taken === 'unaddressed') return { kind: taken };
  if ('retryInMs' in taken) return { kind: 'retry', delayMs: taken.retryInMs };
  const { lane } = taken;

  const until = now() + budgetMs;
  while (now() < until && !signal.aborted) {
    beat();
    const attempt = await store.startAttempt(lane);
    if (attempt === 'superseded') return { kind: 'more' };
    if (attempt === 'drained' || attempt === 'unaddressed') return { kind: attempt };
    if ('retryInMs' in attempt) return { kind: 'retry', delayMs: attempt.retryInMs };
    beat();
    const result = await send(attempt, { signal, timeoutMs });
    // Our own stopping is no failure of the receiver.
    const delayMs = result.outcome === 'aborted' ? 0 : retryDelayMs(deps, attempt.failures + 1);
    deps.onAttempt?.(attempt, result, delayMs);
    if ((await store.finishAttempt(lane, attempt, result, delayMs)) === 'superseded') return { kind: 'more' };
    if (result.outcome !== 'success') return { kind: 'retry', delayMs };
  }
  return { kind: 'more' };
}

/** A fifth more or less, so that endpoints that failed together do not come back together. */
function retryDelayMs({ retryDelaysMs, random = Math.random }: DrainDeps, failures: number): number {
  const delayMs = retryDelaysMs[Math.min(failures, retryDelaysMs.length) - 1]!;
  return Math.round(delayMs * (0.8 + 0.4 * random()));
}

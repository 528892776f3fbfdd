import { UnusableArgument } from './build-request.ts';
import type { CallOptions } from './result.ts';

/** Timers of JavaScript count to here; what is longer has no end. */
const longestTimerMs = 2_147_483_647;

export interface Deadline {
  signal: AbortSignal;
  totalMs: number;
  /** Why the signal was given, if it was. */
  reason(): 'aborted' | 'timeout' | undefined;
  /** Leaves nothing behind on the caller's signal, which may outlive many calls. */
  end(): void;
}

/** One signal for the caller's and for the time that is over. */
export function startDeadline({ signal, timeoutMs = 30_000 }: CallOptions, waitMs: number): Deadline {
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0))
    throw new UnusableArgument('timeoutMs', 'timeoutMs must be a number above 0, for example 30000.');
  if (signal && typeof signal.addEventListener !== 'function')
    throw new UnusableArgument('signal', 'signal must be an AbortSignal, for example that of a new AbortController().');
  const controller = new AbortController();
  const abort = () => controller.abort();
  const totalMs = timeoutMs + waitMs;
  let isOver = false;
  const timer =
    totalMs <= longestTimerMs
      ? setTimeout(() => {
          isOver = true;
          abort();
        }, totalMs)
      : undefined;
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    totalMs,
    reason: () => (signal?.aborted ? 'aborted' : isOver ? 'timeout' : undefined),
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}

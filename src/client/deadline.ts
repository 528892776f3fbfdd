import { InvalidArgument } from './build-request.ts';
import type { CallOptions } from './result.ts';

/** The longest timeout of a JavaScript timer. A longer one never ends. */
const longestTimerMs = 2_147_483_647;

export interface Deadline {
  signal: AbortSignal;
  totalMs: number;
  /** Why the signal was aborted, if it was. */
  reason(): 'aborted' | 'timeout' | undefined;
  /** Removes the listener from the caller's signal, which may outlive many calls. */
  end(): void;
}

/** Combines the caller's signal and the timeout. */
export function startDeadline({ signal, timeoutMs = 30_000 }: CallOptions, waitMs: number): Deadline {
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0))
    throw new InvalidArgument('timeoutMs', 'timeoutMs must be a number above 0, for example 30000.');
  if (signal && typeof signal.addEventListener !== 'function')
    throw new InvalidArgument('signal', 'signal must be an AbortSignal, for example that of a new AbortController().');
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

import { heartbeatEveryMs } from '../src/temporal/timeouts.ts';

export interface StallWatch {
  hasStalled(): boolean;
  stop(): void;
}

/**
 * Detects that this process was stopped, or its event loop blocked, for so long that another worker may have started the same activity.
 * It stays detected: only a new start of the activity can be sure to be the only one.
 */
export function watchStalls(limitMs: number, now: () => number = () => performance.now()): StallWatch {
  let hasStalled = false;
  let lastTickMs = now();
  const check = () => {
    hasStalled ||= now() - lastTickMs >= limitMs;
    return hasStalled;
  };
  const ticking = setInterval(() => {
    check();
    lastTickMs = now();
  }, heartbeatEveryMs);
  // After a stall, sockets may be read before timers run, so each call checks the time again.
  return { hasStalled: check, stop: () => clearInterval(ticking) };
}

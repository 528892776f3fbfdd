import { heartbeatEveryMs } from '../src/temporal/timeouts.ts';

export interface StallWatch {
  hasStalled(): boolean;
  stop(): void;
}

/**
 * Notices that this process stood still, stopped or with a blocked event loop, for so long that another worker may have begun the same
 * activity. Once is for good: only a new start of the activity can know that it is the only one.
 */
export function watchStalls(limitMs: number, now: () => number = () => performance.now()): StallWatch {
  let hasStalled = false;
  let lastTickMs = now();
  const look = () => {
    hasStalled ||= now() - lastTickMs >= limitMs;
    return hasStalled;
  };
  const ticking = setInterval(() => {
    look();
    lastTickMs = now();
  }, heartbeatEveryMs);
  // Sockets may be read before timers after a stall, so the time is looked at again each time somebody asks.
  return { hasStalled: look, stop: () => clearInterval(ticking) };
}

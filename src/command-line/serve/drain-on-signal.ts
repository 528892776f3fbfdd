import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../logger.ts';
import { tellFailure } from '../tell-failure.ts';

export interface Running {
  stop(): Promise<void>;
}

/** What does not answer, a database say, must not keep us; what is not finished goes on elsewhere or at the next start. */
const drainMs = 14_000;

/** One Ctrl-C in a terminal may arrive twice; a second one by hand, later, ends at once. */
export function drainOnSignal(running: Running, log: Logger): void {
  let drainingSinceMs: number | undefined;
  const drain = async (signal: string) => {
    if (drainingSinceMs !== undefined) {
      if (Date.now() - drainingSinceMs > 1_000) process.exit(1);
      return;
    }
    drainingSinceMs = Date.now();
    log.info(`${signal}: finishing what is under way`);
    const isLate = await Promise.race([running.stop(), sleep(drainMs, 'late')]);
    log[isLate ? 'warn' : 'info'](isLate ? 'stopped, though not everything could be finished' : 'stopped');
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void drain(signal).catch(fail));
}

function fail(error: unknown): never {
  console.error(tellFailure(error));
  process.exit(1);
}

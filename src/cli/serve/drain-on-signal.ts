import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../logger.ts';
import { tellFailure } from '../tell-failure.ts';
import { watchStop } from './watch-stop.ts';

export interface Running {
  /** Last of the start: whoever reads it may send a signal at once. */
  tellReady(): void;
  stop(): Promise<void>;
  /** Ends at once what must not outlive this process. */
  kill?(): Promise<void>;
}

/** What does not respond, a database say, must not keep us; what is not finished goes on elsewhere or at the next start. */
const drainMs = 13_000;
const killMs = 1_000;
const hardEndMs = 15_000;

const signalNumbers = { SIGINT: 2, SIGTERM: 15 };
type Signal = keyof typeof signalNumbers;

const exitAtOnce = (signal: Signal): void => process.exit(128 + signalNumbers[signal]);

/** During the start a signal ends the process, also as the first process of a container, which would ignore it otherwise. */
export function endOnSignal(): { drain(running: Running, log: Logger): void } {
  let respond = exitAtOnce;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => respond(signal));
  return {
    drain(running, log) {
      respond = drainOnSignal(running, log);
    },
  };
}

/** One Ctrl-C in a terminal may arrive twice; a second one by hand, later, ends at once. */
function drainOnSignal(running: Running, log: Logger): (signal: Signal) => void {
  let drainingSinceMs: number | undefined;
  const drain = async (signal: Signal) => {
    if (drainingSinceMs !== undefined) {
      if (Date.now() - drainingSinceMs > 1_000) process.exit(1);
      return;
    }
    drainingSinceMs = Date.now();
    watchStop(hardEndMs);
    log.info(`${signal}: finishing work in progress`);
    const isLate = await Promise.race([running.stop(), sleep(drainMs, 'late')]);
    if (isLate) {
      log.warn(`stopped after ${drainMs / 1000} s, though not everything could be finished`);
      await Promise.race([running.kill?.(), sleep(killMs)]);
      process.exit(1);
    }
    log.info('stopped');
    process.exit(0);
  };
  return (signal) => void drain(signal).catch(fail);
}

function fail(error: unknown): never {
  console.error(tellFailure(error));
  process.exit(1);
}

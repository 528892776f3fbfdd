import type { LogFormat, Logger } from '../../logger.ts';
import { waitAtMost } from '../../shared/timeout.ts';
import { describeError } from '../errors.ts';
import { killIfStuck } from './kill-if-stuck.ts';

export interface RunningService {
  /** The last step of the start: its reader may send a signal immediately. */
  announce(): void;
  stop(): Promise<void>;
  /** Immediately ends the child processes that must not outlive this one. */
  kill?(): Promise<void>;
}

/** A database that does not respond must not block the stop. Unfinished work continues elsewhere or after the next start. */
const stopTimeoutMs = 13_000;
const killTimeoutMs = 1_000;
const hardLimitMs = 15_000;

const signalNumbers = { SIGINT: 2, SIGTERM: 15 };
type Signal = keyof typeof signalNumbers;

const exitImmediately = (signal: Signal): void => process.exit(128 + signalNumbers[signal]);

interface SignalHandling {
  stopGracefully(service: RunningService, log: Logger, logFormat: LogFormat | undefined): void;
}

/** During the start a signal ends the process; without a handler, PID 1 of a container would ignore it. */
export function stopOnSignal(): SignalHandling {
  let respond = exitImmediately;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => respond(signal));
  return {
    stopGracefully(service, log, logFormat) {
      respond = createStop(service, log, logFormat);
    },
  };
}

/** A terminal may deliver one Ctrl-C twice. A second one, more than a second later, exits immediately. */
function createStop(service: RunningService, log: Logger, logFormat: LogFormat | undefined): (signal: Signal) => void {
  let stoppingSinceMs: number | undefined;
  const stop = async (signal: Signal) => {
    if (stoppingSinceMs !== undefined) {
      if (Date.now() - stoppingSinceMs > 1_000) process.exit(1);
      return;
    }
    stoppingSinceMs = Date.now();
    killIfStuck(hardLimitMs, logFormat);
    log.info(`${signal}: finishing work in progress`);
    const hasStopped = await waitAtMost(stopTimeoutMs, service.stop());
    if (!hasStopped) {
      log.warn(`stopped after ${stopTimeoutMs / 1000} s, though not everything could be finished`);
      if (service.kill) await waitAtMost(killTimeoutMs, service.kill());
      process.exit(1);
    }
    log.info('stopped');
    process.exit(0);
  };
  return (signal) => void stop(signal).catch(fail);
}

function fail(error: unknown): never {
  console.error(describeError(error));
  process.exit(1);
}

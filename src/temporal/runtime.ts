import { IllegalStateError } from '@temporalio/common';
import { makeTelemetryFilterString, Runtime, type LogLevel } from '@temporalio/worker';
import type { Logger } from '../logger.ts';

/** Call it once per process. Rollcall handles process signals itself, to stop HTTP, workers, database and servers in this order. */
export function installTemporalRuntime(log: Logger): void {
  const write = (level: LogLevel, message: string, meta: object = {}) => {
    if (level === 'ERROR' && !isStopTimeout(meta)) log.error({ temporal: describe(meta) }, message);
    else if (level === 'ERROR' || level === 'WARN') log.warn({ temporal: describe(meta) }, message);
  };
  Runtime.install({
    shutdownSignals: [],
    // Otherwise the SDK's native part writes to the terminal.
    telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) } },
    logger: {
      log: write,
      trace: () => undefined,
      debug: () => undefined,
      info: () => undefined,
      warn: (message, meta) => write('WARN', message, meta),
      error: (message, meta) => write('ERROR', message, meta),
    },
  });
}

/** For an application that may use Temporal itself, or Rollcall twice: the first installation counts. */
export function shareTemporalRuntime(log: Logger): void {
  try {
    installTemporalRuntime(log);
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

/** The process was stopped while a server was unavailable. Unfinished work continues elsewhere. */
const isStopTimeout = (meta: object) => 'error' in meta && (meta.error as Error | undefined)?.name === 'GracefulShutdownPeriodExpiredError';

/** Names and numbers only. Payloads are never here in plain text. */
function describe(meta: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(meta).flatMap(([name, value]): [string, unknown][] => {
      if (name === 'taskToken') return [];
      // The message of an expected failure is sufficient. A bug needs its stack.
      if (value instanceof Error) return [[name, value.name === 'ApplicationFailure' ? value.message : (value.stack ?? value.message)]];
      return ['string', 'number', 'boolean'].includes(typeof value) ? [[name, value]] : [];
    }),
  );
}

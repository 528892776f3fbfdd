import { IllegalStateError } from '@temporalio/common';
import { makeTelemetryFilterString, Runtime, type LogLevel } from '@temporalio/worker';
import type { Logger } from '../logger.ts';

/** Once per process. Signals stay ours: the order of draining is HTTP, workers, database, servers. */
export function installTemporalRuntime(log: Logger): void {
  const write = (level: LogLevel, message: string, meta: object = {}) => {
    if (level === 'ERROR' && !isCutShort(meta)) log.error({ temporal: describe(meta) }, message);
    else if (level === 'ERROR' || level === 'WARN') log.warn({ temporal: describe(meta) }, message);
  };
  Runtime.install({
    shutdownSignals: [],
    // The SDK's native part would otherwise write lines of its own to the terminal.
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

/** In an application that may use Temporal itself, or us twice: the first one to come has its way. */
export function shareTemporalRuntime(log: Logger): void {
  try {
    installTemporalRuntime(log);
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

/** We were told to stop while a server was away: what is not finished goes on elsewhere. */
const isCutShort = (meta: object) => 'error' in meta && (meta.error as Error | undefined)?.name === 'GracefulShutdownPeriodExpiredError';

/** Names and numbers of what happened; payloads never come this way in clear. */
function describe(meta: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(meta).flatMap(([name, value]): [string, unknown][] => {
      if (name === 'taskToken') return [];
      // An expected failure says all in its message; of a bug the stack is wanted.
      if (value instanceof Error) return [[name, value.name === 'ApplicationFailure' ? value.message : (value.stack ?? value.message)]];
      return ['string', 'number', 'boolean'].includes(typeof value) ? [[name, value]] : [];
    }),
  );
}

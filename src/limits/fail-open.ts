import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

export interface FailOpenDeps {
  log: Pick<Logger, 'warn'>;
  onFailure(): void;
  now?: () => number;
}

/** After a failure the store is left alone for so long: nobody is to wait for it request by request. */
const restMs = 1_000;
const logEveryMs = 5_000;

/** A store that is down limits nobody. Asks it, unless it failed just now; undefined stands for no answer. */
export function createFailOpen({ log, onFailure, now = Date.now }: FailOpenDeps) {
  let restsUntilMs = -Infinity;
  let loggedAtMs = -Infinity;
  return function ask<T>(operation: () => Promise<T>): Promise<T | undefined> {
    if (now() >= restsUntilMs) return operation().catch(passOver);
    onFailure();
    return Promise.resolve(undefined);
  };

  function passOver(error: Error): undefined {
    onFailure();
    restsUntilMs = now() + restMs;
    if (now() - loggedAtMs < logEveryMs) return;
    loggedAtMs = now();
    log.warn({ error: toLoggableMessage(error) }, 'the store of the limits does not answer: requests pass unlimited');
  }
}

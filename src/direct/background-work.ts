import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

export interface BackgroundWork<Key> {
  /** Returns before the work ends. What is in progress is not started again. */
  start(key: Key): Promise<void>;
  /** Unfinished work is resumed by the next maintenance. */
  stop(): Promise<void>;
}

interface BackgroundWorkDeps<Key> {
  run(key: Key, signal: AbortSignal): Promise<unknown>;
  idOf(key: Key): string;
  /** What the log says of the key. */
  describe(key: Key): object;
  /** The message if it fails. */
  interrupted: string;
  log: Logger;
}

/** Runs work in this process, each key once at a time. */
export function createBackgroundWork<Key>({ run, idOf, describe, interrupted, log }: BackgroundWorkDeps<Key>): BackgroundWork<Key> {
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  return {
    start(key) {
      const id = idOf(key);
      if (!stopping.signal.aborted && !running.has(id))
        running.set(
          id,
          runLogged(key).finally(() => running.delete(id)),
        );
      return Promise.resolve();
    },
    async stop() {
      stopping.abort();
      await Promise.all(running.values());
    },
  };

  async function runLogged(key: Key): Promise<void> {
    try {
      await run(key, stopping.signal);
    } catch (error) {
      log.warn({ ...describe(key), error: toLoggableMessage(error) }, interrupted);
    }
  }
}

import type { RecomputeKey } from '../directory/attributes/ports.ts';
import type { RunRecompute } from '../directory/attributes/run-recompute.ts';
import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

interface Recomputes {
  /** Returns before the recomputation ends. */
  start(key: RecomputeKey): Promise<void>;
  /** Unfinished recomputations are resumed by the next maintenance. */
  stop(): Promise<void>;
}

/** Recomputes directories. What has to wait for a webhook continues with the next maintenance. */
export function createRecomputes({ runRecompute, log }: { runRecompute: RunRecompute; log: Logger }): Recomputes {
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  return {
    start(key) {
      const { recomputeId } = key;
      if (!stopping.signal.aborted && !running.has(recomputeId))
        running.set(
          recomputeId,
          run(key).finally(() => running.delete(recomputeId)),
        );
      return Promise.resolve();
    },
    async stop() {
      stopping.abort();
      await Promise.all(running.values());
    },
  };

  async function run(key: RecomputeKey): Promise<void> {
    try {
      await runRecompute(key, stopping.signal);
    } catch (error) {
      log.warn({ ...key, error: toLoggableMessage(error) }, 'a recomputation was interrupted; it is resumed later');
    }
  }
}

import { applyRetention } from '../directory/maintenance/apply-retention.ts';
import type { RetentionStore } from '../directory/maintenance/retention.ts';
import { recoverForgottenWork, type RecoveryDeps } from '../directory/maintenance/recover-forgotten-work.ts';
import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

export interface MaintenanceDeps extends Omit<RecoveryDeps, 'webhooks'> {
  retention: RetentionStore;
  /** Unset: forever. */
  keepLogsMs: number | undefined;
  /** Older events of directories without a webhook count as read, and are deleted like logs. Unset: they are kept. */
  dropEventsAfterMs: number | undefined;
  skipOldEvents(keptMs: number): Promise<void>;
  log: Logger;
}

const sweepEveryMs = 60_000;
const retainEveryMs = 3_600_000;

/** Resumes work that a process left behind, and deletes what has expired: now, and then periodically. */
export function startMaintenance({ retention, skipOldEvents, keepLogsMs, dropEventsAfterMs, log, ...deps }: MaintenanceDeps): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const { signal } = stopping;
  const tasks = [runEvery(sweepEveryMs, () => recoverForgottenWork(deps)), runEvery(retainEveryMs, deleteExpired)];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(tasks.map((stop) => stop()));
    },
  };

  /** Runs of a task do not overlap, and its timer does not keep the process alive. */
  function runEvery(everyMs: number, task: () => Promise<unknown>): () => Promise<void> {
    let running: Promise<unknown> | undefined;
    const run = () => {
      running ??= task()
        .catch((error: Error) => log.warn({ error: toLoggableMessage(error) }, 'maintenance failed; trying again'))
        .finally(() => (running = undefined));
    };
    const timer = setInterval(run, everyMs).unref();
    run();
    return async () => {
      clearInterval(timer);
      await running;
    };
  }

  async function deleteExpired(): Promise<void> {
    if (dropEventsAfterMs !== undefined) await skipOldEvents(dropEventsAfterMs);
    if (keepLogsMs !== undefined) await applyRetention(retention, keepLogsMs, { signal });
  }
}

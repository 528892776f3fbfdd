import { type RetentionStore, applyAuditRetention, applyRequestRetention, applyRetention } from '../directory/maintenance/retention.ts';
import { recoverForgottenWork, type RecoveryDeps } from '../directory/maintenance/recover-forgotten-work.ts';
import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import type { AuditStore } from '../audit/ports.ts';
import type { DeletionStore, RecordedRequestStore } from '../directory/ports.ts';
import type { EraseUser } from '../directory/erasure/erase-user.ts';
import type { UserKey } from '../directory/erasure/ports.ts';

interface PeriodicTasksDeps extends RecoveryDeps {
  retention: RetentionStore;
  /** If it is unset, logs are kept forever. */
  keepLogsMs: number | undefined;
  audit: Pick<AuditStore, 'dropExpired'>;
  /** If it is unset, the audit log is kept forever. */
  keepAuditMs: number | undefined;
  recordedRequests: Pick<RecordedRequestStore, 'dropExpired'>;
  /** If it is unset, the newest recorded requests of each directory are kept forever. */
  keepRequestsMs: number | undefined;
  /** Older events of directories without a webhook count as read, and are deleted like logs. Unset: they are kept. */
  dropEventsAfterMs: number | undefined;
  skipOldEvents(keptMs: number): Promise<void>;
  log: Logger;
}

const sweepEveryMs = 60_000;
const retainEveryMs = 3_600_000;

/** Resumes work that a process left behind, and deletes what has expired: now, and then periodically. */
export function startPeriodicTasks({
  retention,
  skipOldEvents,
  keepLogsMs,
  audit,
  keepAuditMs,
  recordedRequests,
  keepRequestsMs,
  dropEventsAfterMs,
  log,
  ...deps
}: PeriodicTasksDeps): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Their timers do not keep the process alive.
  const tasks = [runEvery(sweepEveryMs, () => recoverForgottenWork(deps)), runEvery(retainEveryMs, deleteExpired)];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(tasks.map((stop) => stop()));
    },
  };

  /** The first run is now. */
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
    await applyAuditRetention(audit, keepAuditMs, { signal });
    await applyRequestRetention(recordedRequests, keepRequestsMs, { signal });
  }
}

const rowsPerDelete = 5_000;

interface Deletions {
  /** Returns before the deletion ends. */
  start(directoryId: string): Promise<void>;
  /** Unfinished deletions are resumed by the next maintenance. */
  stop(): Promise<void>;
}

/** Deletes the rows of deleted directories, a batch at a time. */
export function createDeletions({ deletions, log }: { deletions: DeletionStore; log: Logger }): Deletions {
  const running = new Map<string, Promise<void>>();
  let isStopping = false;

  return {
    start(directoryId) {
      if (!isStopping && !running.has(directoryId))
        running.set(
          directoryId,
          deleteAll(directoryId).finally(() => running.delete(directoryId)),
        );
      return Promise.resolve();
    },
    async stop() {
      isStopping = true;
      await Promise.all(running.values());
    },
  };

  async function deleteAll(directoryId: string): Promise<void> {
    try {
      while (!isStopping && (await deletions.deleteSome(directoryId, rowsPerDelete)));
    } catch (error) {
      log.warn({ directoryId, error: toLoggableMessage(error) }, 'a deletion was interrupted; it is resumed later');
    }
  }
}

interface Erasures {
  /** Returns before the erasure ends. */
  start(user: UserKey): Promise<void>;
  /** Unfinished erasures are resumed by the next maintenance. */
  stop(): Promise<void>;
}

/** Erases users, of each directory one after the other. What has to wait for something else continues with the next maintenance. */
export function createErasures({ eraseUser, log }: { eraseUser: EraseUser; log: Logger }): Erasures {
  const running = new Map<string, Promise<void>>();
  const lastOf = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  return {
    start(user) {
      const { directoryId, erasureId } = user;
      if (stopping.signal.aborted || running.has(erasureId)) return Promise.resolve();
      const before = lastOf.get(directoryId) ?? Promise.resolve();
      const erasing: Promise<void> = before
        .then(() => erase(user))
        .finally(() => {
          running.delete(erasureId);
          if (lastOf.get(directoryId) === erasing) lastOf.delete(directoryId);
        });
      running.set(erasureId, erasing);
      lastOf.set(directoryId, erasing);
      return Promise.resolve();
    },
    async stop() {
      stopping.abort();
      await Promise.all(running.values());
    },
  };

  async function erase(user: UserKey): Promise<void> {
    try {
      await eraseUser(user, stopping.signal);
    } catch (error) {
      log.warn({ ...user, error: toLoggableMessage(error) }, 'an erasure was interrupted; it is resumed later');
    }
  }
}

import { recoverForgottenWork, type RecoveryDeps, type Swept } from '../src/directory/maintenance/recover-forgotten-work.ts';
import type { Logger } from '../src/logger.ts';
import type { Metrics } from '../src/metrics.ts';
import { Context } from '@temporalio/activity';
import type { AuditStore } from '../src/audit/ports.ts';
import type { RecordedRequestStore } from '../src/directory/recorded-requests/recorded-request.ts';
import { type RetentionStore, applyAuditRetention, applyRequestRetention, applyRetention } from '../src/directory/maintenance/retention.ts';
import type { DeletionStore, WakeDelivery } from '../src/directory/ports.ts';
import { workerStops } from './stop-with-worker.ts';

export interface RunSweepDeps extends RecoveryDeps {
  metrics: Metrics;
  log: Logger;
}

export const createRunSweep = (deps: RunSweepDeps) =>
  async function runSweep(): Promise<Swept> {
    const { metrics, log } = deps;
    const swept = await recoverForgottenWork(deps);
    metrics.woken('sweep', swept.woken);
    if (swept.woken > 0) log.warn({ directories: swept.woken }, 'woke stalled deliveries');
    if (swept.operatorEvents)
      log.warn({ events: swept.operatorEvents }, 'events for the operator were dropped because they could not be delivered for too long');
    return swept;
  };

export interface DeleteExpiredLogsDeps {
  retention: RetentionStore;
  /** If it is unset, logs are kept forever. */
  keepLogsMs: number | undefined;
  audit: Pick<AuditStore, 'dropExpired'>;
  /** If it is unset, the audit log is kept forever. */
  keepAuditMs: number | undefined;
  recordedRequests: Pick<RecordedRequestStore, 'dropExpired'>;
  /** If it is unset, the newest recorded requests of each directory are kept forever. */
  keepRequestsMs: number | undefined;
  log: Logger;
}

export const createDeleteExpiredLogs = (deps: DeleteExpiredLogsDeps) =>
  async function deleteExpiredLogs(): Promise<{ deliveries: number; events: number }> {
    const { retention, keepLogsMs, audit, keepAuditMs, recordedRequests, keepRequestsMs, log } = deps;
    const { cancellationSignal: signal } = Context.current();
    const requests = await applyRequestRetention(recordedRequests, keepRequestsMs, { signal });
    if (requests > 0) log.info({ requests }, 'deleted expired recorded requests');
    const entries = await applyAuditRetention(audit, keepAuditMs, { signal });
    if (entries > 0) log.info({ entries }, 'deleted expired entries of the audit log');
    if (keepLogsMs === undefined) return { deliveries: 0, events: 0 };
    const deleted = await applyRetention(retention, keepLogsMs, { signal });
    if (deleted.deliveries + deleted.events > 0) log.info(deleted, 'deleted expired deliveries and events');
    return deleted;
  };

export interface DeleteDirectoryDataDeps {
  deletions: DeletionStore;
  wakeDelivery: WakeDelivery;
  removeSchedule(directoryId: string): Promise<void>;
}

const rowsPerDelete = 5_000;

/** Deletes in small transactions, so that nothing waits long for a lock. The next attempt continues with what is left. */
export const createDeleteDirectoryData = ({ deletions, wakeDelivery, removeSchedule }: DeleteDirectoryDataDeps) =>
  async function deleteDirectoryData(directoryId: string): Promise<void> {
    const { cancellationSignal: signal } = Context.current();
    await removeSchedule(directoryId);
    // The delivery workflow notices that the directory is gone, and ends.
    await wakeDelivery(directoryId);
    while (await deletions.deleteSome(directoryId, rowsPerDelete)) {
      if (signal.aborted) throw workerStops();
    }
  };

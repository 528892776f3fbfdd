import { Context } from '@temporalio/activity';
import { applyRetention } from '../src/directory/maintenance/apply-retention.ts';
import type { RetentionStore } from '../src/directory/maintenance/retention.ts';
import type { Logger } from '../src/logger.ts';
import { toFailure } from './to-failure.ts';

export interface DeleteExpiredLogsDeps {
  retention: RetentionStore;
  /** Unset: forever. */
  keepLogsMs: number | undefined;
  log: Logger;
}

export const createDeleteExpiredLogs = ({ retention, keepLogsMs, log }: DeleteExpiredLogsDeps) =>
  async function deleteExpiredLogs(): Promise<{ deliveries: number; events: number }> {
    if (keepLogsMs === undefined) return { deliveries: 0, events: 0 };
    const { cancellationSignal: signal } = Context.current();
    try {
      const deleted = await applyRetention(retention, keepLogsMs, { signal });
      if (deleted.deliveries + deleted.events > 0) log.info(deleted, 'deleted expired deliveries and events');
      return deleted;
    } catch (error) {
      throw toFailure(error, log);
    }
  };

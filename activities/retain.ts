import { Context } from '@temporalio/activity';
import { retain as retainOnce } from '../src/directory/delivery/retain.ts';
import type { RetentionStore } from '../src/directory/delivery/retention.ts';
import type { Logger } from '../src/logger.ts';
import { toFailure } from './failures.ts';

export interface RetainDeps {
  retention: RetentionStore;
  /** Unset: for ever. */
  keepLogsMs: number | undefined;
  log: Logger;
}

export const createRetain = ({ retention, keepLogsMs, log }: RetainDeps) =>
  async function retain(): Promise<{ deliveries: number; events: number }> {
    if (keepLogsMs === undefined) return { deliveries: 0, events: 0 };
    const { cancellationSignal: signal } = Context.current();
    try {
      const dropped = await retainOnce(retention, keepLogsMs, { signal });
      if (dropped.deliveries + dropped.events > 0) log.info(dropped, 'dropped what was kept long enough');
      return dropped;
    } catch (error) {
      throw toFailure(error, log);
    }
  };

import { Context } from '@temporalio/activity';
import type { Logger } from '../src/logger.ts';
import type { RetentionStore } from '../src/directory/delivery/retention.ts';
import { toFailure } from './failures.ts';

export interface RetainDeps {
  retention: RetentionStore;
  /** Unset: for ever. */
  keepLogsMs: number | undefined;
  log: Logger;
}

const rowsAtOnce = 2_000;
const directoriesAtOnce = 200;

/** Little at once, so that nobody waits for a lock. What was not delivered is never touched. */
export const createRetain = ({ retention, keepLogsMs, log }: RetainDeps) =>
  async function retain(): Promise<{ deliveries: number; events: number }> {
    const dropped = { deliveries: 0, events: 0 };
    if (keepLogsMs === undefined) return dropped;
    const { heartbeat, cancellationSignal: signal } = Context.current();
    try {
      for (let count = rowsAtOnce; count === rowsAtOnce && !signal.aborted; dropped.deliveries += count) {
        heartbeat();
        count = await retention.dropDeliveries(keepLogsMs, rowsAtOnce);
      }
      await retention.dropReplays(keepLogsMs);
      for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined && !signal.aborted;) {
        heartbeat();
        const round: Awaited<ReturnType<RetentionStore['dropEvents']>> = await retention.dropEvents(keepLogsMs, {
          after,
          directories: directoriesAtOnce,
          rows: rowsAtOnce,
        });
        dropped.events += round.count;
        ({ after } = round);
      }
      if (dropped.deliveries + dropped.events > 0) log.info(dropped, 'dropped what was kept long enough');
      return dropped;
    } catch (error) {
      throw toFailure(error, log);
    }
  };

import Router from '@koa/router';
import type { DeliveryStore } from '../../directory/delivery/ports.ts';
import { directorySyncPaths } from '../directory-sync-paths.ts';
import { answer } from '../envelope.ts';

export interface CronRoutesDeps {
  deliveries: Pick<DeliveryStore, 'wakeBacklogs' | 'unwake'>;
  processEvents(directoryIds: string[]): Promise<void>;
}

const namedAtMost = 1_000;

/** What a scheduler calls, at the ancestor's addresses. Any number of callers at once share the work. */
export function cronRoutes({ deliveries, processEvents }: CronRoutesDeps): Router {
  const router = new Router();
  router.post(directorySyncPaths('/cron/process-events'), async (ctx) => {
    const directoryIds = await deliveries.wakeBacklogs(namedAtMost);
    await processEvents(directoryIds).catch(async (error: unknown) => {
      // Whoever asks next is to be told of them.
      await deliveries.unwake(directoryIds);
      throw error;
    });
    answer(ctx, { message: 'Processing started', directory_ids: directoryIds });
  });
  return router;
}

import Router from '@koa/router';
import { deliveriesQuery } from '../../directory/delivery/control-requests.ts';
import type { DeliveryLog } from '../../directory/delivery/delivery-log.ts';
import type { DeliveryControl } from '../../directory/delivery/operate-delivery.ts';
import { pageQuery, readRequest } from '../../directory/directory-requests.ts';
import { presentDelivery, presentWholeDelivery } from '../delivery-presenters.ts';
import { signalOf } from '../caller-left.ts';
import { directorySyncPaths } from '../directory-sync-paths.ts';
import { answer } from '../envelope.ts';

export interface DeliveryRoutesDeps {
  deliveryLog: DeliveryLog;
  deliveryControl: DeliveryControl;
}

/** What was sent to a directory's webhook, and what was answered. */
export function deliveryRoutes({ deliveryLog, deliveryControl }: DeliveryRoutesDeps): Router {
  const router = new Router();
  router.get(directorySyncPaths('/:directoryId/deliveries'), async (ctx) => {
    const { status, kind } = readRequest(deliveriesQuery, ctx.query);
    const page = readRequest(pageQuery, ctx.query);
    answer(ctx, (await deliveryLog.list(ctx.params['directoryId']!, { status, kind }, page, signalOf(ctx))).map(presentDelivery));
  });
  router.get(directorySyncPaths('/:directoryId/deliveries/:deliveryId'), async (ctx) => {
    answer(ctx, presentWholeDelivery(await deliveryLog.get(ctx.params['directoryId']!, ctx.params['deliveryId']!)));
  });
  router.post(directorySyncPaths('/:directoryId/deliveries/:deliveryId/retry'), async (ctx) => {
    answer(ctx, presentDelivery(await deliveryControl.retry(ctx.params['directoryId']!, ctx.params['deliveryId']!)), 202);
  });
  return router;
}

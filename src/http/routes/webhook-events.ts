import Router from '@koa/router';
import type { DeliveryLog } from '../../directory/delivery/delivery-log.ts';
import { directoryQuery, pageQuery, readRequest, readSelector } from '../../directory/directory-requests.ts';
import { presentWebhookEvent } from '../delivery-presenters.ts';
import { signalOf } from '../caller-left.ts';
import { directorySyncPaths } from '../directory-sync-paths.ts';
import { answer } from '../envelope.ts';

export interface WebhookEventRoutesDeps {
  deliveryLog: DeliveryLog;
}

/** The log of webhooks in the ancestor's form. */
export function webhookEventRoutes({ deliveryLog }: WebhookEventRoutesDeps): Router {
  const router = new Router();
  const all = directorySyncPaths('/events');
  router.get(all, async (ctx) => {
    const events = await deliveryLog.listEvents(readSelector(ctx.query), readRequest(pageQuery, ctx.query), signalOf(ctx));
    answer(ctx, events.map(presentWebhookEvent));
  });
  router.get(directorySyncPaths('/events/:eventId'), async (ctx) => {
    answer(ctx, presentWebhookEvent(await deliveryLog.getEvent(readSelector(ctx.query), ctx.params['eventId']!)));
  });
  router.delete(all, async (ctx) => {
    await deliveryLog.dropEvents(readRequest(directoryQuery, ctx.query).directoryId);
    answer(ctx, null);
  });
  return router;
}

import Router from '@koa/router';
import type { EventFeed } from '../../directory/event-feed/event-feed.ts';
import { readFeedQuery } from '../../directory/event-feed/feed-query.ts';
import { signalOf } from '../caller-left.ts';

export interface EventFeedRoutesDeps {
  eventFeed: EventFeed;
}

export function eventFeedRoutes({ eventFeed }: EventFeedRoutesDeps): Router {
  const router = new Router();
  router.get('/api/v1/events', async (ctx) => {
    const { events, after, hasMore } = await eventFeed.read(readFeedQuery(ctx.query), signalOf(ctx));
    ctx.body = { data: events, error: null, list_metadata: { after, has_more: hasMore } };
  });
  return router;
}

import Router from '@koa/router';
import type { EventFeed } from '../../directory/event-feed/event-feed.ts';
import { readFeedQuery } from '../../directory/event-feed/feed-query.ts';

export interface EventFeedRoutesDeps {
  eventFeed: EventFeed;
}

export function eventFeedRoutes({ eventFeed }: EventFeedRoutesDeps): Router {
  const router = new Router();
  router.get('/api/v1/events', async (ctx) => {
    const left = new AbortController();
    ctx.res.once('close', () => left.abort());
    const { events, after, hasMore } = await eventFeed.read(readFeedQuery(ctx.query), left.signal);
    ctx.body = { data: events, error: null, list_metadata: { after, has_more: hasMore } };
  });
  return router;
}

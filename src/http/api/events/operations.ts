import type { z } from 'zod';
import { signalOf } from '../../server/caller-left.ts';
import { defineOperation } from '../define-operation.ts';
import { feedQuery, toFeedQuery } from './feed-query.ts';
import { eventPageSchema } from './schemas.ts';

export const listEvents = defineOperation({
  id: 'events.list',
  method: 'get',
  path: '/api/v1/events',
  tag: 'Events',
  auth: 'apiKey',
  title: 'List events',
  description:
    'Reads the event feed of a directory, of a tenant and product, or of all directories, and can wait for new events. Keep `list_metadata.after`, and send it as `after` in the next request.',
  query: feedQuery,
  querySynonyms: { type: 'events', types: 'events', event: 'events', event_type: 'events', event_types: 'events' },
  responses: { 200: { description: 'A page of events.', body: eventPageSchema } },
  errors: {
    404: 'The directory does not exist.',
    410: 'Events that this reader has not read are no longer kept, or the cursor is from another database.',
  },
  handler: async ({ input: { query }, deps, ctx }) => {
    const { events, after, hasMore } = await deps.eventFeed.read(toFeedQuery(query), signalOf(ctx));
    return { data: events as z.output<typeof eventPageSchema>['data'], error: null, list_metadata: { after, has_more: hasMore } };
  },
});

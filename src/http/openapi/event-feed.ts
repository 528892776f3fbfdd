import { feedQuery } from '../../directory/event-feed/feed-query.ts';
import { feedAnswer } from './answers/event.ts';
import type { Operation } from './operation.ts';

export const eventFeedOperations: Operation[] = [
  {
    operationId: 'events.list',
    method: 'get',
    path: '/api/v1/events',
    tag: 'Events',
    auth: 'apiKey',
    summary: 'Reads the feed of events, and waits for new ones if asked to.',
    description:
      'Of one directory, of all of a tenant and product, or of everybody. Keep `list_metadata.after`, and give it as `after` the next time.',
    query: [feedQuery],
    answers: { 200: { description: 'A page of events.', content: { 'application/json': feedAnswer } } },
    refusals: {
      404: 'There is no such directory.',
      410: 'Events that this reader has not seen are no longer kept, or the cursor means nothing here any more.',
    },
  },
];

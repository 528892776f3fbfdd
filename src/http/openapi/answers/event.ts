import { z } from 'zod';
import type { toEventPayload } from '../../../directory/event.ts';
import { eventTypes } from '../../../directory/event-feed/feed-query.ts';
import { field, id, sequence, timeOf } from './field.ts';

const eventAnswer = z
  .strictObject({
    event: field(z.enum(eventTypes), 'What happened.', 'user.created'),
    tenant: field(z.string(), 'The customer.', 'acme'),
    product: field(z.string(), 'The application.', 'crm'),
    directory_id: id('The directory.'),
    data: field(z.record(z.string(), z.unknown()).nullable(), 'The user or group; null when the content is no longer kept.', {
      email: 'ada@acme.example',
    }),
    id: id('The event.'),
    sequence: field(sequence, 'Its place in its directory, without gaps.', 17),
    occurred_at: timeOf('When it happened.'),
  })
  .meta({ id: 'Event', description: 'A change as the application is told it.' }) satisfies z.ZodType<ReturnType<typeof toEventPayload>>;

export const feedAnswer = z
  .strictObject({
    data: z.array(eventAnswer),
    error: z.null(),
    list_metadata: z.strictObject({
      after: field(z.string().nullable(), 'The cursor to go on with: the next `after`.', 'eyJzIjoxN30'),
      has_more: field(z.boolean(), 'Whether there is more to be read at once.', false),
    }),
  })
  .meta({ id: 'EventPage', description: 'A page of the feed.' });

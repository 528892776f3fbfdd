import { z } from 'zod';
import { signalOf } from '../../server/caller-connection.ts';
import { defineOperation, parseRequest } from '../define-operation.ts';
import { eventPageSchema } from './schemas.ts';
import { type EventType, eventTypes } from '../../../directory/event.ts';
import type { Feed, FeedQuery } from '../../../directory/feed/ports.ts';
import { isNarrowed, type Narrowing } from '../../../access/narrowing.ts';
import { AppError } from '../../../errors.ts';
import { queryCount } from '../schema-fields.ts';
import { directoryFields, selectorQuery, toDirectoryId, toSelector } from '../selector.ts';

const maxWaitSeconds = 25;
const [defaultLimit, maxLimit] = [50, 1000];

const isType = (text: string): text is EventType => eventTypes.some((type) => type === text);

const once = z.string('must be given once');
/** Separated by commas, or given several times. No type means all. */
const types = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((list) => list.split(',').map((type) => type.trim())))
  .transform((given) => [...new Set(given.filter(Boolean))])
  .refine((given): given is EventType[] => given.every(isType), `may name only ${eventTypes.join(', ')}`)
  .optional()
  .meta({
    description: `Only events of these types, separated by commas or given several times: ${eventTypes.join(', ')}.`,
    examples: ['user.created,user.deleted'],
  });
const time = z.iso
  .datetime({ offset: true, error: 'must be a time like 2026-11-21T08:43:54Z' })
  .transform((text) => new Date(text))
  .optional();
const wait = `must be a number of seconds from 0 to ${maxWaitSeconds}`;

const feedQuery = z.object({
  ...directoryFields,
  tenant: once.optional().meta({ description: 'Only events of this customer. Requires `product`.', examples: ['acme'] }),
  product: once.optional().meta({ description: 'Only events of this application. Requires `tenant`.', examples: ['crm'] }),
  events: types,
  'events[]': types.meta({ description: 'Alias of `events`.', examples: ['user.created'] }),
  after: once.optional().meta({ description: 'The cursor of the previous page; empty: from the beginning.', examples: ['eyJzIjoxN30'] }),
  range_start: time.meta({
    description: 'Only events from this time on. Cannot be combined with `after`.',
    examples: ['2027-11-20T00:00:00Z'],
  }),
  range_end: time.meta({ description: 'Only events before this time.', examples: ['2027-11-21T00:00:00Z'] }),
  limit: queryCount
    .default(0)
    .meta({ description: `The maximum number of events; default: ${defaultLimit}, maximum: ${maxLimit}.`, examples: [100] }),
  order: z
    .enum(['asc', 'desc'], 'must be asc or desc')
    .default('asc')
    .meta({ description: 'Oldest first (`asc`) or newest first (`desc`).', examples: ['asc'] }),
  wait: z.coerce
    .number(wait)
    .min(0, wait)
    .max(maxWaitSeconds, wait)
    .default(0)
    .meta({ description: 'How many seconds to wait for an event if there is none.', examples: [25] }),
});

function toFeedQuery({ 'events[]': alsoEvents = [], ...given }: z.output<typeof feedQuery>, narrowed: Narrowing): FeedQuery {
  const { range_start: from, range_end: until, order, wait: waitSeconds } = given;
  // A reader that has no cursor yet may send an empty one.
  const after = given.after === '' ? undefined : given.after;
  if (after !== undefined && from)
    throw invalid('range_start', 'range_start and after exclude each other: the cursor says where to continue.');
  if (from && until && until <= from) throw invalid('range_end', 'range_end must be later than range_start.');
  if (waitSeconds > 0 && order === 'desc') throw invalid('wait', 'wait requires order=asc: no new events are added at the old end.');
  const selectedTypes = [...new Set([...(given.events ?? []), ...alsoEvents])];
  return {
    feed: toFeed(given, narrowed),
    after,
    order,
    limit: Math.min(given.limit || defaultLimit, maxLimit),
    ...(selectedTypes.length > 0 && { types: selectedTypes }),
    from,
    until,
    waitMs: waitSeconds * 1000,
  };
}

function toFeed({ tenant, product, ...given }: z.output<typeof feedQuery>, narrowed: Narrowing): Feed {
  const directory = toDirectoryId(given);
  if (directory === undefined && tenant === undefined && product === undefined) return toNarrowedFeed(narrowed);
  return toSelector(parseRequest(selectorQuery, { tenant, product, directory_id: directory }), narrowed);
}

/** All that the caller may read. */
function toNarrowedFeed({ directoryId, ...owner }: Narrowing): Feed {
  if (directoryId !== undefined) return { directoryId, ...owner };
  return isNarrowed(owner) ? owner : undefined;
}

const invalid = (field: string, message: string) => new AppError('invalid_request', message, { field });

export const listEvents = defineOperation({
  id: 'events.list',
  method: 'get',
  path: '/api/v1/events',
  tag: 'Events',
  auth: 'apiKey',
  scope: 'events:read',
  reach: 'narrowed',
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
  handler: async ({ input: { query }, deps, caller, ctx }) => {
    const { events, after, hasMore } = await deps.eventFeed.read(toFeedQuery(query, caller.narrowed), signalOf(ctx));
    return { data: events as z.output<typeof eventPageSchema>['data'], error: null, list_metadata: { after, has_more: hasMore } };
  },
});

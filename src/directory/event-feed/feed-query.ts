import { refuseMisspeltParameter } from '../refuse-misspelt.ts';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { readRequest, readSelector } from '../directory-requests.ts';
import { eventTypes, type EventType } from '../event.ts';
import type { Feed, FeedRequest } from './feed.ts';

export interface FeedQuery extends Omit<FeedRequest, 'after'> {
  feed: Feed;
  /** A cursor, as it came. */
  after: string | undefined;
  waitMs: number;
}

const maxWaitSeconds = 25;
const [defaultLimit, maxLimit] = [50, 1000];

const isType = (text: string): text is EventType => eventTypes.some((type) => type === text);

const once = z.string('must be given once');
/** By comma, or given several times; nothing means all. */
const types = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((list) => list.split(',').map((type) => type.trim())))
  .transform((given) => [...new Set(given.filter(Boolean))])
  .refine((given): given is EventType[] => given.every(isType), `may name only ${eventTypes.join(', ')}`)
  .optional()
  .meta({
    description: `Only events of these types, by comma or given several times: ${eventTypes.join(', ')}.`,
    examples: ['user.created,user.deleted'],
  });
const time = z.iso
  .datetime({ offset: true, error: 'must be a time like 2026-11-21T08:43:54Z' })
  .transform((text) => new Date(text))
  .optional();
const wait = `must be a number of seconds from 0 to ${maxWaitSeconds}`;

export const feedQuery = z.object({
  directory_id: once.optional().meta({ description: 'Only events of this directory.', examples: ['0b9f1c62-6f0e-4c8a-9c3b-1f2d8a7e5c41'] }),
  directoryId: once.optional().meta({ description: 'Another name of `directory_id`.', examples: ['0b9f1c62-6f0e-4c8a-9c3b-1f2d8a7e5c41'] }),
  tenant: once.optional().meta({ description: 'Only events of this customer; with `product`.', examples: ['acme'] }),
  product: once.optional().meta({ description: 'Only events of this application; with `tenant`.', examples: ['crm'] }),
  events: types,
  'events[]': types.meta({ description: 'Another name of `events`.', examples: ['user.created'] }),
  after: once.optional().meta({ description: 'The cursor that the last page gave; empty: from the beginning.', examples: ['eyJzIjoxN30'] }),
  range_start: time.meta({ description: 'Only events from this time on; not together with `after`.', examples: ['2027-11-20T00:00:00Z'] }),
  range_end: time.meta({ description: 'Only events before this time.', examples: ['2027-11-21T00:00:00Z'] }),
  limit: z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .default(0)
    .meta({ description: `How many at most: ${defaultLimit} if nothing is said, or 0; never more than ${maxLimit}.`, examples: [100] }),
  order: z
    .enum(['asc', 'desc'], 'must be asc or desc')
    .default('asc')
    .meta({ description: 'Oldest first, or newest first.', examples: ['asc'] }),
  wait: z.coerce
    .number(wait)
    .min(0, wait)
    .max(maxWaitSeconds, wait)
    .default(0)
    .meta({ description: 'How many seconds to wait for an event if there is none.', examples: [25] }),
});

/** What others call it. */
const wordsForEvents = { type: 'events', types: 'events', event: 'events', event_type: 'events', event_types: 'events' };

export function readFeedQuery(query: object): FeedQuery {
  refuseMisspeltParameter(query, Object.keys(feedQuery.shape), wordsForEvents);
  const { 'events[]': alsoEvents = [], ...given } = readRequest(feedQuery, query);
  const { range_start: from, range_end: until, order, wait: waitSeconds } = given;
  // An empty cursor is that of a reader who has none yet.
  const after = given.after === '' ? undefined : given.after;
  if (after !== undefined && from)
    throw refusal('range_start', 'range_start and after exclude each other: a cursor says already where to go on.');
  if (from && until && until <= from) throw refusal('range_end', 'range_end must be later than range_start.');
  if (waitSeconds > 0 && order === 'desc') throw refusal('wait', 'wait belongs to order=asc: nothing new comes at the old end.');
  const wanted = [...new Set([...(given.events ?? []), ...alsoEvents])];
  return {
    feed: readFeed(given),
    after,
    order,
    limit: Math.min(given.limit || defaultLimit, maxLimit),
    ...(wanted.length > 0 && { types: wanted }),
    from,
    until,
    waitMs: waitSeconds * 1000,
  };
}

/** The words of this address, and of the others. */
function readFeed({ directory_id: id, directoryId = id, tenant, product }: z.infer<typeof feedQuery>): Feed {
  if (id !== undefined && id !== directoryId)
    throw refusal('directory_id', 'directory_id and directoryId are two names of the same: give one.');
  if (directoryId === undefined && tenant === undefined && product === undefined) return undefined;
  return readSelector({ tenant, product, directoryId });
}

const refusal = (field: string, message: string) => new AppError('invalid_request', message, { field });

import { hash } from 'node:crypto';
import { z } from 'zod';
import type { ContinuedPage, Page, PageRequest } from '../../directory/page.ts';
import { isDeliveryId } from '../../directory/delivery/delivery-log.ts';
import { AppError } from '../../errors.ts';
import { parseJson } from '../../scim/json.ts';
import { field } from './schema-fields.ts';
import { pageQuery, toPage } from './page.ts';

/**
 * Cursors of one list. A cursor has the position of the last item, which is no personal data, and a digest of the list and its filters. It is
 * not a secret: whoever changes it reads another part of what the request may read anyway.
 */
export interface ListCursors<Position> {
  /** The page that the query requests. `scope`: all that must be the same in each request for the list. */
  readPage(query: CursorQuery, scope: unknown): PageRequest<Position>;
  /** The `next_cursor` of the response. */
  write(next: Position | undefined, scope: unknown): string | null;
  /** The response. */
  toBody<Resource, Body>(page: ContinuedPage<Resource, Position>, scope: unknown, present: (resource: Resource) => Body): PageOf<Body>;
}

interface PageOf<Body> {
  data: Body[];
  error: null;
  next_cursor: string | null;
}

type CursorQuery = z.output<typeof pageQuery> & { cursor?: string | undefined };

const maxCursorLength = 1_000;

export const cursorFields = {
  cursor: z
    .string('must be given once')
    .optional()
    .meta({ description: 'The `next_cursor` of the previous page. Cannot be combined with `offset`.', examples: ['WyJhYmMiLDE3XQ'] }),
};

export const cursorPageQuery = pageQuery.extend(cursorFields);

/** `list` names the list, and `position` checks what a cursor contains. */
export function createListCursors<Position>(list: string, position: z.ZodType<Position>): ListCursors<Position> {
  const digestOf = (scope: unknown) => hash('sha256', JSON.stringify([list, scope]), 'base64url').slice(0, 16);
  const write = (next: Position | undefined, scope: unknown) =>
    next === undefined ? null : Buffer.from(JSON.stringify([digestOf(scope), next])).toString('base64url');
  return {
    readPage({ cursor, ...query }, scope) {
      const page: Page = toPage(query);
      if (cursor === undefined || cursor === '') return page;
      if (query.offset !== undefined || query.pageOffset !== undefined)
        throw new AppError('invalid_request', 'cursor and offset exclude each other: the cursor says where to continue.', {
          field: 'cursor',
        });
      const content = cursor.length <= maxCursorLength ? parseJson(Buffer.from(cursor, 'base64url').toString()) : undefined;
      const read = z.tuple([z.literal(digestOf(scope)), position]).safeParse(content);
      if (!read.success) throw foreignCursor();
      return { after: read.data[1], limit: page.limit };
    },
    write,
    toBody: ({ resources, next }, scope, present) => ({ data: resources.map(present), error: null, next_cursor: write(next, scope) }),
  };
}

const foreignCursor = () =>
  new AppError(
    'invalid_request',
    'The cursor does not belong to this list: send next_cursor unchanged, with the same filters as in the first request.',
    { field: 'cursor' },
  );

const key = z.guid();
/** From the year 0 to 9999, as Postgres reads it. */
const time = z.int().min(-62_167_219_200_000).max(253_402_300_799_999);
/** The places of users and groups. */
export const rowPosition = z.object({ at: time, id: key, directoryId: key });
export const numberPosition = z.int();
/** For lists in the order of their IDs. */
export const idPosition = key;
/** In microseconds. */
export const timedPosition = z.object({ at: z.int(), id: key });
export const deliveryPosition = z.object({ at: z.int(), sequence: z.int(), id: z.string().refine(isDeliveryId) });
export const rankedPosition = deliveryPosition.extend({ rank: z.literal([0, 1]) });

/** The body of a page that can be continued. */
export const pageBody = <Item extends z.ZodType>(item: Item, name: string, what: string) =>
  z
    .strictObject({ data: z.array(item).meta({ description: `The ${what}.` }), error: z.null(), next_cursor: nextCursor })
    .meta({ id: name, description: `A page of ${what}.` });

export const nextCursor = field(
  z.string().nullable(),
  'Where the next page begins: send it as `cursor`. Null on the last page.',
  'WyJhYmMiLDE3XQ',
);

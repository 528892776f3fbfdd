import { z } from 'zod';
import type { Page } from '../../directory/ports.ts';
import { queryCount } from './schema-fields.ts';

const count = queryCount.optional();

/** As Polis reads it: what is no number means the default, what is out of range the nearest bound. */
const tolerantCount = z
  .unknown()
  .transform((value) => {
    const number = Number.parseInt(String([value].flat().at(-1)), 10);
    return Number.isNaN(number) ? undefined : Math.min(Math.max(number, 0), Number.MAX_SAFE_INTEGER);
  })
  .optional();

/** What to send. */
const integer = { type: 'integer', minimum: 0 };

/** The query parameters of a page, with the names that Polis uses as aliases. */
export const pageFields = {
  offset: count.meta({ description: 'The number of items to skip.', examples: [0] }),
  limit: count.meta({ description: 'The maximum number of items; default: 50, maximum: 1000.', examples: [100] }),
  pageOffset: tolerantCount.meta({ ...integer, description: 'Alias of `offset`.', examples: [0] }),
  pageLimit: tolerantCount.meta({ ...integer, description: 'Alias of `limit`.', examples: [100] }),
  pageToken: z
    .unknown()
    .optional()
    .meta({
      type: 'string',
      description: 'Ignored, because pages are numbered. Polis has it for some databases.',
      examples: ['1'],
    }),
};

export const pageQuery = z.object(pageFields);

/** A limit of 0 means the default, one that is too high the maximum. */
export const toPage = ({ offset, limit, pageOffset, pageLimit }: z.output<typeof pageQuery>): Page => ({
  offset: pageOffset ?? offset ?? 0,
  limit: Math.min((pageLimit ?? limit) || 50, 1000),
});

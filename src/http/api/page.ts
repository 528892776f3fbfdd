import { z } from 'zod';
import type { Page } from '../../directory/ports.ts';
import { queryCount } from './schema-fields.ts';

const count = queryCount.optional();

/** The query parameters of a page, with the names that Polis uses as aliases. */
export const pageFields = {
  offset: count.meta({ description: 'The number of items to skip.', examples: [0] }),
  limit: count.meta({ description: 'The maximum number of items; default: 50, maximum: 1000.', examples: [100] }),
  pageOffset: count.meta({ description: 'Alias of `offset`.', examples: [0] }),
  pageLimit: count.meta({ description: 'Alias of `limit`.', examples: [100] }),
};

export const pageQuery = z.object(pageFields);

/** A limit of 0 means the default, one that is too high the maximum. */
export const toPage = ({ offset, limit, pageOffset, pageLimit }: z.output<typeof pageQuery>): Page => ({
  offset: pageOffset ?? offset ?? 0,
  limit: Math.min((pageLimit ?? limit) || 50, 1000),
});

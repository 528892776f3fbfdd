import type { ResourceType } from '../schema/attribute.ts';
import type { Filter } from './filter.ts';
import { readFilter } from './read-filter.ts';
import { createReader } from './reader.ts';

/**
 * Parses a filter (RFC 7644, section 3.4.2.2), and what providers send in its place: plus signs for spaces, values without quotation
 * marks, `True`. Throws a ScimError: `invalidFilter`, or `tooMany` for what is too long, too deep or has too many comparisons.
 */
export function parseFilter(text: string, type: ResourceType): Filter {
  const reader = createReader(text, 'filter');
  const filter = readFilter(reader, { type });
  if (!reader.isAtEnd()) throw reader.refusal('expected "and", "or" or the end.');
  return filter;
}

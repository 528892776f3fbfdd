import type { ResourceQuery } from '../../directory/ports.ts';
import { foldCase } from '../../scim/text.ts';
import type { WantedBy } from './users-with-groups.ts';

/**
 * The one user that is sought, where a filter asks for no more: `userName eq "…"` and `externalId eq "…"` are what providers ask before each
 * of their changes, and are worth a statement that is planned once.
 */
export function readSought({ filter, page }: ResourceQuery): { by: WantedBy; value: string } | undefined {
  if (filter?.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string') return undefined;
  if (!('offset' in page) || page.offset !== 0 || page.limit === 0) return undefined;
  const { extension, attribute, sub } = filter.path;
  if (extension !== undefined || sub !== undefined) return undefined;
  if (attribute === 'userName') return { by: 'userName', value: foldCase(filter.value) };
  if (attribute === 'externalId') return { by: 'externalId', value: filter.value };
  return undefined;
}

import { invalidFilter } from './errors.ts';
import { isCleanText } from './text.ts';

/** The look-up that every provider makes before it creates a user. */
export interface UserNameFilter {
  userName: string;
}

const userNameEquals = /^\s*(?:urn:ietf:params:scim:schemas:core:2\.0:User:)?userName\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i;

export function readUserFilter(filter: unknown): UserNameFilter | undefined {
  if (filter === undefined || filter === '') return undefined;
  const literal = typeof filter === 'string' && filter.length <= 2_000 ? userNameEquals.exec(filter)?.[1] : undefined;
  if (literal === undefined) throw invalidFilter('This filter is not understood; users can be looked up by userName eq "name".');
  try {
    const userName = JSON.parse(literal) as string;
    if (isCleanText(userName)) return { userName };
  } catch {
    // Told below: not a JSON string.
  }
  throw invalidFilter('The value in the filter is not a valid JSON string.');
}

import { expiredCursor, invalidCursor } from './errors.ts';
import type { ResourceTypeName } from './schema/attribute.ts';

/** The last resource of a page. The next page starts after it. */
export interface Position {
  id: string;
  /** The value it is sorted by, as the database truncated it; null if it is not set. It is absent without `sortBy`. */
  sortKey?: string | null;
  /** It is set if a list spans several resource types. */
  resourceType?: ResourceTypeName;
}

/** Encrypts cursors: a sort key is personal data, and cursors appear in URLs and logs. */
export interface Seal {
  /** Returns unreserved characters only (RFC 3986, section 2.3). `context` is authenticated, but not part of the result. */
  seal(text: string, context: string): string;
  /** Returns undefined for text that was not sealed here or has another context. */
  open(sealed: string, context: string): string | undefined;
}

export interface Cursors {
  /** `scope` contains everything that must be the same in each request for a list, starting with the directory. */
  write(position: Position, scope: string): string;
  read(cursor: string, scope: string): Position;
}

export const cursorTimeoutSeconds = 3600;
/** Maximum number of code points of a position's sort key, so that cursors stay readable. */
export const maxSortKeyLength = 200;
const maxCursorLength = 4096;
const unreserved = /^[\w.~-]+$/;
const context = (scope: string) => `scim cursor 1\n${scope}`;

/** Stateless cursors (RFC 9865): a cursor contains the position itself. */
export function createCursors({ seal, open, now = Date.now }: Seal & { now?: () => number }): Cursors {
  return {
    write: (position, scope) => seal(JSON.stringify({ issuedAtMs: now(), position }), context(scope)),
    read(cursor, scope) {
      const isPossible = cursor.length <= maxCursorLength && unreserved.test(cursor);
      const text = isPossible ? open(cursor, context(scope)) : undefined;
      if (text === undefined)
        throw invalidCursor(
          'The cursor does not belong to this list: send nextCursor unchanged, with the same parameters as in the first request.',
        );
      const { issuedAtMs, position } = JSON.parse(text) as { issuedAtMs: number; position: Position };
      if (now() - issuedAtMs > cursorTimeoutSeconds * 1000)
        throw expiredCursor(`The cursor is older than ${cursorTimeoutSeconds} seconds. Start again with an empty cursor.`);
      return position;
    },
  };
}

import { expiredCursor, invalidCursor } from './errors.ts';
import type { ResourceTypeName } from './schema/attribute.ts';

/** The last resource of a page: the next page begins after it. */
export interface Position {
  id: string;
  /** What it is sorted by, as the database cut it; null where nothing is set. Without `sortBy`, absent. */
  sortKey?: string | null;
  /** Where one list runs through several resource types. */
  resourceType?: ResourceTypeName;
}

/** A sort key is a person's data, and a cursor stands in addresses and logs. So it is sealed, not only signed. */
export interface Seal {
  /** Gives unreserved characters only (RFC 3986, section 2.3). `context` is authenticated and not contained. */
  seal(text: string, context: string): string;
  /** Undefined for what was not sealed here, or in another context. */
  open(sealed: string, context: string): string | undefined;
}

export interface Cursors {
  /** `scope` is all that must be the same in each request of one list, the directory first. */
  write(position: Position, scope: string): string;
  read(cursor: string, scope: string): Position;
}

export const cursorTimeoutSeconds = 3600;
/** A position's sort key has at most this many code points, so that every cursor can be read back. */
export const maxSortKeyLength = 200;
const maxCursorLength = 4096;
const unreserved = /^[\w.~-]+$/;
const context = (scope: string) => `scim cursor 1\n${scope}`;

/** RFC 9865 without memory: the cursor is the place itself. */
export function createCursors({
  seal,
  open,
  now = Date.now,
  timeoutSeconds = cursorTimeoutSeconds,
}: Seal & { now?: () => number; timeoutSeconds?: number }): Cursors {
  return {
    write: (position, scope) => seal(JSON.stringify({ issuedAtMs: now(), position }), context(scope)),
    read(cursor, scope) {
      const isPossible = cursor.length <= maxCursorLength && unreserved.test(cursor);
      const text = isPossible ? open(cursor, context(scope)) : undefined;
      if (text === undefined)
        throw invalidCursor('This cursor does not belong to this list: send nextCursor unchanged, and all else as in the first request.');
      const { issuedAtMs, position } = JSON.parse(text) as { issuedAtMs: number; position: Position };
      if (now() - issuedAtMs > timeoutSeconds * 1000)
        throw expiredCursor(`This cursor is older than ${timeoutSeconds} seconds. Begin again with an empty cursor.`);
      return position;
    },
  };
}

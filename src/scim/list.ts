import { invalidCount, invalidCursor } from './errors.ts';
import { messageUrn } from './message.ts';

export const defaultCount = 100;
export const maxCount = 1000;

interface IndexPage {
  startIndex: number;
  count: number;
}

interface CursorPage {
  /** Empty for the first page. */
  cursor: string;
  count: number;
}

export type Page = ({ kind: 'index' } & IndexPage) | ({ kind: 'cursor' } & CursorPage);

/** A cursor, even an empty one, selects paging by cursor (RFC 9865). `startIndex` is ignored then. */
export function readPage({ cursor, startIndex, count }: { cursor?: unknown; startIndex?: unknown; count?: unknown }): Page {
  if (cursor === undefined || cursor === null) return { kind: 'index', ...readIndexPage({ startIndex, count }) };
  if (typeof cursor !== 'string') throw invalidCursor('cursor must be a string.');
  const isGiven = count !== undefined && count !== null && count !== '';
  if (isGiven && toInteger(count) === undefined) throw invalidCount('count must be a whole number.');
  return { kind: 'cursor', cursor, count: readCount(count) };
}

/** RFC 7644, section 3.4.2.4: values out of range are corrected, not rejected. */
const readIndexPage = ({ startIndex, count }: { startIndex?: unknown; count?: unknown }): IndexPage => ({
  startIndex: Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, toInteger(startIndex) ?? 1)),
  count: readCount(count),
});

const readCount = (count: unknown) => Math.min(maxCount, Math.max(0, toInteger(count) ?? defaultCount));

function toInteger(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  return typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : undefined;
}

/** A page by cursor may omit the total. Without `nextCursor` it is the last page. */
type ListPosition = { total: number; startIndex: number } | { total?: number; nextCursor?: string };

/** `Resources` is present even if empty: Entra and Okta require it. */
export function toListResponse(resources: unknown[], position: ListPosition) {
  return {
    schemas: [messageUrn('ListResponse')],
    ...(position.total !== undefined && { totalResults: position.total }),
    ...('startIndex' in position && { startIndex: position.startIndex }),
    itemsPerPage: resources.length,
    ...('nextCursor' in position && position.nextCursor !== undefined && { nextCursor: position.nextCursor }),
    Resources: resources,
  };
}

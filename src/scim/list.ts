import { invalidCount, invalidCursor, invalidSyntax, invalidValue } from './errors.ts';
import { messageUrn, readMessage, readOne, readParameters } from './message.ts';
import type { Filter } from './filter/filter.ts';
import { parseFilter } from './filter/parse-filter.ts';
import { type Projection, readProjection } from './projection.ts';
import type { AttributePath, ResourceType, ResourceTypeName } from './schema/attribute.ts';
import { resolvePath } from './schema/resolve-path.ts';

export interface ListRequest {
  filter?: Filter;
  sortBy?: AttributePath;
  sortOrder: 'ascending' | 'descending';
  page: Page;
  projection: Projection;
}

/** Reads the query of a list. Unknown parameters are ignored: Entra sends its own flag. */
export function readListRequest(query: object, type: ResourceType): ListRequest {
  const parameters = readParameters(query);
  return readRequest((name) => (isNameList(name) ? parameters.get(name.toLowerCase()) : readOne(parameters, name)), type);
}

/** Reads the body of `POST /.search` (RFC 7644, section 3.4.3). At the root, it is read once per resource type. */
export function readSearchRequest(body: unknown, type: ResourceType): ListRequest {
  const message = readMessage(body, 'SearchRequest');
  return readRequest((name) => message.get(name.toLowerCase()), type);
}

/** What must be the same for all pages of a list (RFC 9865, section 2.1). */
export const toCursorScope = (directoryId: string, resourceType: ResourceTypeName | 'all', { filter, sortBy, sortOrder }: ListRequest) =>
  JSON.stringify([directoryId, resourceType, filter ?? null, sortBy ?? null, sortOrder]);

export const defaultCount = 100;
export const maxCount = 1000;

interface IndexPage {
  startIndex: number;
  count: number;
}

interface CursorPage {
  /** It is empty for the first page. */
  cursor: string;
  count: number;
}

type Page = ({ kind: 'index' } & IndexPage) | ({ kind: 'cursor' } & CursorPage);

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

function readRequest(read: (name: string) => unknown, type: ResourceType): ListRequest {
  const filter = readText(read, 'filter');
  const sortBy = readText(read, 'sortBy');
  return {
    ...(filter !== undefined && { filter: parseFilter(filter, type) }),
    ...(sortBy !== undefined && { sortBy: readSortBy(sortBy, type) }),
    sortOrder: readSortOrder(readText(read, 'sortOrder')),
    page: readPage({ cursor: read('cursor'), startIndex: read('startIndex'), count: read('count') }),
    projection: readProjection({ attributes: read('attributes'), excludedAttributes: read('excludedAttributes') }, type),
  };
}

const isNameList = (name: string) => name === 'attributes' || name === 'excludedAttributes';

function readText(read: (name: string) => unknown, name: string): string | undefined {
  const value = read(name) ?? undefined;
  if (value !== undefined && typeof value !== 'string') throw invalidSyntax(`${name} must be a string.`);
  return value?.trim() === '' ? undefined : value;
}

function readSortBy(text: string, type: ResourceType): AttributePath {
  const path = resolvePath(text.trim(), type);
  if (!path?.attribute) throw invalidValue('sortBy must name an attribute, like userName or name.familyName.');
  return path;
}

function readSortOrder(text: string | undefined): 'ascending' | 'descending' {
  const order = text?.trim().toLowerCase() ?? 'ascending';
  if (order !== 'ascending' && order !== 'descending') throw invalidValue('sortOrder must be ascending or descending.');
  return order;
}

import { invalidSyntax, invalidValue } from './errors.ts';
import type { Filter } from './filter/filter.ts';
import { parseFilter } from './filter/parse-filter.ts';
import { readPage, type Page } from './list.ts';
import { readMessage, readOne, readParameters } from './message.ts';
import { readProjection, type Projection } from './projection.ts';
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

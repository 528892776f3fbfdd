import { AppError } from '../errors.ts';

export interface Page {
  offset: number;
  limit: number;
}

/** A page that continues after an item, wherever that is now: items that come and go do not move it. */
interface PageAfter<Position> {
  after: Position;
  limit: number;
}

export type PageRequest<Position> = Page | PageAfter<Position>;

/** Where a user or group is in a list, newest first. Its key and the time of its creation in ms never change. */
export interface RowPosition {
  at: number;
  id: string;
  directoryId: string;
}

/** A place in a list by time, in microseconds, as exact as Postgres keeps it. */
export interface TimedPosition {
  at: number;
  id: string;
}

/** A page of a list that can be continued. `next` is the place of its last item; the last page has none. */
export interface ContinuedPage<Resource, Position> {
  resources: Resource[];
  next: Position | undefined;
}

/** A page of resources from several directories, newest first. */
export interface PageAcrossDirectories<Resource> {
  resources: Resource[];
  /** The page ends early because it would take too much memory. */
  isCut: boolean;
}

/** The same page with other resources. */
export const mapPage = <From, To, Position>(
  { resources, next }: ContinuedPage<From, Position>,
  map: (resource: From) => To,
): ContinuedPage<To, Position> => ({
  resources: resources.map(map),
  next,
});

/** Cuts what was read beyond the limit to see whether there is more. */
export function toContinuedPage<Row, Position>(
  rows: Row[],
  limit: number,
  positionOf: (row: Row) => Position,
): ContinuedPage<Row, Position> {
  const resources = rows.slice(0, limit);
  return { resources, next: rows.length > limit ? positionOf(resources.at(-1)!) : undefined };
}

/** Memory limit of such a page, twice that of a SCIM page. A page that would exceed it ends early, but has at least one resource. */
export const maxPageBytes = 16_777_216;

/** Rejects a page that ends early: a client that adds `limit` to `offset` would skip the missing rows. */
export function assertComplete<Resource>({ resources, isCut }: PageAcrossDirectories<Resource>): Resource[] {
  if (isCut)
    throw new AppError(
      'invalid_request',
      `This page would take more than ${maxPageBytes} bytes (fixed limit): request ${resources.length} or fewer.`,
      { field: 'limit' },
    );
  return resources;
}

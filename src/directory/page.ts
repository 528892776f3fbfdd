import { AppError } from '../errors.ts';

export interface Page {
  offset: number;
  limit: number;
}

/** A page of resources from several directories, newest first. */
export interface PageAcrossDirectories<Resource> {
  resources: Resource[];
  /** The page ends early because it would take too much memory. */
  isCut: boolean;
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

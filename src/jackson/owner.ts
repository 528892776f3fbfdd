import { createErrorResponse, type PaginationParams, type Response } from './response.ts';

/** The tenant and product that a view is limited to. */
export interface Owner {
  tenant?: string;
  product?: string;
}

export interface Selector extends PaginationParams {
  directoryId?: string | undefined;
}

/** Limits a request to what the view's owner has. */
export const withOwner = (owner: Owner, { directoryId, pageOffset, pageLimit }: Selector) => ({
  ...owner,
  ...(directoryId !== undefined && { directoryId }),
  ...(pageOffset !== undefined && { pageOffset }),
  ...(pageLimit !== undefined && { pageLimit }),
});

/**
 * Polis keeps tenant and product on an object that all callers share. Here, only the result of `setTenantAndProduct` is limited to them.
 */
export function rejectWithoutOwner(owner: Owner, call: string, directoryId?: string): Response<never> | undefined {
  if (owner.tenant !== undefined || directoryId !== undefined) return undefined;
  const [area, method] = call.split('.');
  return createErrorResponse(
    `${call} requires a tenant and a product: call it on the result of setTenantAndProduct, ` +
      `for example ${area}.setTenantAndProduct('acme', 'crm').${method}.`,
  );
}

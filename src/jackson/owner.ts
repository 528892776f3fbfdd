import { createErrorResponse, type PaginationParams, type Response } from './response.ts';

/** Whose directories a view looks into. */
export interface Owner {
  tenant?: string;
  product?: string;
}

export interface Selector extends PaginationParams {
  directoryId?: string | undefined;
}

/** What a view asks for: never more than its owner has. */
export const withOwner = (owner: Owner, { directoryId, pageOffset, pageLimit }: Selector) => ({
  ...owner,
  ...(directoryId !== undefined && { directoryId }),
  ...(pageOffset !== undefined && { pageOffset }),
  ...(pageLimit !== undefined && { pageLimit }),
});

/** The ancestor keeps tenant and product on an object that all callers share. Here only what `setTenantAndProduct` returns knows them. */
export function rejectWithoutOwner(owner: Owner, call: string, directoryId?: string): Response<never> | undefined {
  if (owner.tenant !== undefined || directoryId !== undefined) return undefined;
  const [area, method] = call.split('.');
  return createErrorResponse(
    `${call} looks into the directories of a tenant and a product: call it on what setTenantAndProduct returns, ` +
      `for example ${area}.setTenantAndProduct('acme', 'crm').${method}.`,
  );
}

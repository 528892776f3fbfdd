import { z } from 'zod';
import type { DirectorySelector } from '../../directory/ports.ts';
import { AppError } from '../../errors.ts';
import { toDirectoryKey } from '../../directory/directories/former-ids.ts';
import { intersect, type Narrowing } from '../../access/narrowing.ts';
import { noDirectoryMatches } from '../../directory/errors.ts';
import { isId } from '../../ids.ts';
import { exampleId, shortText } from './schema-fields.ts';
const owner = shortText.refine((value) => !value.includes(':'), 'must not contain the character “:”');
export const tenant = owner.meta({ description: 'The customer.', examples: ['acme'] });
export const product = owner.meta({ description: 'The application.', examples: ['crm'] });

/** Some callers write IDs in capitals. */
export const directoryId = shortText.transform((value) => (isId(value) ? value.toLowerCase() : toDirectoryKey(value))).optional();

/** The directory in the query of an operation, with the name that Polis uses as an alias. */
export const directoryFields = {
  directory_id: directoryId.meta({ description: 'The directory.', examples: [exampleId] }),
  directoryId: directoryId.meta({ description: 'Alias of `directory_id`.', examples: [exampleId] }),
};
const directoryQuery = z.object(directoryFields);

export function toDirectoryId({ directory_id: id, directoryId: alias = id }: z.output<typeof directoryQuery>): string | undefined {
  if (id !== undefined && id !== alias)
    throw new AppError('invalid_request', 'directory_id and directoryId are the same parameter: send one of them.', {
      field: 'directory_id',
    });
  return alias;
}

export function requireDirectoryId(query: z.output<typeof directoryQuery>): string {
  const id = toDirectoryId(query);
  if (id === undefined) throw new AppError('invalid_request', 'directory_id is required.', { field: 'directory_id' });
  return id;
}

export const selectorFields = { tenant: tenant.optional(), product: product.optional(), ...directoryFields };
export const selectorQuery = z.object(selectorFields);

/** For operations that read across directories. */
export const selectorDescription =
  'Specify `directory_id`, or `tenant` and `product` for all of their directories. If all three are given, the directory must match.';
export const selectorErrors = { 404: 'The directory does not exist, or has nothing with this ID.' };

/** What the query selects within `narrowed`, which stands for what the query omits. */
export function toSelector(query: z.output<typeof selectorQuery>, narrowed: Narrowing): DirectorySelector {
  const { tenant: ofTenant, product: ofProduct, directoryId: id } = withinNarrowing(query, narrowed);
  if (id !== undefined)
    return { directoryId: id, ...(ofTenant !== undefined && { tenant: ofTenant }), ...(ofProduct !== undefined && { product: ofProduct }) };
  if (ofTenant !== undefined && ofProduct !== undefined) return { tenant: ofTenant, product: ofProduct };
  throw new AppError('invalid_request', 'Either tenant and product or directory_id is required.', {
    field: ofTenant === undefined ? 'tenant' : 'product',
  });
}

function withinNarrowing(
  { tenant: ofTenant, product: ofProduct, ...directory }: z.output<typeof selectorQuery>,
  narrowed: Narrowing,
): Narrowing {
  const id = toDirectoryId(directory);
  const within = intersect(narrowed, {
    ...(ofTenant !== undefined && { tenant: ofTenant }),
    ...(ofProduct !== undefined && { product: ofProduct }),
    ...(id !== undefined && { directoryId: id }),
  });
  if (!within) throw noDirectoryMatches();
  return within;
}

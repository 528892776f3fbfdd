import { z } from 'zod';
import type { DirectorySelector } from '../../directory/ports.ts';
import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { exampleId } from './field.ts';
import { shortText } from './text.ts';

const owner = shortText.refine((value) => !value.includes(':'), 'must not contain the character “:”');
export const tenant = owner.meta({ description: 'The customer.', examples: ['acme'] });
export const product = owner.meta({ description: 'The application.', examples: ['crm'] });

/** Some callers write ids in capitals. */
export const directoryId = shortText
  .transform((value) => (isId(value) ? value.toLowerCase() : value))
  .meta({ description: 'The directory.', examples: [exampleId] });

export const selectorFields = { tenant: tenant.optional(), product: product.optional(), directoryId: directoryId.optional() };
export const selectorQuery = z.object(selectorFields);

/** For operations that read across directories. */
export const selectorDescription =
  'Specify `directoryId`, or `tenant` and `product` for all of their directories. If all three are given, the directory must match.';
export const selectorErrors = { 404: 'The directory does not exist, or has nothing with this id.' };

interface Selector {
  tenant?: string | undefined;
  product?: string | undefined;
  directoryId?: string | undefined;
}

export function toSelector({ tenant: ofTenant, product: ofProduct, directoryId: id }: Selector): DirectorySelector {
  if (id !== undefined)
    return { directoryId: id, ...(ofTenant !== undefined && { tenant: ofTenant }), ...(ofProduct !== undefined && { product: ofProduct }) };
  if (ofTenant !== undefined && ofProduct !== undefined) return { tenant: ofTenant, product: ofProduct };
  throw new AppError('invalid_request', 'Either tenant and product or directoryId is required.', {
    field: ofTenant === undefined ? 'tenant' : 'product',
  });
}

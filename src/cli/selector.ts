import type { ParsedCommand } from './context.ts';
import { UsageError } from './errors.ts';
import { directoryOption, productOption, tenantOption } from './options.ts';

export interface SelectorOptions {
  tenant?: string;
  product?: string;
  directory?: string;
}

/** Selects one directory, or all directories of a tenant and product. */
export interface Selector {
  tenant?: string | undefined;
  product?: string | undefined;
  directory_id?: string | undefined;
}

export const selectorOptions = () => [tenantOption(), productOption(), directoryOption()];

export function toSelector({ options: { tenant, product, directory }, exampleFor }: ParsedCommand<SelectorOptions>): Selector {
  if (directory === undefined && (tenant === undefined || product === undefined))
    throw new UsageError(`Specify --directory, or --tenant and --product. Example: ${exampleFor()}`);
  return { tenant, product, directory_id: directory };
}

import type { Typed } from './add-command.ts';
import { UsageError } from './failures.ts';

export interface SelectorOptions {
  tenant?: string;
  product?: string;
  directory?: string;
}

export interface Selector {
  tenant?: string | undefined;
  product?: string | undefined;
  directoryId?: string | undefined;
}

/** Where to look: in one directory, or in all of a tenant and product. */
export function toSelector({ options: { tenant, product, directory }, exampleFor }: Typed<SelectorOptions>): Selector {
  if (directory === undefined && (tenant === undefined || product === undefined)) {
    const missing = [...(tenant === undefined ? ['--tenant'] : []), ...(product === undefined ? ['--product'] : [])].join(' and ');
    throw new UsageError(`Where to look is not said: ${missing} or --directory is missing. Example: ${exampleFor()}`);
  }
  return { tenant, product, directoryId: directory };
}

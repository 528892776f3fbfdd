import type { AttributePath, ResourceType } from '../schema/attribute.ts';
import { findAttribute } from '../schema/resolve.ts';

/** What this service assigns or never keeps. Providers send it all the same, and it is left alone. */
export function isOurs({ extension, attribute, sub }: AttributePath, type: ResourceType): boolean {
  if ([attribute, sub].some((name) => name !== undefined && isPassword(name))) return true;
  if (extension !== undefined || attribute === undefined) return false;
  const mutability = findAttribute({ attribute }, type)?.mutability;
  return mutability === 'readOnly' || attribute.toLowerCase() === 'schemas';
}

/** Wherever it stands, in an extension too. */
const isPassword = (name: string) => /(?:^|[:.])\s*password\s*(?:$|[.[])/i.test(name);

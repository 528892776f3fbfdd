import type { AttributePath, ResourceType } from '../schema/attribute.ts';
import { findAttribute } from '../schema/resolve.ts';

/** What this service assigns or never keeps. Providers send it all the same, and it is left alone. */
export function isOurs({ extension, attribute }: AttributePath, type: ResourceType): boolean {
  if (extension !== undefined || attribute === undefined) return false;
  const mutability = findAttribute({ attribute }, type)?.mutability;
  return mutability === 'readOnly' || /^(?:schemas$|password(?:$|[.[]))/i.test(attribute);
}

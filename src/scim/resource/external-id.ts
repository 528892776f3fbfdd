import type { JsonObject } from '../json.ts';
import { getOwn } from '../properties.ts';

/** Empty text is no id. */
export function externalIdOf(resource: JsonObject): string | undefined {
  const id = getOwn(resource, 'externalId');
  return typeof id === 'string' && id !== '' ? id : undefined;
}

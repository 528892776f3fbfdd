import { ScimError } from '../../scim/errors.ts';
import { isObject, type JsonObject } from '../../scim/json.ts';
import { checkSize, checkText } from '../../scim/resource/size-limits.ts';
import { ProviderError } from './provider.ts';

interface Item {
  externalId: string;
  /** A member has none. */
  resource?: JsonObject;
}

/** Throws for values that a push would be rejected for. */
export function checkSizes(items: Item[]): void {
  try {
    for (const item of items) checkItem(item);
  } catch (error) {
    if (!(error instanceof ScimError)) throw error;
    throw new ProviderError('invalid_response', `The provider's response can't be stored: ${error.message}`);
  }
}

function checkItem({ externalId, resource }: Item): void {
  checkText(externalId, 'externalId');
  if (!resource) return;
  for (const name of ['userName', 'displayName']) if (typeof resource[name] === 'string') checkText(resource[name], name);
  const { emails } = resource;
  for (const email of Array.isArray(emails) ? emails : [])
    if (isObject(email) && typeof email['value'] === 'string') checkText(email['value'], 'emails.value');
  checkSize(resource);
}

import { ProviderError } from '../../directory/sync/provider.ts';
import { isCleanText } from '../../scim/text.ts';

const maxDepth = 64;

/** Without NUL characters and halves of characters, which Postgres does not take; what has none is given back as it is. `place` is for the message. */
export function cleanJson(value: unknown, place: string): unknown {
  return isCleanJson(value, place, 0) ? value : copyCleaned(value);
}

function isCleanJson(value: unknown, place: string, depth: number): boolean {
  if (typeof value === 'string') return isCleanText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === maxDepth) throw new ProviderError('unreadable', `Google's answer is nested too deeply at ${place}.`);
  let isClean = true;
  if (Array.isArray(value)) for (const item of value) isClean = isCleanJson(item, place, depth + 1) && isClean;
  // What `JSON.parse` made has no other names than its own.
  else
    for (const name in value) {
      isClean = isCleanText(name) && isClean;
      isClean = isCleanJson((value as Record<string, unknown>)[name], place, depth + 1) && isClean;
    }
  return isClean;
}

function copyCleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyCleaned);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cleanText(name), copyCleaned(inner)]));
}

const cleanText = (text: string) => (isCleanText(text) ? text : text.replaceAll('\0', '').toWellFormed());

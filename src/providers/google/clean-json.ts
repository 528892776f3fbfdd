import { ProviderError } from '../../directory/sync/provider.ts';
import { isCleanText } from '../../scim/text.ts';

const maxDepth = 64;

/** A copy without NUL characters and halves of characters, which Postgres does not take. `place` is for the message. */
export function cleanJson(value: unknown, place: string, depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) throw new ProviderError('unreadable', `Google's answer is nested too deeply at ${place}.`);
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, place, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cleanText(name), cleanJson(inner, place, depth + 1)]));
}

const cleanText = (text: string) => (isCleanText(text) ? text : text.replaceAll('\0', '').toWellFormed());

import { AppError } from '../errors.ts';
import { editDistance } from '../shared/suggest.ts';

/**
 * A field that nobody knows is passed over: applications that come from elsewhere send more than we take. But one that is nearly the
 * name of ours was meant to be it.
 */
export function refuseMisspelt(value: unknown, known: string[], within = ''): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const misspelt = findMisspelt(Object.keys(value), known);
  if (misspelt === undefined) return;
  const field = `${within}${misspelt.name}`;
  throw new AppError('invalid_request', `Unknown field ${field}. Did you mean ${within}${misspelt.meant}?`, { field });
}

/** Likewise for what stands in an address. Other words for the same may be given with what they mean. */
export function refuseMisspeltParameter(query: object, known: string[], otherWords: Record<string, string> = {}): void {
  const names = Object.keys(query);
  const other = names.find((name) => Object.hasOwn(otherWords, name));
  const misspelt = other === undefined ? findMisspelt(names, known) : { name: other, meant: otherWords[other]! };
  if (misspelt === undefined) return;
  const { name, meant } = misspelt;
  throw new AppError('invalid_request', `Unknown parameter ${name}. Did you mean ${meant}?`, { field: name });
}

function findMisspelt(names: string[], known: string[]): { name: string; meant: string } | undefined {
  for (const name of names) {
    const meant = known.includes(name) ? undefined : known.find((one) => isNearly(name, one));
    if (meant !== undefined) return { name, meant };
  }
  return undefined;
}

/** At most two letters apart, or its beginning; a short name is soon near another word. Case is no letter. */
function isNearly(name: string, known: string): boolean {
  if (name.length > 5 && known.startsWith(`${name.toLowerCase()}_`)) return true;
  const most = known.length > 5 ? 2 : 1;
  return Math.abs(name.length - known.length) <= most && editDistance(name.toLowerCase(), known.toLowerCase()) <= most;
}

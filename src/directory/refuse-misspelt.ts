import { AppError } from '../errors.ts';

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
  return Math.abs(name.length - known.length) <= most && distance(name.toLowerCase(), known.toLowerCase()) <= most;
}

/** How many letters are missing, too many, others, or in the place of their neighbours. */
export function distance(one: string, other: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let at = 1; at <= one.length; at += 1) {
    const row = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const isSame = one[at - 1] === other[to - 1];
      const areSwapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      row[to] = Math.min(
        last[to]! + 1,
        row[to - 1]! + 1,
        last[to - 1]! + (isSame ? 0 : 1),
        areSwapped ? beforeLast[to - 2]! + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[other.length]!;
}

import { variables } from '../config.ts';
import { editDistance } from '../shared/suggest.ts';

/** Variables of the command line, not of the service. */
const others = ['ROLLCALL_URL', 'ROLLCALL_API_KEY'];

const minLength = 8;
const maxDistance = 2;

/** Messages about variables that are not settings but resemble one. They never contain a value. */
export function findUnknownSettings(names: readonly string[]): string[] {
  const known = [...Object.keys(variables.shape), ...others];
  return names.flatMap((name) => {
    if (!name.includes('_') || known.includes(name)) return [];
    const suggestion =
      name.length < minLength ? findUnsetPlural(name, known, names) : (findWithoutSuffix(name, known) ?? findClosest(name, known));
    return suggestion === undefined ? [] : [`Unknown setting ${name}. Did you mean ${suggestion}?`];
  });
}

/** A short name may belong to another program. It is reported only if its plural is a setting that is not set. */
function findUnsetPlural(name: string, known: string[], names: readonly string[]): string | undefined {
  const plural = `${name.toUpperCase()}S`;
  return known.includes(plural) && !names.includes(plural) ? plural : undefined;
}

/** For example MAX_UNDELIVERED_BYTES for MAX_UNDELIVERED_BYTES_PER_DIRECTORY. */
const findWithoutSuffix = (name: string, known: string[]) => known.find((one) => one.replace(/_PER_[A-Z]+$/, '') === name.toUpperCase());

/** At distance two, the first letter must match: INTERNAL_URL is another word, not a typing error for EXTERNAL_URL. */
function findClosest(name: string, known: string[]): string | undefined {
  const typed = name.toUpperCase();
  const [found] = known
    .filter((one) => Math.abs(one.length - typed.length) <= maxDistance)
    .map((one) => ({ one, away: editDistance(typed, one) }))
    .filter(({ one, away }) => away < maxDistance || (away === maxDistance && one[0] === typed[0]))
    .sort((one, other) => one.away - other.away);
  return found?.one;
}

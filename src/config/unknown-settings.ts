import { variables } from '../config.ts';
import { distance } from '../shared/suggest.ts';

/** Of the command line, which are no settings of the service. */
const others = ['ROLLCALL_URL', 'ROLLCALL_API_KEY'];

const shortest = 8;
const furthest = 2;

/** Sentences about variables that are no setting and nearly the name of one; never about a value. */
export function findMisspeltSettings(names: readonly string[]): string[] {
  const known = [...Object.keys(variables.shape), ...others];
  return names.flatMap((name) => {
    if (!name.includes('_') || known.includes(name)) return [];
    const meant = name.length < shortest ? unsetPluralOf(name, known, names) : (withEnding(name, known) ?? nearestOf(name, known));
    return meant === undefined ? [] : [`Unknown setting ${name}. Did you mean ${meant}?`];
  });
}

/** A short name may belong to another program: it is only suspect if the setting that it would be is not set. */
function unsetPluralOf(name: string, known: string[], names: readonly string[]): string | undefined {
  const plural = `${name.toUpperCase()}S`;
  return known.includes(plural) && !names.includes(plural) ? plural : undefined;
}

/** Of MAX_UNDELIVERED_BYTES_PER_DIRECTORY without its ending. */
const withEnding = (name: string, known: string[]) => known.find((one) => one.replace(/_PER_[A-Z]+$/, '') === name.toUpperCase());

/** Two letters apart may be another word, as INTERNAL_URL is: its first letter has to be the same. */
function nearestOf(name: string, known: string[]): string | undefined {
  const typed = name.toUpperCase();
  const [found] = known
    .filter((one) => Math.abs(one.length - typed.length) <= furthest)
    .map((one) => ({ one, away: distance(typed, one) }))
    .filter(({ one, away }) => away < furthest || (away === furthest && one[0] === typed[0]))
    .sort((one, other) => one.away - other.away);
  return found?.one;
}

import { variables } from '../config.ts';
import { findTypo, suggest } from '../shared/suggest.ts';

/** Variables of the command line, not of the service. */
const others = ['ROLLCALL_URL', 'ROLLCALL_API_KEY'];

const minLength = 8;

/** Messages about variables that are not settings but resemble one. They never contain a value. */
export function findUnknownSettings(names: readonly string[]): string[] {
  const known = [...Object.keys(variables.shape), ...others];
  return names.flatMap((name) => {
    if (known.includes(name)) return [];
    const suggestion = !name.includes('_')
      ? findUnsetWord(name, known, names)
      : name.length < minLength
        ? findUnsetPlural(name, known, names)
        : (findWithoutSuffix(name, known) ?? findTypo(name, known));
    return suggestion === undefined ? [] : [`Unknown setting ${name}.${suggest(suggestion)}`];
  });
}

/** PROT for PORT. A single word may belong to another program. It is reported only if the setting is not set. */
function findUnsetWord(name: string, known: string[], names: readonly string[]): string | undefined {
  const words = known.filter((one) => !one.includes('_') && !names.includes(one) && one[0] === name[0]?.toUpperCase());
  return words.includes(name.toUpperCase()) ? name.toUpperCase() : findTypo(name, words);
}

/** A short name may belong to another program. It is reported only if its plural is a setting that is not set. */
function findUnsetPlural(name: string, known: string[], names: readonly string[]): string | undefined {
  const plural = `${name.toUpperCase()}S`;
  return known.includes(plural) && !names.includes(plural) ? plural : undefined;
}

/** For example MAX_UNDELIVERED_BYTES for MAX_UNDELIVERED_BYTES_PER_DIRECTORY. */
const findWithoutSuffix = (name: string, known: string[]) => known.find((one) => one.replace(/_PER_[A-Z]+$/, '') === name.toUpperCase());

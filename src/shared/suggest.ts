/** The question for the end of an error message, with a space before it. It is empty without a suggestion. */
export const suggest = (suggestion: string | undefined): string => (suggestion === undefined ? '' : ` Did you mean ${suggestion}?`);

/** For a word that is certainly wrong: the only known word that starts with it, or the closest one. */
export function findClosest(typed: string, words: readonly string[]): string | undefined {
  const prefixed = typed.length > 2 ? words.filter((word) => word.startsWith(typed.toLowerCase())) : [];
  if (prefixed.length === 1) return prefixed[0];
  return findWithin(typed, words, (word) => Math.min(3, Math.floor(Math.max(word.length, typed.length) * 0.45)));
}

/**
 * For a word that may belong to something else: the closest known word that is one letter away, or two in a long word with the same
 * beginning. INTERNAL_URL is another word, not a typing error for EXTERNAL_URL.
 */
export function findTypo(typed: string, words: readonly string[]): string | undefined {
  const first = typed[0]?.toLowerCase();
  return findWithin(typed, words, (word) => (word.length > 5 && word[0]!.toLowerCase() === first ? 2 : 1));
}

function findWithin(typed: string, words: readonly string[], maxDistance: (word: string) => number): string | undefined {
  const [closest] = words
    .filter((word) => Math.abs(word.length - typed.length) <= maxDistance(word))
    .map((word) => ({ word, distance: editDistance(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, distance }) => distance <= maxDistance(word))
    .sort((one, other) => one.distance - other.distance);
  return closest?.word;
}

/** The number of letters inserted, deleted, replaced or swapped with their neighbor (Damerau-Levenshtein). */
function editDistance(one: string, other: string): number {
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

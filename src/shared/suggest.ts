/** The known word that was probably meant: the only one that starts with the typed text, or the closest by edit distance. */
export function suggest(typed: string, words: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase();
  const prefixed = wanted.length > 2 ? words.filter((word) => word.startsWith(wanted)) : [];
  if (prefixed.length === 1) return prefixed[0];
  const ranked = words
    .map((word) => ({ word, distance: editDistance(wanted, word.toLowerCase()) }))
    .filter(({ word, distance }) => distance <= Math.min(3, Math.floor(Math.max(word.length, wanted.length) * 0.45)))
    .sort((one, other) => one.distance - other.distance);
  return ranked[0]?.word;
}

/** The number of letters inserted, deleted, replaced or swapped with their neighbor (Damerau-Levenshtein). */
export function editDistance(one: string, other: string): number {
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

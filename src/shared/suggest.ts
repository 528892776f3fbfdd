import { distance } from '../directory/refuse-misspelt.ts';

/** The word that was probably meant: one that begins alike, or the nearest by spelling. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase();
  const beginning = wanted.length > 2 ? words.filter((word) => word.startsWith(wanted)) : [];
  if (beginning.length === 1) return beginning[0];
  const ranked = words
    .map((word) => ({ word, away: distance(wanted, word.toLowerCase()) }))
    .filter(({ word, away }) => away <= Math.min(3, Math.floor(Math.max(word.length, wanted.length) * 0.45)))
    .sort((one, other) => one.away - other.away);
  return ranked[0]?.word;
}

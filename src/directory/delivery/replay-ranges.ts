export type SequenceRange = [from: number, to: number];

/** What is to be read next of some ranges, in their order, if anything is left. */
export function rangeAt(ranges: SequenceRange[], nextSequence: number): { after: number; upTo: number } | undefined {
  const range = ranges.find(([, to]) => to >= nextSequence);
  return range && { after: Math.max(range[0], nextSequence) - 1, upTo: range[1] };
}

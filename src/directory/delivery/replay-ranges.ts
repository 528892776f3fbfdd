export type SequenceRange = [from: number, to: number];

/** The next part of the ranges, or undefined if nothing is left. */
export function rangeAt(ranges: SequenceRange[], nextSequence: number): { after: number; upTo: number } | undefined {
  const range = ranges.find(([, to]) => to >= nextSequence);
  return range && { after: Math.max(range[0], nextSequence) - 1, upTo: range[1] };
}

/** Merges ranges that overlap or are adjacent. */
export function mergeRanges(ranges: SequenceRange[]): SequenceRange[] {
  const merged: SequenceRange[] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export const overlapOf = (a: SequenceRange, b: SequenceRange): SequenceRange => [Math.max(a[0], b[0]), Math.min(a[1], b[1])];

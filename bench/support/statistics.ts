export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!;
}

/** The range of the middle half of the values. */
export function formatMiddleHalf(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.25, 0.75].map((share) => percentile(sorted, share).toFixed(2)).join('–');
}

/** The smallest value that is not exceeded by the given share of the values. */
export function percentile(sorted: number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/**
 * Memory of one JSON value besides its text. Measured with V8: 8 bytes for a number in an array, 32 to 64 for an object or an array, 104
 * for a number in its own object.
 */
const bytesPerJsonValue = 64;

/** Estimates the memory that parsed JSON takes: the size of its text or of its objects, whichever is larger. */
export const estimateJsonMemory = ({ bytes, values }: { bytes: number; values: number }): number =>
  Math.max(bytes, values * bytesPerJsonValue);

/** The number of JSON values, including the value itself. */
export function countJsonValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  if (Array.isArray(value)) for (const inner of value as unknown[]) count += countJsonValues(inner);
  else for (const name in value) count += countJsonValues((value as Record<string, unknown>)[name]);
  return count;
}

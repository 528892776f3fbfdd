export interface JsonBounds {
  maxValues: number;
  /** For texts and names together. */
  maxChars: number;
}

/**
 * `JSON.stringify`, or undefined if the text would exceed a bound. A value that is referenced many times counts each time: a small object
 * with shared references may be written as gigabytes.
 */
export function stringifyBounded(value: unknown, { maxValues, maxChars }: JsonBounds): { text: string | undefined } | undefined {
  let [values, chars] = [0, 0];
  return isWithin(value) ? { text: JSON.stringify(value) } : undefined;

  function isWithin(one: unknown): boolean {
    values += 1;
    if (typeof one === 'string') chars += one.length;
    if (values > maxValues || chars > maxChars) return false;
    if (typeof one !== 'object' || one === null) return true;
    if (Array.isArray(one)) {
      // Includes the holes of a sparse array, which are written as null.
      for (const inner of one as unknown[]) if (!isWithin(inner)) return false;
      return true;
    }
    for (const name in one) {
      chars += name.length;
      if (!isWithin((one as Record<string, unknown>)[name])) return false;
    }
    return true;
  }
}

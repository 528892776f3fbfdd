import { losesDigits } from '../../../scim/json.ts';

interface JsonScan {
  /** At least as many as JSON.parse would create: opening brackets and commas are counted, plus one. */
  values: number;
  /** JSON.parse needs more than a microsecond and 700 bytes for each new name in a text. */
  hasTooManyNames: boolean;
  /** The position of a number that JavaScript cannot hold exactly: some of its digits would be lost, or all. */
  lossyNumberAt?: number;
}

/** Different names. No resource has more, and several resources mostly share theirs. */
export const maxNames = 20_000;

const [quote, backslash, colon, comma, minus, zero, nine, bracket, brace] = Buffer.from('"\\:,-09[{');

/**
 * Scans a body before JSON.parse creates objects: `[[],[],…]` grows to seventy times its size. Stops at `maxValues`. Text that is not JSON
 * is counted too; JSON.parse rejects it.
 */
export function scanJson(bytes: Buffer, maxValues: number): JsonScan {
  let values = 1;
  let numbers = 0;
  let names = 0;
  let lossyNumberAt: number | undefined;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === comma || byte === bracket || byte === brace) {
      values += 1;
      if (values > maxValues) break;
    } else if (byte === colon) names += 1;
    else if (byte === minus || (byte >= zero! && byte <= nine!)) {
      numbers += 1;
      // Numbers without separators are not JSON.
      if (numbers > values) break;
      const end = endOfNumber(bytes, at);
      if (mayLoseDigits(bytes, at, end) && lossyNumberAt === undefined && losesDigits(bytes.toString('latin1', at, end)))
        lossyNumberAt = at;
      at = end - 1;
    }
  }
  const hasTooManyNames = names > maxNames && values <= maxValues && countNames(bytes) > maxNames;
  return { values, hasTooManyNames, ...(lossyNumberAt !== undefined && { lossyNumberAt }) };
}

/** The number of different names in the objects. Stops when there are too many. */
function countNames(bytes: Buffer): number {
  const names = new Set<string>();
  let [start, end] = [0, 0];
  for (let at = 0; at < bytes.length && names.size <= maxNames; at += 1) {
    const byte = bytes[at]!;
    if (byte === quote) {
      start = at + 1;
      end = at = endOfString(bytes, at);
    } else if (byte === colon) names.add(bytes.toString('latin1', start, end));
  }
  return names.size;
}

/** The position of the closing quotation mark. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (; at < bytes.length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1;
  return at;
}

function endOfNumber(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && isOfNumber(bytes[at]!)) at += 1;
  return at;
}

const isOfNumber = (byte: number) => (byte >= zero! && byte <= nine!) || numberSigns.has(byte);
const numberSigns = new Set(Buffer.from('.eE+-'));

/** Fifteen digits are always kept, except those of a number like 1e-400. */
const mayLoseDigits = (bytes: Buffer, start: number, end: number) =>
  end - start > 15 || (end - start > 5 && bytes.toString('latin1', start, end).toLowerCase().includes('e-'));

/** The path of the value at a position in text that is known to be JSON, such as `emails.0.value`. */
export function pathAt(text: string): string {
  const path: (string | number)[] = [];
  let literal = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === '"') {
      const start = at;
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
      literal = text.slice(start, at + 1);
    } else if (char === '{') path.push('');
    else if (char === '[') path.push(0);
    else if (char === '}' || char === ']') path.pop();
    else if (char === ':') path[path.length - 1] = JSON.parse(literal) as string;
    else if (char === ',' && typeof path.at(-1) === 'number') path[path.length - 1] = Number(path.at(-1)) + 1;
  }
  return path.join('.');
}

import { AppError } from '../../../errors.ts';
import { shorten } from '../../../scim/resource/size-limits.ts';
import { isCleanText } from '../../../scim/text.ts';
const maxDepth = 64;

/** Rejects what Postgres or a receiver cannot store, and duplicate keys. The value is the parsed text. */
export function rejectUnstorable(value: unknown, text: string): void {
  // The text is valid UTF-8 and JSON, so invalid characters can only be escaped ones.
  const found = { colons: 0, isEscaped: text.includes('\\u') };
  try {
    checkValue(value, 0, found);
  } catch (error) {
    throw error instanceof Unstorable ? toAppError(error) : error;
  }
  // A duplicate key leaves an extra colon in the text. Only then is the text scanned again, or if an escaped colon could make up for it.
  const isUnique = found.colons === countColons(text) && !(found.isEscaped && escapedColon.test(text));
  const name = isUnique ? undefined : findRepeatedName(text);
  if (name !== undefined) throw new AppError('invalid_request', `${shorten(name)} is a duplicate key.`, { field: name });
}

const escapedColon = /\\u003a/i;

interface Found {
  /** In texts, and one for each member. */
  colons: number;
  isEscaped: boolean;
}

/** Builds the path only for an error: most bodies are valid, and some are large. */
function checkValue(value: unknown, depth: number, found: Found): void {
  if (typeof value === 'string') return checkText(value, found);
  if (typeof value === 'number' && !isPlainNumber(value)) throw new Unstorable('must be 0 or a number from 1e-21 to 1e21, of either sign');
  if (typeof value !== 'object' || value === null) return;
  if (depth === maxDepth) throw new AppError('invalid_request', `The body is nested deeper than ${maxDepth} levels (fixed limit).`);
  const isList = Array.isArray(value);
  for (const [name, inner] of Object.entries(value)) {
    if (!isList) {
      found.colons += 1;
      checkText(name, found);
    }
    try {
      checkValue(inner, depth + 1, found);
    } catch (error) {
      if (error instanceof Unstorable) error.path.unshift(name);
      throw error;
    }
  }
}

function checkText(text: string, found: Found): void {
  if (found.isEscaped && !isCleanText(text)) throw new Unstorable('must not contain NUL characters or lone surrogates');
  if (text.includes(':')) found.colons += countColons(text);
}

class Unstorable extends Error {
  readonly path: string[] = [];
}

/** Postgres writes a number in full: 1e308 has 309 digits, and 1e400 is Infinity in JavaScript. */
const isPlainNumber = (value: number) => value === 0 || (Math.abs(value) < 1e21 && Math.abs(value) > 1e-21);

function toAppError({ path, message }: Unstorable): AppError {
  const field = shorten(path.join('.'));
  return new AppError('invalid_request', `${field || 'The body'} ${message}.`, field ? { field } : {});
}

/** Finds a duplicate key in text that is known to be JSON: JSON.parse keeps only the last value. */
export function findRepeatedName(text: string): string | undefined {
  const objects: Set<string>[] = [];
  let literal = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      literal = text.slice(at, endOfString(text, at));
      at += literal.length - 1;
    } else if (char === '{') objects.push(new Set());
    else if (char === '}') objects.pop();
    else if (char === ':') {
      const name = literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
      const names = objects.at(-1)!;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) if (!isEscaped(text, quote)) return quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}

import { AppError } from '../../../errors.ts';
import { shorten } from '../../../scim/resource/limits.ts';
import { isCleanText } from '../../../scim/text.ts';
import { countColons, findRepeatedName } from './repeated-name.ts';

const maxDepth = 64;

/** Refuses what Postgres or a receiver could not hold, and what the text says twice. The value is what the text was read as. */
export function refuseUnstorable(value: unknown, text: string): void {
  // The text is UTF-8 and JSON, so what is not clean can only stand in it escaped.
  const found = { colons: 0, isEscaped: text.includes('\\u') };
  try {
    look(value, 0, found);
  } catch (error) {
    throw error instanceof Unstorable ? refusal(error) : error;
  }
  // A member that was passed over has left its colon in the text. The text is read again only then.
  const name = found.colons === countColons(text) ? undefined : findRepeatedName(text);
  if (name !== undefined) throw new AppError('invalid_request', `${shorten(name)} is there twice in the same object.`, { field: name });
}

interface Found {
  /** In texts, and one for each member. */
  colons: number;
  isEscaped: boolean;
}

/** Names the place only when something is wrong: most bodies are in order, and some are large. */
function look(value: unknown, depth: number, found: Found): void {
  if (typeof value === 'string') return lookAtText(value, found);
  if (typeof value === 'number' && !isPlainNumber(value)) throw new Unstorable('must not hold a number that large or that small');
  if (typeof value !== 'object' || value === null) return;
  if (depth === maxDepth) throw new AppError('invalid_request', `The body is nested deeper than ${maxDepth} levels.`);
  const isList = Array.isArray(value);
  for (const [name, inner] of Object.entries(value)) {
    if (!isList) {
      found.colons += 1;
      lookAtText(name, found);
    }
    try {
      look(inner, depth + 1, found);
    } catch (error) {
      if (error instanceof Unstorable) error.path.unshift(name);
      throw error;
    }
  }
}

function lookAtText(text: string, found: Found): void {
  if (found.isEscaped && !isCleanText(text)) throw new Unstorable('must not contain NUL characters or lone surrogates');
  if (text.includes(':')) found.colons += countColons(text);
}

class Unstorable extends Error {
  readonly path: string[] = [];
}

/** Postgres writes a number out in full: 1e308 has 309 digits, and 1e400 is none to JavaScript. */
const isPlainNumber = (value: number) => value === 0 || (Math.abs(value) < 1e21 && Math.abs(value) > 1e-21);

function refusal({ path, message }: Unstorable): AppError {
  const field = shorten(path.join('.'));
  return new AppError('invalid_request', `${field || 'The body'} ${message}.`, field ? { field } : {});
}

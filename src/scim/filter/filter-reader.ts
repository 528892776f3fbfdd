import { parseJson } from '../json.ts';
import { invalidFilter, invalidPath, tooMany, type ScimError } from '../errors.ts';
import { isCleanText } from '../text.ts';

/** A value as written. The type of an unquoted value is not known yet. */
export interface WrittenValue {
  text: string;
  isQuoted: boolean;
}

/** Reads a filter or a path from left to right, once. Errors contain the position. */
export interface FilterReader {
  skipSpace(): void;
  isAtEnd(): boolean;
  take(char: string): boolean;
  takeWord(word: string): boolean;
  /** Reads up to the next space, bracket or quotation mark; empty if there is nothing. */
  readName(): string;
  readValue(): WrittenValue;
  /** For parentheses and brackets. `leave` expects the closing character. */
  enter(): void;
  leave(end: string): void;
  countTerm(): void;
  /** An error at the start of the last word. */
  error(what: string): ScimError;
}

const maxLength = 8_000;
const maxDepth = 32;
const maxTerms = 100;

export function createFilterReader(text: string, subject: 'filter' | 'path'): FilterReader {
  let at = 0;
  let wordAt = 0;
  let depth = 0;
  let terms = 0;

  // Brackets in a path contain a filter.
  const createError = (detail: string) => (subject === 'filter' || depth > 0 ? invalidFilter(detail) : invalidPath(detail));
  const error = (what: string) => createError(`At character ${wordAt + 1} of the ${subject}: ${what}`);
  if (text.length > maxLength)
    throw (subject === 'filter' ? tooMany : invalidPath)(`The ${subject} must have at most ${maxLength} characters (fixed limit).`);

  const skip = (isSkipped: (char: string | undefined) => boolean) => {
    while (isSkipped(text[at])) at++;
    wordAt = at;
  };
  const skipSpace = () => skip((char) => isWhite(char) || char === '+');

  function readQuoted(): WrittenValue {
    at++;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    if (at >= text.length) throw error('the value has no closing quotation mark.');
    at++;
    const value = parseJson(text.slice(wordAt, at)) as string | undefined;
    if (value === undefined || !isCleanText(value))
      throw error('the value is not a valid JSON string; write a backslash or a quotation mark in it as \\\\ or \\".');
    return { text: value, isQuoted: true };
  }

  /** An unquoted value may contain plus signs, unless plus signs are used as spaces. */
  function readBare(arePlusesSpaces: boolean): WrittenValue {
    while (at < text.length && !isWhite(text[at]) && !')]"'.includes(text[at]!) && !(arePlusesSpaces && text[at] === '+')) at++;
    const value = text.slice(wordAt, at);
    if (value === '' || value.startsWith("'") || text[at] === '"' || !isCleanText(value))
      throw error('expected a value; text must be in double quotation marks.');
    return { text: value, isQuoted: false };
  }

  return {
    error,
    skipSpace,
    isAtEnd() {
      skipSpace();
      return at >= text.length;
    },
    take(char) {
      if (text[at] !== char) return false;
      at++;
      return true;
    },
    takeWord(word) {
      skipSpace();
      const end = at + word.length;
      if (text.slice(at, end).toLowerCase() !== word || !isEndOfName(text[end])) return false;
      at = end;
      return true;
    },
    readName() {
      skipSpace();
      while (!isEndOfName(text[at])) at++;
      return text.slice(wordAt, at);
    },
    readValue() {
      const arePlusesSpaces = text[at] === '+';
      skip((char) => isWhite(char) || (arePlusesSpaces && char === '+'));
      return text[at] === '"' ? readQuoted() : readBare(arePlusesSpaces);
    },
    enter() {
      if (++depth > maxDepth)
        throw tooMany(`Parentheses and brackets in a filter must be nested at most ${maxDepth} levels deep (fixed limit).`);
    },
    leave(end) {
      skipSpace();
      if (text[at] !== end) throw error(`expected "and", "or" or ${end}.`);
      at++;
      depth--;
    },
    countTerm() {
      if (++terms > maxTerms) throw tooMany(`A filter must have at most ${maxTerms} comparisons (fixed limit).`);
    },
  };
}

const isWhite = (char: string | undefined) => char === ' ' || char === '\t' || char === '\n' || char === '\r';
const isEndOfName = (char: string | undefined) => char === undefined || isWhite(char) || '+()[]"'.includes(char);

import { AnswerTooLarge } from './answer-too-large.ts';
import { losesDigits } from '../../scim/loses-digits.ts';

/** Strings, so that no digits within them are touched, and numbers. */
const stringOrNumber = /"[^"\\]*(?:\\[^][^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** Fifteen digits are always kept. */
const safeDigits = 15;
const maxNumber = 1e21;
/** Small in bytes, large in memory. */
const maxValues = 500_000;

/** JSON with each number that JavaScript would round, or that is too large to be stored, as a text of its digits. */
export function parseKeepingDigits(text: string): unknown {
  if (hasMoreValues(text)) throw new AnswerTooLarge();
  return JSON.parse(text.replaceAll(stringOrNumber, (token) => (isKept(token) ? token : `"${token}"`))) as unknown;
}

function isKept(token: string): boolean {
  if (token.startsWith('"')) return true;
  if (Math.abs(Number(token)) >= maxNumber) return false;
  return token.length <= safeDigits || !losesDigits(token);
}

/** Each stands behind a comma or a bracket. Those within texts are counted too: it is only asked for fewer records then. */
function hasMoreValues(text: string): boolean {
  let values = 0;
  for (let index = 0; index < text.length && values <= maxValues; index += 1) {
    const character = text[index];
    if (character === ',' || character === '[' || character === '{') values += 1;
  }
  return values > maxValues;
}

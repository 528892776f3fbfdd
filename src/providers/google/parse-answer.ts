import { losesDigits } from '../../scim/loses-digits.ts';

/** Strings, so that no digits within them are touched, and numbers. */
const stringOrNumber = /"[^"\\]*(?:\\[^][^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** Fifteen digits are always kept. */
const safeDigits = 15;
const maxNumber = 1e21;

/** JSON with each number that JavaScript would round, or that is too large to be stored, as a text of its digits. */
export function parseKeepingDigits(text: string): unknown {
  return JSON.parse(text.replaceAll(stringOrNumber, (token) => (isKept(token) ? token : `"${token}"`))) as unknown;
}

function isKept(token: string): boolean {
  if (token.startsWith('"')) return true;
  if (Math.abs(Number(token)) >= maxNumber) return false;
  return token.length <= safeDigits || !losesDigits(token);
}

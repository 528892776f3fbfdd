import type { Attribute } from '../schema/attribute.ts';
import { containsText, foldCase } from '../text.ts';
import type { Comparison } from './filter.ts';
import { toInstant } from './instant.ts';

type Positive = Exclude<Comparison, 'ne'>;
type Scalar = string | number | boolean;

/** Binary data is case-sensitive. */
export const isExact = (attribute: Attribute | undefined) => attribute?.caseExact === true || attribute?.type === 'binary';

/** Returns a test for stored values. Values of another type than the filter's value never match. */
export function createComparison({
  operator,
  value,
  attribute,
  fold,
}: {
  operator: Positive;
  value: Scalar;
  attribute: Attribute | undefined;
  fold: (text: string) => string;
}): (stored: unknown) => boolean {
  if (typeof value !== 'string') return (stored) => typeof stored === typeof value && isOrdered(operator, Number(stored) - Number(value));
  if (attribute?.type === 'dateTime') {
    const instant = toInstant(value) ?? Number.NaN;
    return (stored) => typeof stored === 'string' && isOrdered(operator, (toInstant(stored) ?? Number.NaN) - instant);
  }
  if (isExact(attribute)) return (stored) => typeof stored === 'string' && compareText(stored, operator, value);
  const folded = foldCase(value);
  return (stored) => typeof stored === 'string' && compareText(fold(stored), operator, folded);
}

/** `foldCase` with a cache for long texts, which are compared with each term of a filter. */
export function createFold(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    if (text.length < longText) return foldCase(text);
    const folded = known.get(text) ?? foldCase(text);
    if (known.size >= mostKept) known.clear();
    known.set(text, folded);
    return folded;
  };
}
const longText = 64;
const mostKept = 16;

/** `difference` is negative if the stored value comes first. NaN never matches. */
const orders: Partial<Record<Positive, (difference: number) => boolean>> = {
  eq: (difference) => difference === 0,
  gt: (difference) => difference > 0,
  ge: (difference) => difference >= 0,
  lt: (difference) => difference < 0,
  le: (difference) => difference <= 0,
};
const parts: Partial<Record<Positive, (stored: string, value: string) => boolean>> = {
  eq: (stored, value) => stored === value,
  co: containsText,
  sw: (stored, value) => stored.startsWith(value),
  ew: (stored, value) => stored.endsWith(value),
};

const isOrdered = (operator: Positive, difference: number) => orders[operator]?.(difference) ?? false;
const compareText = (stored: string, operator: Positive, value: string) =>
  parts[operator]?.(stored, value) ?? isOrdered(operator, compareCodePoints(stored, value));

/** Compares as Postgres' collation "C" does. JavaScript's `<` orders emoji before the last characters of the basic plane. */
function compareCodePoints(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index++;
  // Within a surrogate pair, the half that differs decides as the whole would.
  return rank(one, index) - rank(other, index);
}

function rank(text: string, index: number): number {
  if (index >= text.length) return -1;
  const unit = text.charCodeAt(index);
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  return isSurrogate ? unit + 0x10000 : unit;
}

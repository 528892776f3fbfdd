import fc from 'fast-check';
import type { JsonObject } from '../../../src/scim/json.ts';

/** Names, filters, paths and values that are hostile by their shape: as deep, wide and long as possible. */

export const maxRequestBytes = 65_536;
export const times = <Value>(count: number, make: (index: number) => Value) => Array.from({ length: count }, (_, index) => make(index));

export const names = ['emails', 'x', 'name1', 'name', 'title', 'roles', 'urn:example:2.0:User', 'urn:example:2.0:User:x', 'manager', 'new'];
export const subs = ['value', 'type', 'display', 'primary', 'a', 'name1', 'zzz'];
export const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'le'];

export const literal = fc.oneof(
  fc.constantFrom('"a"', '"work"', 'true', '1', 'null', '"b@c"'),
  fc.integer({ min: 10, max: 3_000 }).map((length) => `"${'a'.repeat(length / 2)}b${'a'.repeat(length / 2)}"`),
  fc.integer({ min: 10, max: 2_000 }).map((length) => `"${'\u0316\u0301'.repeat(length / 2)}"`),
);
export const term = fc
  .tuple(fc.constantFrom(...subs), fc.constantFrom(...operators), literal)
  .map(([sub, operator, value]) =>
    (value === 'null' || value === 'true') && operator !== 'eq' && operator !== 'ne' ? `${sub} eq ${value}` : `${sub} ${operator} ${value}`,
  );
export const manyTerms = fc
  .tuple(fc.array(term, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 100 }), fc.constantFrom(' or ', ' and '))
  .map(([terms, count, joint]) => {
    let text = '';
    for (let index = 0; index < count; index += 1) {
      const next = `${text === '' ? '' : text + joint}${terms[index % terms.length]}`;
      if (next.length > 7_500) break;
      text = next;
    }
    return text;
  });
export const elementFilter = fc.oneof(
  manyTerms,
  manyTerms.map((inner) => (inner.length < 7_000 ? `${'not ('.repeat(15)}${inner}${')'.repeat(15)}` : inner)),
);
export const path = fc.oneof(
  fc.constantFrom(...names),
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(...subs)).map((parts) => parts.join('.')),
  fc.tuple(fc.constantFrom('emails', 'x', 'roles'), elementFilter).map(([name, inner]) => `${name}[${inner}]`),
  fc
    .tuple(fc.constantFrom('emails', 'x', 'roles'), elementFilter, fc.constantFrom(...subs))
    .map(([name, inner, sub]) => `${name}[${inner}].${sub}`),
);
export const wide = fc.integer({ min: 1, max: 2_000 });
const namesOfObject = fc.integer({ min: 1, max: 4_500 }).map((count) => Object.fromEntries(times(count, (index) => [`n${index}`, 1])));
export const value = fc.oneof(
  fc.constantFrom<unknown>(null, true, 1, 'x', '', {}, [], { value: 'x' }, [{ value: 'x', primary: true }]),
  wide.map((count) => times(count, (index) => ({ value: `v${index}` }))),
  wide.map((count) => times(count, () => ({}))),
  wide.map((count) => times(count, () => ({ a: 1 }))),
  namesOfObject,
  namesOfObject.map((object) => [object]),
  namesOfObject.map((object) => [{ a: object }]),
  namesOfObject.map((object) => [{ value: object }]),
  wide.map((count) => ({ value: 'y'.repeat(count * 10) })),
  fc.integer({ min: 1, max: 30 }).map((depth) => times(depth, () => 0).reduce<unknown>((inner) => [inner], 'deep')),
);
export const trimmed = (object: JsonObject): JsonObject => {
  let bytes = 100;
  return Object.fromEntries(Object.entries(object).filter((entry) => (bytes += JSON.stringify(entry).length) < maxRequestBytes));
};

import { expect, it } from '@jest/globals';
import { findRepeatedName, rejectUnstorable } from '../../src/http/server/body/reject-unstorable.ts';
it.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":1,"a":1}', 'a'],
  ['{"a" : 1,\n"a" : 2}', 'a'],
  ['{"x":[{"a":1},{"b":{"c":1,"d":2,"c":3}}]}', 'c'],
  ['{"a":{"b":1},"a":[]}', 'a'],
  ['{"é":1,"\\u00e9":2}', 'é'],
  ['{"\\"":1,"\\"":2}', '"'],
  ['{"\\\\":1,"\\\\":2}', '\\'],
  ['{"":1,"":2}', ''],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['{"a":"x:{\\"","a":2}', 'a'],
])('finds a duplicate key in %s', (text, name) => {
  expect(findRepeatedName(text)).toBe(name);
});

it.each([
  '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}',
  '{"a":"a","b":"\\"a\\":1,\\"a\\":2"}',
  '{"a":"{\\"a\\":","b":":::"}',
  '{"a":1,"A":2}',
  '[":",":"]',
  '"a"',
  '1',
])('finds nothing in %s', (text) => {
  expect(findRepeatedName(text)).toBeUndefined();
});

it.each(['{"a":1,"a":2}', '{"a":1,"a":2,"x":"\\u003a"}', '{"a":1,"a":2,"\\u003A":1}', '{"a":1,"a":2,"x":"\\\\\\u003a"}'])(
  'rejects the duplicate key in %s, also if an escaped colon hides it',
  (text) => {
    expect(() => rejectUnstorable(JSON.parse(text), text)).toThrow('a is a duplicate key.');
  },
);

it.each(['{"a":"\\u003a","b":":"}', '{"\\u003a":1,"a":"\\\\u003a"}'])('accepts escaped colons in %s', (text) => {
  expect(() => rejectUnstorable(JSON.parse(text), text)).not.toThrow();
});

import { expect, it } from '@jest/globals';
import { parseFilter, parsePath } from '../../../src/scim/filter/parse-filter.ts';
import { userType } from '../../../src/scim/schema/resource-types.ts';
import { errorOf } from '../error-of.ts';

const lossy = '9007199254740993';

it.each(['eq', 'ne', 'gt', 'le'])('a filter with %s and an integer that would lose digits is rejected', (operator) => {
  expect(errorOf(() => parseFilter(`badge ${operator} ${lossy}`, userType))).toMatchObject({
    status: 400,
    scimType: 'invalidFilter',
    detail: expect.stringContaining('2^53'),
  });
});

it('a value path that would change the elements of a close number is rejected', () => {
  expect(errorOf(() => parsePath(`devices[badge eq ${lossy}]`, userType))).toMatchObject({ scimType: 'invalidFilter' });
});

it.each([
  ['9007199254740992', 2 ** 53],
  ['100000000000000000000', 1e20],
  ['12345', 12_345],
  [`"${lossy}"`, lossy],
])('a filter keeps %s', (written, value) => {
  expect(parseFilter(`badge eq ${written}`, userType)).toMatchObject({ value });
});

it('text made of digits stays text', () => {
  expect(parseFilter(`badge sw ${lossy}`, userType)).toMatchObject({ value: lossy });
  expect(parseFilter(`userName eq ${lossy}`, userType)).toMatchObject({ value: lossy });
});

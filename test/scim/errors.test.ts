import { expect, it } from '@jest/globals';
import { ScimError } from '../../src/scim/errors.ts';
import { readFields } from '../../src/scim/message.ts';

it('quotes only the beginning of a long value', () => {
  const long = 'a'.repeat(3_000_000);
  const errorOf = () => {
    try {
      readFields({ [long]: 1, [long.toUpperCase()]: 1 });
    } catch (error) {
      return (error as ScimError).details;
    }
  };
  const start = 'Duplicate key ';
  expect(errorOf()!.detail).toBe(`${start}${'a'.repeat(500 - start.length)}…`);
  expect(new ScimError({ status: 400, detail: 'x'.repeat(500) }).details.detail).toHaveLength(500);
});

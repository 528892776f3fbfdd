import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toResourceKey } from '../../src/directory/resources/resource-ids.ts';

/** Stored rows have these keys: they can never change. */
const keys = {
  '108234567890123456789': 'eb0472f5-b57e-838f-b7f6-4db2b974e753',
  é: '4a99557e-4033-8353-9de2-eb65472017ca',
  '7c9e6679-7425-80de-944b-e07fc1f90ae7': '38294e8a-d3f4-8152-9adf-19417e2cdf32',
  '7c9e6679-7425-40de-944b-e07fc1f90ae7': '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  '7C9E6679-7425-40DE-944B-E07FC1F90AE7': '7c9e6679-7425-40de-944b-e07fc1f90ae7',
};

it.each(Object.entries(keys))('derives the key of %j', (id, key) => {
  expect(toResourceKey(id)).toBe(key);
});

it('derives a UUID of version 8 that is the key of no other ID', () => {
  fc.assert(
    fc.property(fc.string(), (id) => {
      const key = toResourceKey(id);
      expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(toResourceKey(key)).not.toBe(key);
    }),
  );
});

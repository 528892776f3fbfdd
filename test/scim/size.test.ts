import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../../src/scim/json.ts';
import { sizeOf } from '../../src/scim/resource/size-limits.ts';
import { randomRuns } from '../support/random-runs.ts';

it('is that of the JSON, whatever it contains', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '\u0001', 'é', '😀', '\ud800', 'x'.repeat(300)),
  );
  const number = fc.double({ noDefaultInfinity: true, noNaN: true });
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      text,
      number,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('json'), { maxLength: 5 }),
      fc.dictionary(text, tie('json'), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(text, json), (resource) => {
      const written = JSON.stringify(resource);
      // As in a body: a lone surrogate stays, -0 becomes 0.
      const parsed = JSON.parse(written) as JsonObject;
      expect(sizeOf(parsed)).toEqual({ bytes: Buffer.byteLength(JSON.stringify(parsed)), values: countValues(parsed) });
      // The cached size is the same.
      expect(sizeOf({ ...parsed }).values).toBe(countValues(parsed));
    }),
    { numRuns: randomRuns(2_000) },
  );
});

const countValues = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1) : 1;

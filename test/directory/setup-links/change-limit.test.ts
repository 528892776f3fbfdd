import { expect, it } from '@jest/globals';
import { createChangeLimit } from '../../../src/directory/setup-links/change-limit.ts';

it('allows 20 changes at once, and then one in 30 seconds', () => {
  let nowMs = 0;
  const count = createChangeLimit({ now: () => nowMs, atOnce: 20, subject: 'The roles of a directory change' });
  const countMany = (times: number) => {
    for (let time = 0; time < times; time += 1) count('one');
  };
  const limited = { code: 'rate_limited', retryAfterSeconds: 30 };
  countMany(20);
  expect(() => count('one')).toThrow(expect.objectContaining(limited));
  nowMs += 30_000;
  countMany(1);
  expect(() => count('one')).toThrow(expect.objectContaining(limited));
  expect(() => count('other')).not.toThrow();
  nowMs += 3_600_000;
  countMany(20);
  expect(() => count('one')).toThrow(expect.objectContaining(limited));
});

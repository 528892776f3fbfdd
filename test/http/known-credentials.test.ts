import { expect, it } from '@jest/globals';
import { createKnownCredentials } from '../../src/http/server/limits/caller.ts';

it('knows credentials for an hour after they were accepted, and API keys always', () => {
  let nowMs = 0;
  const known = createKnownCredentials({ always: ['api-key'], now: () => nowMs });
  known.remember('secret');
  expect([known.has('secret'), known.has('other'), known.has('api-key')]).toEqual([true, false, true]);
  nowMs = 3_599_999;
  expect(known.has('secret')).toBe(true);
  nowMs = 3_600_000;
  expect([known.has('secret'), known.has('api-key')]).toEqual([false, true]);
});

it('forgets the oldest when there are too many', () => {
  const known = createKnownCredentials({ always: [], now: () => 0 });
  for (let index = 0; index <= 50_000; index += 1) known.remember(`secret-${index}`);
  expect([known.has('secret-0'), known.has('secret-25001'), known.has('secret-50000')]).toEqual([false, true, true]);
});

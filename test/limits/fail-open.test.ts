import { expect, it } from '@jest/globals';
import type { Counters, Leases } from '../../src/limits/ports.ts';
import { createTestLimits } from '../support/limits.ts';

const down = () => Promise.reject(new Error('connect ECONNREFUSED'));
const counters: Counters = { add: down, takeBack: down };
const leases: Leases = { take: down, release: down };

it('lets everything pass while the store is down, and logs it', async () => {
  const { limits, toRequest, outcomes, lines } = createTestLimits({ counters, leases });
  const request = toRequest({ path: '/admin/identities' });
  expect(await limits.volumetric(request)).toBeUndefined();
  expect(await limits.project(request)).toBeUndefined();
  expect(await limits.inflight(request)).toEqual({});
  expect(await limits.release('00000000-0000-4000-8000-000000000000')).toBeUndefined();
  expect(outcomes).toEqual(Array.from({ length: 4 }, () => 'store failed'));
  // One failed decision and one failed release.
  expect(lines).toEqual([1, 2].map(() => ({ error: 'connect ECONNREFUSED' })));
});

it('tries a store that is down only occasionally, and logs it even less often', async () => {
  let calls = 0;
  const failing: Counters = { add: () => ((calls += 1), down()), takeBack: down };
  const limits = createTestLimits({ counters: failing });
  for (let ms = 0; ms < 20_000; ms += 100) {
    await limits.limits.project(limits.toRequest({}));
    limits.passMs(100);
  }
  expect(calls).toBe(20);
  expect(limits.lines).toHaveLength(4);
  expect(limits.outcomes).toHaveLength(200);
});

it('limits again as soon as the store is back', async () => {
  let isDown = true;
  const counted: Counters = { add: async (series) => (isDown ? down() : series.map(() => [1_000])), takeBack: async () => undefined };
  const { limits, toRequest, passMs } = createTestLimits({ counters: counted });
  expect(await limits.project(toRequest({}))).toBeUndefined();
  isDown = false;
  passMs(1_000);
  expect(await limits.project(toRequest({}))).toMatchObject({ isAllowed: false });
});

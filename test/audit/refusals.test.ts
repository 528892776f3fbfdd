import { expect, it } from '@jest/globals';
import type { Act } from '../../src/audit/act.ts';
import { currentlyActing } from '../../src/audit/audit-scope.ts';
import { createRefusals } from '../../src/audit/refusals.ts';

function collect({ outages = 0 } = {}) {
  const acts: (Act & { location: string | null })[] = [];
  let left = outages;
  const refusals = createRefusals({
    async record(act) {
      if (left > 0) throw new Error(`outage ${left--}`);
      acts.push({ ...act, location: currentlyActing().context.location });
    },
    log: { warn: () => undefined } as never,
  });
  const note = (address: string) => refusals.note({ at: 'api', reason: 'unauthorized', address, userAgent: 'curl', requestId: 'r' });
  return { acts, note, stop: refusals.stop };
}

it('writes the first refusal of a source, and the number of the others when it stops', async () => {
  const { acts, note, stop } = collect();
  for (let one = 0; one < 1_000; one += 1) note('198.51.100.1');
  note('203.0.113.1');
  expect(acts.map(({ location }) => location)).toEqual(['198.51.100.1', '203.0.113.1']);
  await stop();
  expect(acts[2]).toMatchObject({ location: '198.51.100.1', changes: { at: 'api', repeated: 999, since: expect.any(String) } });
  expect(acts).toHaveLength(3);
});

it('writes at most 202 entries, however many sources there are', async () => {
  const { acts, note, stop } = collect();
  for (let round = 0; round < 2; round += 1) for (let one = 0; one < 5_000; one += 1) note(`10.${one >> 8}.${one & 255}.1`);
  await stop();
  expect(acts).toHaveLength(202);
  expect(acts.reduce((sum, { changes }) => sum + Number(changes!['repeated'] ?? 1), 0)).toBe(10_000);
  expect(acts.at(-1)!.location).toBeNull();
});

it('counts the first refusal of a source if it could not be written', async () => {
  const { acts, note, stop } = collect({ outages: 1 });
  note('198.51.100.1');
  note('198.51.100.1');
  await stop();
  expect(acts).toMatchObject([{ location: '198.51.100.1', changes: { repeated: 2 } }]);
});

import { expect, it } from '@jest/globals';
import { createHourlyChanges } from '../../../src/directory/intake/hourly-changes.ts';
import { createIntake } from '../../../src/directory/intake/intake.ts';
import type { Mutation } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';

const minuteMs = 60_000;
const [busy, other] = [newId(), newId()];
const createUser = (directoryId: string, notes = ''): Mutation => ({
  id: newId(),
  directoryId,
  kind: 'createUser',
  resourceId: newId(),
  resource: { userName: newId(), notes },
});

function start(perHour: number) {
  const clock = { ms: 28_333_333 * minuteMs, applied: 0 };
  const hourly = createHourlyChanges(perHour, () => clock.ms);
  const intake = hourly.limit(
    createIntake({
      lanes: 1,
      timeoutMs: 5_000,
      commitMutations: hourly.count((mutations, settle) => {
        clock.applied += mutations.length;
        for (const { id, ...mutation } of mutations)
          settle({ mutationId: id, resourceId: 'resourceId' in mutation ? mutation.resourceId : id });
        return Promise.resolve();
      }),
    }),
  );
  return Object.assign(clock, {
    useOf: hourly.useOf,
    push: (directoryId: string, notes?: string) => intake.submit(createUser(directoryId, notes)),
  });
}

const rejectedFor = (minutes: number) => ({
  code: 'rate_limited',
  retryAfterSeconds: minutes * 60,
});

it('rejects changes of a directory above its hourly limit, and of no other directory', async () => {
  const intake = start(3);
  for (let change = 0; change < 3; change += 1) await intake.push(busy);
  await expect(intake.push(busy)).rejects.toMatchObject(rejectedFor(60));
  expect(intake.useOf(busy)).toEqual({ used: 3, limit: 3 });
  expect(await intake.push(other)).toHaveProperty('mutationId');
  expect(intake.applied).toBe(4);
});

it('accepts as many changes as have become older than an hour', async () => {
  const intake = start(3);
  await intake.push(busy);
  intake.ms += 30 * minuteMs;
  for (let change = 0; change < 2; change += 1) await intake.push(busy);
  intake.ms += 29 * minuteMs;
  await expect(intake.push(busy)).rejects.toMatchObject(rejectedFor(1));
  intake.ms += minuteMs;
  await intake.push(busy);
  await expect(intake.push(busy)).rejects.toMatchObject(rejectedFor(30));
  intake.ms += 600 * minuteMs;
  for (let change = 0; change < 3; change += 1) await intake.push(busy);
  await expect(intake.push(busy)).rejects.toMatchObject(rejectedFor(60));
});

it('does not count rejected changes', async () => {
  const intake = start(3);
  for (let change = 0; change < 10; change += 1) await intake.push(busy).catch(() => undefined);
  intake.ms += 60 * minuteMs;
  expect(await intake.push(busy)).toHaveProperty('mutationId');
});

it('counts a change once more for each 64 KiB, and what shares a group with it once', async () => {
  const intake = start(20);
  await intake.push(busy, 'x'.repeat(65_000));
  expect(intake.useOf(busy).used).toBe(1);
  await intake.push(busy, 'x'.repeat(66_000));
  expect(intake.useOf(busy).used).toBe(3);
  await Promise.all([intake.push(busy, 'x'.repeat(16 * 65_536)), intake.push(other), intake.push(other)]);
  expect([intake.useOf(busy).used, intake.useOf(other).used]).toEqual([20, 2]);
  await expect(intake.push(busy)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3_600 });
  expect(await intake.push(other)).toHaveProperty('mutationId');
  intake.ms += 60 * minuteMs;
  expect(intake.useOf(busy)).toEqual({ used: 0, limit: 20 });
});

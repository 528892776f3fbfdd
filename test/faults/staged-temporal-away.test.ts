import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startOnOwnTemporal, type OnOwnTemporal } from '../support/own-temporal.ts';
import { until } from '../support/until.ts';
import { outages } from '../support/outages.ts';

const testTimeoutMs = 240_000;

let own: OnOwnTemporal;
beforeAll(async () => {
  own = await startOnOwnTemporal({ SCIM_TIMEOUT_MS: '8000' });
}, testTimeoutMs);
afterAll(() => own?.stop());

it.each(outages({ server: () => own.temporal(), startAgain: () => own.startTemporalAgain() }))(
  'drops a large change that got 503 when Temporal $how, and applies it once when it is sent again',
  async ({ how, takeDown }) => {
    const { installation } = own;
    const directory = await installation.createDirectory({ tenant: how });
    const user = { userName: 'ada', notes: ['x'.repeat(200_000), 'y'.repeat(200_000)] };
    const staged = () => installation.db('staged_mutations').where({ directory_id: directory.id }).pluck('id');

    const bringBack = await takeDown();
    try {
      for (let time = 0; time < 3; time += 1) expect((await directory.scim('POST', '/Users', user)).status).toBe(503);
      await until(async () => (await staged()).length === 0);
    } finally {
      await bringBack();
    }
    const statuses = await until(
      async () => {
        const { status } = await directory.scim('POST', '/Users', user);
        return status !== 503 && status;
      },
      { timeoutMs: 30_000 },
    );
    expect(statuses).toBe(201);
    expect(await installation.db('users').where({ directory_id: directory.id }).pluck('user_name')).toEqual(['ada']);
    await until(async () => (await staged()).length === 0);
  },
  testTimeoutMs,
);

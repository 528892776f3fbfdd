import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { receivedFor } from '../support/deliveries.ts';
import { startOnOwnTemporal, type OnOwnTemporal } from '../support/own-temporal.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { outages } from '../support/outages.ts';

const testTimeoutMs = 240_000;

let own: OnOwnTemporal;
let receiver: Receiver;
beforeAll(async () => {
  [own, receiver] = await Promise.all([startOnOwnTemporal(), startReceiver()]);
}, testTimeoutMs);
afterAll(async () => {
  await own?.stop();
  await receiver?.close();
});

it.each(outages({ server: () => own.temporal(), startAgain: () => own.startTemporalAgain() }))(
  'pauses and resumes in the database, and responds with 503, when Temporal $how',
  async ({ takeDown }) => {
    const { installation } = own;
    const directory = await installation.createDirectory({ webhook_url: receiver.url });
    const { api } = installation;
    const root = `/api/v1/directory-sync/${directory.id}`;
    const statusOf = async () => (await api('GET', `${root}/delivery`)).body.data.status;
    expect((await directory.scim('POST', '/Users', { userName: 'a' })).status).toBe(201);
    const names = () => receivedFor(receiver, directory).map(({ event }) => event.data.raw.userName);
    await until(() => names().join() === 'a');

    const bringBack = await takeDown();
    const startedAtMs = Date.now();
    for (const [path, status] of [
      ['/pause', 'paused'],
      ['/resume', 'active'],
      ['/pause', 'paused'],
    ] as const) {
      const { body, headers, ...response } = await api('POST', `${root}${path}`);
      expect([path, response.status, body.error.code, headers.get('retry-after')]).toEqual([path, 503, 'unavailable', expect.any(String)]);
      expect(await statusOf()).toBe(status);
    }
    expect(await api('POST', '/api/v1/dsync/cron/process-events')).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(Date.now() - startedAtMs).toBeLessThan(30_000);
    // The SDK gives up the result of an activity after ten seconds.
    await until(() => Date.now() - startedAtMs > 15_000, { timeoutMs: 20_000 });
    await bringBack();

    await until(async () => (await api('POST', `${root}/pause`)).status === 200, { timeoutMs: 30_000, everyMs: 500 });
    await until(async () => (await directory.scim('POST', '/Users', { userName: 'b' })).status === 201, {
      timeoutMs: 30_000,
      everyMs: 500,
    });
    expect(names()).toEqual(['a']);
    await until(async () => (await api('POST', `${root}/resume`)).status === 200, { timeoutMs: 30_000, everyMs: 500 });
    await until(() => names().join() === 'a,b', { timeoutMs: 40_000 });
  },
  testTimeoutMs,
);

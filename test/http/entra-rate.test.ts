import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createEntraRequests } from '../../bench/rate/entra-requests.ts';
import { sendAtRate } from '../../bench/rate/send-at-rate.ts';
import { createCleanup } from '../../bench/support/cleanup.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { shareTestService, type TestService } from '../support/service.ts';

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  [service, receiver] = await Promise.all([shareTestService(), startReceiver()]);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

it('responds with neither 429 nor 5xx to 25 requests per second in one directory, which Entra asks of its gallery', async () => {
  const { id, secret } = await service.createDirectory({ webhook_url: receiver.url });
  const target = { baseUrl: service.baseUrl, signal: createCleanup().signal };
  const next = await createEntraRequests({ id, secret, scimPath: `/api/scim/v2.0/${id}` }, target);
  const results = await sendAtRate(next, { ...target, perSecond: 25, seconds: 3 });
  expect(results.flatMap(({ failure }) => failure ?? [])).toEqual([]);
  expect(new Set(results.map(({ kind }) => kind)).size).toBe(6);
  expect(results).toHaveLength(75);
});

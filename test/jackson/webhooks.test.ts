import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { maxDeliveryBytes } from '../../src/directory/delivery/freeze-delivery.ts';
import { controllers, type JacksonOption } from '../../src/jackson/index.ts';
import { createJacksonDirectory, startTestJackson } from '../support/jackson.ts';
import { fail, sequencesOf } from '../support/receiver.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { ada } from '../support/service.ts';
import { until } from '../support/until.ts';

const receiver = useReceiver();
const webhook_secret = 'a-long-enough-secret';
let jackson: Awaited<ReturnType<typeof startTestJackson>> | undefined;
afterEach(() => jackson?.stop());
beforeEach(() => (jackson = undefined));

const loopback = { settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_RETRY_SCHEDULE: '0.05,0.05,0.05,0.05,0.05' } };

async function start(more: JacksonOption = {}) {
  jackson = await startTestJackson({ ...loopback, ...more });
  return createJacksonDirectory(jackson, { webhook_url: receiver.url, webhook_secret });
}

it('delivers webhooks in order without Temporal, with the signature of Polis, and logs them', async () => {
  const { directory, push, tenant, product } = await start();
  await jackson!.controller.directories.update(directory.id, { log_webhook_events: true });
  const { data: user } = await push('POST', 'Users', ada);
  await push('PUT', 'Users', { ...ada, title: 'Countess' }, user.id);
  await push('DELETE', 'Users', undefined, user.id);
  await until(() => receiver.received.length === 3);
  expect(receiver.received.map(({ event }) => event.event)).toEqual(['user.created', 'user.updated', 'user.deleted']);
  const { headers, text } = receiver.received[0]!;
  const [, at, signature] = /^t=(\d+),s=(\w+)$/.exec(String(headers['boxyhq-signature']))!;
  expect(signature).toBe(createHmac('sha256', webhook_secret).update(`${at}.${text}`).digest('hex'));
  const logs = jackson!.controller.webhookLogs.setTenantAndProduct(tenant, product);
  await until(async () => (await logs.getAll()).data.length === 3);
  expect((await logs.getAll()).data).toMatchObject([{ delivered: true, status_code: 200, payload: { event: 'user.deleted' } }, {}, {}]);
});

it('repeats a webhook by the schedule of the service until it is accepted', async () => {
  const { push } = await start();
  receiver.respond = (response, _request, count) => void (count < 4 ? fail(response) : response.end());
  await push('POST', 'Users', ada);
  await until(() => receiver.received.length === 4);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

it('delivers after a restart what was committed before, once', async () => {
  const { push } = await start({ settings: { ...loopback.settings, WEBHOOK_RETRY_SCHEDULE: '1,1' } });
  receiver.respond = fail;
  await push('POST', 'Users', ada);
  await until(() => receiver.received.length === 1);
  await jackson!.close();
  receiver.respond = (response) => void response.end();
  const next = await controllers(jackson!.options);
  try {
    await until(() => receiver.received.length === 2);
    expect(sequencesOf(receiver.received)).toEqual([1, 1]);
  } finally {
    await next.close();
  }
});

it('delivers in one process at a time where several share the database', async () => {
  const { push } = await start();
  const others = await Promise.all([controllers(jackson!.options), controllers(jackson!.options)]);
  try {
    for (let index = 0; index < 20; index += 1) await push('POST', 'Users', { userName: `user-${index}@example.com` });
    await until(() => receiver.received.length >= 20);
    expect(sequencesOf(receiver.received)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  } finally {
    await Promise.all(others.map((other) => other.close()));
  }
});

it('delivers nothing if the options have a callback, as Polis', async () => {
  const { push } = await start({ dsync: { callback: async () => undefined } });
  await push('POST', 'Users', ada, undefined, null);
  expect(await jackson!.controller.events.batch.fetchNextBatch(0, 10)).toMatchObject([{ status: 'PENDING' }]);
  await expect(jackson!.controller.events.batch.process()).rejects.toThrow('deliverWebhooks');
  expect(receiver.received).toEqual([]);
});

it('shows queued events, and sends them in batches when it is told to', async () => {
  const { push, tenant } = await start({ dsync: { webhookBatchSize: 2 } });
  const { batch } = jackson!.controller.events;
  for (const name of ['ada', 'grace', 'katherine']) await push('POST', 'Users', { userName: `${name}@example.com` });
  const queued = await batch.fetchNextBatch(0, 2);
  const shown = { retry_count: 0, status: 'PENDING', created_at: expect.any(String) };
  expect(queued).toEqual([
    { ...shown, id: queued[0]!.event.id, event: expect.objectContaining({ event: 'user.created', tenant, sequence: 1 }) },
    { ...shown, id: queued[1]!.event.id, event: expect.objectContaining({ event: 'user.created', sequence: 2 }) },
  ]);
  expect(await batch.fetchNextBatch(2, 2)).toHaveLength(1);
  expect(await batch.push(queued[0]!.event)).toEqual(queued[0]);
  await expect(batch.push({ ...queued[0]!.event, id: undefined })).rejects.toThrow('cannot be queued');
  expect(receiver.received).toEqual([]);
  await batch.process();
  await until(() => receiver.received.length === 2);
  expect(receiver.received.map(({ event }) => event.length)).toEqual([2, 1]);
  await until(async () => (await batch.fetchNextBatch(0, 2)).length === 0);
});

it('sends batches on a schedule', async () => {
  const { push } = await start({ dsync: { webhookBatchSize: 2, webhookBatchCronInterval: 1 } });
  await push('POST', 'Users', ada);
  await until(() => receiver.received.length === 1);
});

it('pauses a delivery, and resumes it', async () => {
  const { directory, push } = await start();
  await push('POST', 'Users', ada);
  await until(() => receiver.received.length === 1);
  const { deliveries } = jackson!.rollcall;
  expect((await deliveries.pause(directory.id)).error).toBeNull();
  await push('POST', 'Users', { userName: 'grace@example.com' });
  expect((await deliveries.state(directory.id)).data).toMatchObject({ status: 'paused' });
  expect(receiver.received).toHaveLength(1);
  expect((await deliveries.resume(directory.id)).error).toBeNull();
  await until(() => receiver.received.length === 2);
});

it('tells the operator each event once where several processes share the database', async () => {
  receiver.respond = (response) => void setTimeout(() => response.end(), 20);
  await start({ webhook: { endpoint: `${receiver.url}/operator`, secret: 'another-long-secret' } });
  const others = await Promise.all([controllers(jackson!.options), controllers(jackson!.options)]);
  try {
    for (let round = 0; round < 5; round += 1) await Promise.all([jackson!, ...others].map((each) => createJacksonDirectory(each)));
    await until(async () => receiver.received.length >= 16 && (await jackson!.db('operator_events')).length === 0);
    expect(receiver.received).toHaveLength(16);
  } finally {
    await Promise.all(others.map((other) => other.close()));
  }
});

it('sends batches once for each interval where several processes share the database', async () => {
  const everyMs = 2_000;
  const maxEventBytes = 1_000;
  const { push } = await start({ dsync: { webhookBatchSize: 1000, webhookBatchCronInterval: everyMs / 1000 } });
  const others: Awaited<ReturnType<typeof controllers>>[] = [];
  while (others.length < 3) others.push(await controllers(jackson!.options));
  const intervals = () => Math.floor(Date.now() / everyMs);
  const startedIn = intervals();
  let count = 0;
  try {
    while (intervals() < startedIn + 3) await push('POST', 'Users', { userName: `user-${(count += 1)}@example.com` });
    await until(() => receiver.received.flatMap(({ event }) => event as unknown[]).length === count);
    // A fast machine pushes more in an interval than the 256 KiB of one batch.
    const last = receiver.received.filter(({ text }) => text.length < maxDeliveryBytes - maxEventBytes);
    // Also for the interval in which the test started, if the timers of the processes are late.
    expect(last.length).toBeLessThanOrEqual(intervals() - startedIn + 1);
  } finally {
    await Promise.all(others.map((other) => other.close()));
  }
});

it.each([true, false])('waits with the response to a pause until no other process sends, deliverWebhooks: %s', async (deliverWebhooks) => {
  const { directory, push } = await start();
  let finish: (() => void) | undefined;
  receiver.respond = (response) => void (finish = () => response.end());
  await push('POST', 'Users', ada);
  await until(() => finish);
  const other = await controllers({ ...jackson!.options, deliverWebhooks });
  try {
    let isSettled = false;
    const pausing = other.rollcall.deliveries.pause(directory.id).finally(() => (isSettled = true));
    await until(async () => (await other.rollcall.deliveries.state(directory.id)).data?.status === 'paused');
    // More requests than a pause that does not wait would need.
    for (let reads = 0; reads < 10; reads += 1) await other.rollcall.deliveries.state(directory.id);
    expect(isSettled).toBe(false);
    finish!();
    expect((await pausing).data).toMatchObject({ settled: true });
  } finally {
    await other.close();
  }
});

it('tells the operator about directories', async () => {
  await start({ webhook: { endpoint: `${receiver.url}/operator`, secret: 'another-long-secret' } });
  await until(() => receiver.received.length === 1);
  expect(receiver.received[0]!.event).toMatchObject({ event: 'dsync.created' });
});

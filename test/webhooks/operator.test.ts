import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newId } from '../../src/ids.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { retryEvery } from '../support/retry-schedules.ts';
import { until } from '../support/until.ts';

const secret = `whsec_${Buffer.from('a secret of the operator').toString('base64')}`;
let service: TestService;
let operator: Receiver;
beforeAll(async () => {
  operator = await startReceiver();
  service = await startTestService({ WEBHOOK_URL: operator.url, WEBHOOK_SECRET: secret, WEBHOOK_RETRY_SCHEDULE: retryEvery(0.05) });
});
afterAll(async () => {
  await service.stop();
  await operator.close();
});

it('receives a directory’s life, in order, signed both ways, however often it fails', async () => {
  operator.respond = (response, _request, count) => void response.writeHead(count === 2 ? 500 : 200).end();
  const { id } = await service.createDirectory({ name: 'Acme' });
  const change = (body: object) => service.api('PATCH', `/api/v1/directory-sync/${id}`, body);
  await change({ deactivated: true });
  await change({ deactivated: true, name: 'Acme Inc.' });
  await change({ deactivated: false });
  await service.api('DELETE', `/api/v1/directory-sync/${id}`);
  await until(() => operator.received.length === 5);
  expect(operator.received.map(({ event }) => event.event)).toEqual([
    'dsync.created',
    'dsync.deactivated',
    'dsync.deactivated',
    'dsync.activated',
    'dsync.deleted',
  ]);
  expect(operator.received.at(-1)!.event).toEqual({
    event: 'dsync.deleted',
    tenant: 'acme',
    product: 'app',
    data: { id, name: 'Acme Inc.', type: 'generic-scim-v2' },
    occurred_at: expect.any(String),
  });
  for (const { text, headers } of operator.received) {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    const [, at, signature] = /^t=(\d+),s=([0-9a-f]+)$/.exec(String(headers['boxyhq-signature']))!;
    expect(createHmac('sha256', secret).update(`${at}.${text}`).digest('hex')).toBe(signature);
  }
  expect(await until(async () => (await service.db('operator_events')).length === 0)).toBe(true);
});

it('receives no event that has waited for more than 30 days', async () => {
  const body = JSON.stringify({
    event: 'dsync.created',
    tenant: 'acme',
    product: 'app',
    data: { id: newId(), name: 'Old', type: 'google' },
  });
  const [createdAt, dueAt] = [-31, 1].map((days) => new Date(Date.now() + days * 86_400_000));
  await service.db('operator_events').insert({ id: newId(createdAt!.getTime()), body, created_at: createdAt, next_attempt_at: dueAt });
  await service.client.workflow.execute('sweep', { workflowId: 'sweep-operator', taskQueue: 'rollcall-deliveries' });
  expect(await service.db('operator_events')).toEqual([]);
  expect(service.logs.find(({ msg }) => String(msg).startsWith('events for the operator were dropped'))).toMatchObject({ events: 1 });
});

it('receives nothing without an address', async () => {
  const withoutOperator = await startTestService();
  try {
    await withoutOperator.createDirectory();
    expect(await withoutOperator.db('operator_events')).toEqual([]);
  } finally {
    await withoutOperator.stop();
  }
});

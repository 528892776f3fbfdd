import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createOperated, root } from '../support/operate.ts';
import { fail } from '../support/receiver.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { retryOnce } from '../support/retry-schedules.ts';
import { apiKey, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: retryOnce });
});
afterAll(() => service.stop());
const receiver = useReceiver();

const createDirectory = (fields?: Record<string, unknown>) => createOperated(service, receiver, fields);

it('returns the delivery state', async () => {
  const { push, state, untilDone, directory } = await createDirectory();
  const fresh = await state();
  expect(fresh).toEqual({
    status: 'active',
    reason: null,
    url: receiver.url,
    backlog: 0,
    acked_sequence: 0,
    last_sequence: 0,
    oldest_pending_at: null,
    open: null,
    last_error: null,
    first_failure_at: null,
    failing_since: null,
    consecutive_failures: 0,
    next_attempt_at: null,
    last_success_at: null,
    legacy_signatures: true,
    secrets: [{ id: expect.any(String), created_at: expect.any(String), expires_at: null, last_used_at: null }],
    replay: null,
  });
  expect(JSON.stringify(fresh)).not.toContain(directory.webhookSecret);
  await push('a');
  await untilDone();
  await until(async () => (await state()).secrets[0].last_used_at !== null);
  expect(await state()).toMatchObject({ backlog: 0, acked_sequence: 1, last_success_at: expect.any(String) });
  receiver.respond = fail;
  await push('b', 'c');
  await until(async () => (await state()).status === 'disabled');
  expect(await state()).toMatchObject({
    reason: expect.stringContaining('exhausted'),
    backlog: 2,
    acked_sequence: 1,
    last_sequence: 3,
    oldest_pending_at: expect.any(String),
    open: { id: receiver.received.at(-1)!.headers['webhook-id'], status: 'exhausted', attempts: 2, failures: 2, next_attempt_at: null },
    last_error: {
      at: expect.any(String),
      outcome: 'http_error',
      status_code: 500,
      error: expect.stringContaining('responded with 500'),
    },
    first_failure_at: expect.any(String),
  });
});

it('calls the state no_webhook until there is a webhook, as the health of the directory does', async () => {
  const { post, state, get, directory } = await createDirectory({ webhook_url: undefined });
  const health = async () => (await get('')).health.delivery;
  expect([await state(), await health()]).toMatchObject([{ status: 'no_webhook', url: null }, { status: 'no_webhook' }]);
  await directory.scim('POST', '/Users', { userName: 'a' });
  const { status, body } = await post('/resume', { from: 'now' });
  expect([status, body.error.code, body.error.field]).toEqual([400, 'invalid_request', 'from']);
  await post('/pause');
  expect([await state(), await health()]).toMatchObject([{ status: 'paused' }, { status: 'paused' }]);
  expect((await post('/resume')).body.data).toMatchObject({ status: 'no_webhook', backlog: 1 });
});

describe('a test', () => {
  it('is signed and sent immediately, independently of pending events, and returns the response', async () => {
    const { directory, push, post, untilStatus, state } = await createDirectory();
    receiver.respond = fail;
    await push('a');
    await untilStatus('disabled');
    receiver.respond = (response) => void response.writeHead(202, { 'x-receiver': 'yes', 'set-cookie': 'session=hidden' }).end('thanks');
    const { status, body } = await post('/webhook/test');
    const { text, headers, event } = receiver.received.at(-1)!;
    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: {
        id: headers['webhook-id'],
        url: receiver.url,
        outcome: 'success',
        status_code: 202,
        error: null,
        address: '127.0.0.1',
        request_headers: expect.objectContaining({ 'webhook-id': headers['webhook-id'], 'webhook-test': 'true' }),
        request_body: text,
        response_headers: expect.objectContaining({ 'x-receiver': 'yes' }),
        response_body: 'thanks',
        response_truncated: false,
        timings: expect.objectContaining({ total_ms: expect.any(Number) }),
      },
    });
    expect(JSON.stringify(body)).not.toContain('hidden');
    expect(event).toEqual({
      event: 'webhook.test',
      tenant: 'acme',
      product: 'app',
      directory_id: directory.id,
      data: { message: expect.any(String) },
      id: expect.any(String),
      occurred_at: expect.any(String),
    });
    new Webhook(directory.webhookSecret).verify(text, headers as Record<string, string>);
    expect(await state()).toMatchObject({ status: 'disabled', last_sequence: 1, open: { attempts: 2 } });
  });

  it('ends when its caller leaves', async () => {
    const { directory } = await createDirectory();
    let isOpen = false;
    receiver.respond = (response) => {
      isOpen = true;
      response.once('close', () => (isOpen = false));
    };
    const leaving = new AbortController();
    const left = fetch(`${service.baseUrl}${root}/${directory.id}/webhook/test`, {
      method: 'POST',
      headers: { authorization: `Api-Key ${apiKey}` },
      signal: leaving.signal,
    });
    await until(() => isOpen);
    leaving.abort();
    await expect(left).rejects.toThrow('aborted');
    // By itself it would end later, at its timeout.
    await until(() => !isOpen, { timeoutMs: 8_000 });
  });

  it('returns the error', async () => {
    const { post, patch, directory } = await createDirectory();
    receiver.respond = (response) => void response.destroy();
    expect((await post('/webhook/test')).body.data).toMatchObject({ outcome: 'connect', status_code: null, error: expect.any(String) });
    receiver.respond = fail;
    expect((await post('/webhook/test')).body.data).toMatchObject({ outcome: 'http_error', status_code: 500 });
    await service.db('webhook_endpoints').where({ directory_id: directory.id }).update({ url: 'http://169.254.169.254/' });
    expect((await post('/webhook/test')).body.data).toMatchObject({ outcome: 'blocked', response_body: null });
    await patch({ webhook_url: '' });
    const { status, body } = await post('/webhook/test');
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('no webhook')]);
  });
});

it('rejects invalid input and requests without an API key', async () => {
  const { directory, post, state } = await createDirectory();
  await post('/pause');
  for (const [request, field] of [
    [{ from: 'yesterday' }, 'from'],
    [{ form: 'now' }, 'form'],
    [[], undefined],
    ['{"from":', undefined],
  ] as const) {
    const { status, body } = await post('/resume', request);
    expect([request, status, body.error.field]).toEqual([request, 400, field]);
  }
  expect((await state()).status).toBe('paused');
  const nowhere = '01a1fd46-beef-7978-b244-a1855f394770';
  for (const id of [nowhere, 'x', '%00'])
    for (const [method, path] of [
      ['GET', '/delivery'],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/webhook/test'],
      ['POST', '/webhook/secret/rotate'],
    ] as const) {
      const { status, body } = await service.api(method, `${root}/${id}${path}`);
      expect([id, path, status, body.error?.code]).toEqual([id, path, 404, 'not_found']);
    }
  expect((await fetch(`${service.baseUrl}${root}/${directory.id}/pause`, { method: 'POST' })).status).toBe(401);
});

it('accepts an ID in capitals', async () => {
  const { directory, untilStatus } = await createDirectory();
  const upper = `/api/v1/directory-sync/${directory.id.toUpperCase()}`;
  expect((await service.api('POST', `${upper}/pause`)).status).toBe(200);
  await untilStatus('paused');
  expect((await service.api('POST', `${upper}/resume`)).status).toBe(200);
  expect((await service.api('POST', `${upper}/webhook/secret/rotate`)).status).toBe(200);
  expect((await service.api('POST', `${upper}/webhook/test`)).body.data.outcome).toBe('success');
  expect((await service.api('GET', `/api/v1/directory-sync/events?directoryId=${directory.id.toUpperCase()}`)).status).toBe(200);
  await expect(service.client.workflow.getHandle(`deliver:${directory.id.toUpperCase()}`).describe()).rejects.toMatchObject({
    name: 'WorkflowNotFoundError',
  });
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { fail } from '../support/receiver.ts';
import { createOperated, root } from '../support/operate.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { readBacklog } from '../../src/store/deliveries/delivery-state.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: '3600,3600' });
});
afterAll(() => service.stop());
const receiver = useReceiver();

const createDirectory = (fields?: Record<string, unknown>) => createOperated(service, receiver, fields);

it('returns each delivery with its attempts, requests and responses', async () => {
  receiver.respond = (response, _request, count) =>
    void response.writeHead(count === 1 ? 500 : 200, { 'x-receiver': 'here', 'set-cookie': 'secret' }).end(`response ${count}`);
  const { get, push, post, untilDone } = await createDirectory();
  await push('a');
  await until(async () => (await get('/deliveries'))[0]?.failures === 1);
  const [failed] = await get('/deliveries?status=pending');
  expect(failed).toMatchObject({ kind: 'live', attempts: 1, done_at: null, next_attempt_at: expect.any(String) });
  expect(Date.parse(failed.next_attempt_at) - Date.now()).toBeGreaterThan(1_000_000);
  expect((await post(`/deliveries/${failed.id}/retry`)).status).toBe(202);
  await untilDone();

  const shown = await get(`/deliveries/${failed.id}`);
  const { text, headers } = receiver.received[1]!;
  expect(shown).toMatchObject({
    id: headers['webhook-id'],
    status: 'delivered',
    replay_id: null,
    from_sequence: 1,
    to_sequence: 1,
    event_count: 1,
    attempts: 2,
    next_attempt_at: null,
    bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
    body: text,
  });
  const [first, second] = shown.attempt_log;
  expect(first).toMatchObject({
    number: 1,
    trigger: 'auto',
    outcome: 'http_error',
    status_code: 500,
    url: receiver.url,
    address: '127.0.0.1',
    secret_ids: [expect.any(String)],
    response_headers: { 'x-receiver': 'here' },
    response_body: 'response 1',
    response_truncated: false,
    timings: { total_ms: expect.any(Number) },
  });
  expect(first.error).toContain('500');
  expect(first.request_headers['webhook-id']).toBe(shown.id);
  expect(JSON.stringify(shown)).not.toContain('secret"');
  expect(second).toMatchObject({ number: 2, outcome: 'success', status_code: 200, error: null });
  expect(Date.parse(second.ended_at)).toBeGreaterThanOrEqual(Date.parse(second.started_at));
});

it('keeps only the outcome of a delivery that is not logged', async () => {
  const { get, push, untilDone } = await createDirectory({ log_webhook_events: false });
  await push('a');
  await untilDone();
  const [delivery] = await get('/deliveries');
  const shown = await get(`/deliveries/${delivery.id}`);
  expect(shown).toMatchObject({ status: 'delivered', body: null, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(shown.attempt_log).toMatchObject([
    { outcome: 'success', status_code: 200, request_headers: null, response_body: null, timings: null },
  ]);
});

it('lists those of one directory, newest first, by page, status and kind', async () => {
  const other = await createDirectory();
  await other.push('x');
  await other.untilDone();
  const { get, push, untilDone } = await createDirectory();
  await push('a', 'b', 'c');
  await untilDone();
  const sequences = async (query: string) => (await get(`/deliveries${query}`)).map((one: { from_sequence: number }) => one.from_sequence);
  expect(await sequences('')).toEqual([3, 2, 1]);
  expect(await sequences('?pageOffset=1&pageLimit=1')).toEqual([2]);
  expect(await sequences('?status=delivered&kind=live')).toEqual([3, 2, 1]);
  expect(await sequences('?status=pending')).toEqual([]);
  expect(await sequences('?kind=replay')).toEqual([]);
});

it.each([
  ['status', '?status=open', 'status must be one of pending, delivered'],
  ['kind', '?kind=old', 'kind must be one of live, replay.'],
  ['limit', '?limit=x', 'limit must be a whole number'],
])('rejects a list with an invalid %s', async (field, query, message) => {
  const { directory } = await createDirectory();
  const { status, body } = await service.api('GET', `${root}/${directory.id}/deliveries${query}`);
  expect({ status, data: body.data, field: body.error.field }).toEqual({ status: 400, data: null, field });
  expect(body.error.message).toContain(message);
});

it('finds nothing for an unknown ID, a malformed one, or one of another directory', async () => {
  const other = await createDirectory();
  await other.push('x');
  await other.untilDone();
  const [theirs] = await other.get('/deliveries');
  const { directory } = await createDirectory();
  const nowhere = '01a1fd46-beef-7978-b244-a1855f394770';
  for (const path of [
    `${directory.id}/deliveries/${theirs.id}`,
    `${directory.id}/deliveries/msg_000000000000000000000000000`,
    `${directory.id}/deliveries/%00`,
    `${nowhere}/deliveries`,
    `not-an-id/deliveries`,
    `${nowhere}/deliveries/${theirs.id}`,
  ]) {
    const { status, body } = await service.api('GET', `${root}/${path}`);
    expect([path, status, body.data, body.error.code]).toEqual([path, 404, null, 'not_found']);
  }
  for (const path of [`${directory.id}/deliveries/${theirs.id}`, `${directory.id}/deliveries/x`, `x/deliveries/${theirs.id}`]) {
    const { status, body } = await service.api('POST', `${root}/${path}/retry`);
    expect([path, status, body.error.code]).toEqual([path, 404, 'not_found']);
  }
});

it('is failing from a failed attempt until the next acknowledged one', async () => {
  receiver.respond = fail;
  const { get, push, post, state, untilStatus } = await createDirectory();
  expect((await state()).status).toBe('active');
  await push('a');
  await untilStatus('failing');
  expect(await state()).toMatchObject({
    reason: null,
    first_failure_at: expect.any(String),
    last_error: { outcome: 'http_error', status_code: 500 },
    open: { next_attempt_at: expect.any(String) },
  });
  expect((await get('')).health.delivery).toMatchObject({ status: 'failing', reason: null });
  expect((await readBacklog(service.db)()).directories['failing']).toBeGreaterThan(0);
  expect((await post('/resume', { from: 'now' })).body.error.field).toBe('from');
  expect((await post('/pause')).body.data.status).toBe('paused');
  // The next attempt may begin before the response is made, and ends after it.
  const held: ServerResponse[] = [];
  receiver.respond = (response) => void held.push(response);
  expect((await post('/resume')).body.data.status).toBe('active');
  receiver.respond = fail;
  held.forEach(fail);
  await untilStatus('failing');
  receiver.respond = (response) => void response.writeHead(200).end();
  expect((await post(`/deliveries/${(await state()).open.id}/retry`)).status).toBe(202);
  await untilStatus('active');
  expect(await state()).toMatchObject({ backlog: 0, first_failure_at: null, last_error: null });
});

it('requires an API key at both prefixes', async () => {
  const { directory } = await createDirectory();
  expect((await fetch(`${service.baseUrl}${root}/${directory.id}/deliveries`)).status).toBe(401);
  expect((await service.api('GET', `/api/v1/dsync/${directory.id}/deliveries`)).body).toEqual({ data: [], error: null, next_cursor: null });
});

it('uses up no step of the retry schedule by retries that somebody asks for', async () => {
  receiver.respond = (response) => void response.writeHead(500).end();
  const { get, push, post, state } = await createDirectory();
  await push('a');
  await until(async () => (await get('/deliveries'))[0]?.failures === 1);
  const [{ id }] = await get('/deliveries');
  // The schedule has three attempts.
  for (let attempts = 2; attempts <= 6; attempts += 1) {
    expect((await post(`/deliveries/${id}/retry`)).status).toBe(202);
    await until(async () => {
      const found = await get(`/deliveries/${id}`);
      return found.attempts === attempts && found.next_attempt_at !== null && Date.parse(found.next_attempt_at) > Date.now() + 1_000_000;
    });
  }
  expect(await get(`/deliveries/${id}`)).toMatchObject({ status: 'pending', attempts: 6, failures: 1 });
  expect(await state()).toMatchObject({ status: 'failing', consecutive_failures: 6 });
});

it('does not retry a final delivery, nor any while delivery is paused', async () => {
  receiver.respond = (response, _request, count) => void response.writeHead(count === 1 ? 200 : 500).end();
  const { get, push, post, untilDone } = await createDirectory();
  await push('a');
  await untilDone();
  const [delivered] = await get('/deliveries');
  const settled = await post(`/deliveries/${delivered.id}/retry`);
  expect([settled.status, settled.body.error.message]).toEqual([400, expect.stringContaining('start a replay')]);
  await push('b');
  await until(async () => (await get('/deliveries?status=pending'))[0]?.failures === 1);
  const [failing] = await get('/deliveries?status=pending');
  await post('/pause');
  const disabled = await post(`/deliveries/${failing.id}/retry`);
  expect([disabled.status, disabled.body.error.message]).toEqual([400, expect.stringContaining('resume')]);
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { createOperated, root, type Operated } from '../support/operate.ts';
import { startReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let operator: Receiver;
let receiver: Receiver;
beforeAll(async () => {
  operator = await startReceiver();
  // One failure is tried again, the next one gives up.
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: '0.05', WEBHOOK_URL: operator.url, WEBHOOK_TIMEOUT_MS: '5000' });
});
afterAll(async () => {
  await service.stop();
  await operator.close();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const createDirectory = (fields?: Record<string, unknown>) => createOperated(service, receiver, fields);

const sequencesOf = (received: Received[]) => received.map(({ event }) => event.sequence);
const fail = (response: ServerResponse) => void response.writeHead(500).end();
const take = (response: ServerResponse) => void response.end();
/** What the operator is told of a directory, once the sweep has seen to it. */
async function told({ directory }: Operated, count: number): Promise<string[]> {
  const ofDirectory = () =>
    operator.received
      .filter(({ event }) => event.data.id === directory.id && event.event.startsWith('dsync.webhook_'))
      .map(({ event }) => event.event);
  await service.client.workflow.execute('sweep', { workflowId: `sweep-${directory.id}`, taskQueue: 'rollcall-deliveries' });
  await until(() => ofDirectory().length >= count);
  return ofDirectory();
}

const verifies = (secret: string, { text, headers }: Received) => {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

async function createDisabled(...names: string[]): Promise<Operated> {
  receiver.answer = fail;
  const operated = await createDirectory();
  await operated.push(...names);
  await operated.untilStatus('disabled');
  receiver.answer = take;
  return operated;
}

it('shows how a delivery stands', async () => {
  const { push, state, untilDone, directory } = await createDirectory();
  const fresh = await state();
  expect(fresh).toEqual({
    status: 'enabled',
    reason: null,
    url: receiver.url,
    backlog: 0,
    acked_sequence: 0,
    last_sequence: 0,
    oldest_pending_at: null,
    open: null,
    first_failure_at: null,
    last_success_at: null,
    legacy_signatures: false,
    secrets: [{ id: expect.any(String), created_at: expect.any(String), expires_at: null, last_used_at: null }],
    replay: null,
  });
  expect(JSON.stringify(fresh)).not.toContain(directory.webhookSecret);
  await push('a');
  await untilDone();
  await until(async () => (await state()).secrets[0].last_used_at !== null);
  expect(await state()).toMatchObject({ backlog: 0, acked_sequence: 1, last_success_at: expect.any(String) });
  receiver.answer = fail;
  await push('b', 'c');
  await until(async () => (await state()).status === 'disabled');
  expect(await state()).toMatchObject({
    reason: expect.stringContaining('exhausted'),
    backlog: 2,
    acked_sequence: 1,
    last_sequence: 3,
    oldest_pending_at: expect.any(String),
    open: { id: receiver.received.at(-1)!.headers['webhook-id'], status: 'exhausted', attempts: 2, failures: 2, next_attempt_at: null },
    first_failure_at: expect.any(String),
  });
});

describe('pausing', () => {
  it('is answered when nothing is being sent any more, and holds until it is resumed', async () => {
    const { push, post, state } = await createDirectory();
    const held: ServerResponse[] = [];
    receiver.answer = (response) => void held.push(response);
    await push('a', 'b');
    await until(() => held.length === 1);
    let isAnswered = false;
    const pausing = post('/pause').finally(() => (isAnswered = true));
    await until(async () => (await state()).status === 'paused');
    expect(isAnswered).toBe(false);
    receiver.answer = take;
    held[0]!.end();
    const { status, body } = await pausing;
    expect({ status, data: body.data }).toMatchObject({
      status: 200,
      data: { status: 'paused', settled: true, acked_sequence: 1, backlog: 1 },
    });
    await push('c');
    expect((await post('/pause')).body.data).toMatchObject({ status: 'paused', settled: true, backlog: 2 });
    expect(sequencesOf(receiver.received)).toEqual([1]);
    const resumed = await post('/resume');
    expect([resumed.status, resumed.body.data.status, resumed.body.data.reason]).toEqual([200, 'enabled', null]);
    await until(() => receiver.received.length === 3);
    expect(sequencesOf(receiver.received)).toEqual([1, 2, 3]);
    expect((await post('/resume', { from: 'now' })).body.data).toMatchObject({ status: 'enabled' });
  });

  it('leaves what is disabled as it is', async () => {
    const { post } = await createDisabled('a');
    expect((await post('/pause')).body.data).toMatchObject({ status: 'disabled', settled: true });
    expect((await post('/resume')).status).toBe(400);
  });

  it('can be resumed from now on: what waited is passed over and kept', async () => {
    const { push, post, get } = await createDirectory();
    await post('/pause');
    await push('a', 'b');
    expect((await post('/resume', { from: 'now' })).body.data).toMatchObject({ backlog: 0, acked_sequence: 2 });
    await push('c');
    await until(() => receiver.received.length === 1);
    expect(sequencesOf(receiver.received)).toEqual([3]);
    expect(await get('/deliveries?status=skipped')).toMatchObject([{ from_sequence: 1, to_sequence: 2, attempts: 0 }]);
  });

  it('takes back the conclusion of what was under way when all was passed over', async () => {
    const { push, post, state, get } = await createDirectory();
    const held: ServerResponse[] = [];
    receiver.answer = (response) => void held.push(response);
    await push('a', 'b');
    await until(() => held.length === 1);
    const pausing = post('/pause');
    await until(async () => (await state()).status === 'paused');
    expect((await post('/resume', { from: 'now' })).status).toBe(200);
    receiver.answer = take;
    held[0]!.writeHead(500).end();
    await pausing;
    await push('c');
    await until(() => sequencesOf(receiver.received).at(-1) === 3);
    expect(sequencesOf(receiver.received)).toEqual([1, 3]);
    const [, , a] = await get('/deliveries');
    expect(a).toMatchObject({ status: 'skipped', attempts: 1, from_sequence: 1 });
    expect((await get(`/deliveries/${a.id}`)).attempt_log).toMatchObject([
      { outcome: 'aborted', error: expect.stringContaining('passed over') },
    ]);
  });
});

describe('resuming what has given up', () => {
  it('asks from where', async () => {
    const { post, state } = await createDisabled('a');
    for (const request of [undefined, {}]) {
      const { status, body } = await post('/resume', request);
      expect([status, body.error.field, body.error.message]).toEqual([400, 'from', expect.stringContaining('backlog')]);
    }
    expect((await state()).status).toBe('disabled');
  });

  it('delivers all that has waited, in its order and with the same bytes', async () => {
    const operated = await createDisabled('a', 'b', 'c');
    const [first] = receiver.received;
    const before = receiver.received.length;
    expect((await operated.post('/resume', { from: 'backlog' })).body.data).toMatchObject({ status: 'enabled', first_failure_at: null });
    await operated.untilDone();
    const received = receiver.received.slice(before);
    expect(sequencesOf(received)).toEqual([1, 2, 3]);
    expect([received[0]!.text, received[0]!.headers['webhook-id']]).toEqual([first!.text, first!.headers['webhook-id']]);
    expect(await told(operated, 2)).toEqual(['dsync.webhook_disabled', 'dsync.webhook_enabled']);
  });

  it('begins with what comes next, and passes the rest over', async () => {
    const { post, push, get } = await createDisabled('a', 'b', 'c');
    const before = receiver.received.length;
    expect((await post('/resume', { from: 'now' })).body.data).toMatchObject({ status: 'enabled', backlog: 0, open: null });
    await push('d');
    await until(() => receiver.received.length > before);
    expect(sequencesOf(receiver.received.slice(before))).toEqual([4]);
    expect(await get('/deliveries?status=skipped')).toMatchObject([
      { from_sequence: 2, to_sequence: 3, attempts: 0 },
      { from_sequence: 1, to_sequence: 1, attempts: 2 },
    ]);
  });

  it('is done by a new address, if the address was at fault, and not otherwise', async () => {
    const operated = await createDirectory();
    const wrong = 'http://10.0.0.1/';
    await service.db('webhook_endpoints').where({ directory_id: operated.directory.id }).update({ url: wrong });
    await operated.push('a', 'b');
    await operated.untilStatus('misconfigured');
    expect((await operated.post('/resume')).status).toBe(400);
    await operated.patch({ webhook_url: receiver.url });
    await operated.untilDone();
    expect(sequencesOf(receiver.received)).toEqual([1, 2]);
    expect(await told(operated, 2)).toEqual(['dsync.webhook_disabled', 'dsync.webhook_enabled']);

    const disabled = await createDisabled('a');
    await disabled.patch({ webhook_url: receiver.url });
    expect((await disabled.state()).status).toBe('disabled');
    const paused = await createDirectory();
    await paused.post('/pause');
    await paused.patch({ webhook_url: receiver.url });
    expect((await paused.state()).status).toBe('paused');
  });
});

describe('a test', () => {
  it('is signed and sent at once, whatever the order holds up, and its answer is shown', async () => {
    const { directory, push, post, untilStatus, state } = await createDirectory();
    receiver.answer = fail;
    await push('a');
    await untilStatus('disabled');
    receiver.answer = (response) => void response.writeHead(202, { 'x-answer': 'yes', 'set-cookie': 'session=hidden' }).end('thanks');
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
        response_headers: expect.objectContaining({ 'x-answer': 'yes' }),
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

  it('shows what went wrong', async () => {
    const { post, patch, directory } = await createDirectory();
    receiver.answer = (response) => void response.destroy();
    expect((await post('/webhook/test')).body.data).toMatchObject({ outcome: 'connect', status_code: null, error: expect.any(String) });
    receiver.answer = fail;
    expect((await post('/webhook/test')).body.data).toMatchObject({ outcome: 'http_error', status_code: 500 });
    await service.db('webhook_endpoints').where({ directory_id: directory.id }).update({ url: 'http://169.254.169.254/' });
    expect((await post('/webhook/test')).body.data).toMatchObject({ outcome: 'blocked', response_body: null });
    await patch({ webhook_url: '' });
    const { status, body } = await post('/webhook/test');
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('no webhook')]);
  });
});

describe('rotating the secret', () => {
  it('signs with both until the old one expires, the new one first', async () => {
    const { directory, post, push, patch, state } = await createDirectory();
    const { status, body } = await post('/webhook/secret/rotate');
    expect([status, body.data]).toEqual([
      200,
      { secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/), previous_valid_until: expect.any(String) },
    ]);
    expect((Date.parse(body.data.previous_valid_until) - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
    await push('a');
    await until(() => receiver.received.length === 1);
    const [a] = receiver.received;
    const signatures = (a!.headers['webhook-signature'] as string).split(' ');
    expect([signatures.length, verifies(directory.webhookSecret, a!), verifies(body.data.secret, a!)]).toEqual([2, true, true]);
    const withFirst = { ...a!, headers: { ...a!.headers, 'webhook-signature': signatures[0] } };
    expect([verifies(body.data.secret, withFirst), verifies(directory.webhookSecret, withFirst)]).toEqual([true, false]);
    expect((await service.api('GET', `${root}/${directory.id}`)).body.data.webhook.secret).toBe(body.data.secret);

    // Neither another address nor the directory sent back as it was read ends the overlap.
    await patch({ webhook_url: receiver.url });
    await patch((await service.api('GET', `${root}/${directory.id}`)).body.data);
    expect((await state()).secrets).toMatchObject([{ expires_at: null }, { expires_at: body.data.previous_valid_until }]);

    await service.db('webhook_secrets').where({ directory_id: directory.id }).whereNotNull('expires_at').update({ expires_at: new Date() });
    await push('b');
    await until(() => receiver.received.length === 2);
    expect([verifies(directory.webhookSecret, receiver.received[1]!), verifies(body.data.secret, receiver.received[1]!)]).toEqual([
      false,
      true,
    ]);
    expect((await state()).secrets).toHaveLength(1);
  });

  it('takes a secret and an overlap; without one the old secret goes at once', async () => {
    const { directory, post, push, state } = await createDirectory();
    const { body } = await post('/webhook/secret/rotate', { secret: 'a secret of ours', overlap_seconds: 0 });
    expect(body.data).toEqual({ secret: 'a secret of ours', previous_valid_until: null });
    expect((await state()).secrets).toHaveLength(1);
    await push('a');
    await until(() => receiver.received.length === 1);
    expect(verifies(directory.webhookSecret, receiver.received[0]!)).toBe(false);
    expect(verifies(Buffer.from('a secret of ours').toString('base64'), receiver.received[0]!)).toBe(true);
  });

  it('keeps five at most, and a changed secret of the directory replaces all', async () => {
    const { post, patch, state } = await createDirectory();
    await Promise.all(Array.from({ length: 6 }, () => post('/webhook/secret/rotate', { overlap_seconds: 604_800 })));
    const { secrets } = await state();
    expect(secrets).toHaveLength(5);
    expect(secrets.filter(({ expires_at: at }: { expires_at: string | null }) => at === null)).toHaveLength(1);
    await patch({ webhook_secret: 'another' });
    expect((await state()).secrets).toMatchObject([{ expires_at: null }]);
  });

  it.each([
    [{ overlap_seconds: -1 }, 'overlap_seconds'],
    [{ overlap_seconds: 604_801 }, 'overlap_seconds'],
    [{ overlap_seconds: '60' }, 'overlap_seconds'],
    [{ overlap_second: 60 }, 'overlap_second'],
    [{ secret: '' }, 'secret'],
    [{ secret: 'x'.repeat(501) }, 'secret'],
    [{ secret: 'the one there is' }, 'secret'],
  ])('refuses %j', async (request, field) => {
    const { post, state } = await createDirectory({ webhook_secret: 'the one there is' });
    const { status, body } = await post('/webhook/secret/rotate', request);
    expect([status, body.error.field]).toEqual([400, field]);
    expect((await state()).secrets).toHaveLength(1);
  });

  it('needs a webhook', async () => {
    const { post } = await createDirectory({ webhook_url: undefined });
    expect((await post('/webhook/secret/rotate')).status).toBe(400);
  });
});

it('signs in the ancestor’s way too, where a directory asks for it', async () => {
  const { directory, push, patch, state } = await createDirectory({ webhook_legacy_signatures: true });
  const read = async () => (await service.api('GET', `${root}/${directory.id}`)).body.data;
  expect(await read()).toMatchObject({ webhook_legacy_signatures: true });
  expect(await state()).toMatchObject({ legacy_signatures: true });
  await push('a');
  await until(() => receiver.received.length === 1);
  expect(receiver.received[0]!.headers).toMatchObject({
    'boxyhq-signature': expect.stringMatching(/^t=\d{13},s=[0-9a-f]{64}$/),
    'ory-polis-signature': expect.stringMatching(/^t=\d{13},s=[0-9a-f]{64}$/),
  });
  await patch({ webhook_legacy_signatures: false });
  expect(await read()).not.toHaveProperty('webhook_legacy_signatures');
  await push('b');
  await until(() => receiver.received.length === 2);
  expect(receiver.received[1]!.headers).not.toHaveProperty('boxyhq-signature');
  expect((await patch({ webhook_legacy_signatures: 'perhaps' })).body.error.field).toBe('webhook_legacy_signatures');
});

it('refuses what it does not understand, and whoever has no key', async () => {
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

/** Each is a race. */
const rounds = 4;
const testTimeoutMs = 10_000 + rounds * 8_000;

it(
  'loses nothing and mixes nothing up when writers, pauses and resumptions meet',
  async () => {
    const operated = await createDirectory();
    const { directory, push, post, state, get } = operated;
    let user = 0;
    for (let round = 0; round < rounds; round += 1) {
      const from = round % 2 === 0 ? 'now' : 'backlog';
      const names = () => Array.from({ length: 3 }, () => `racer${(user += 1)}`);
      await Promise.all([push(...names()), push(...names()), post('/pause'), push(...names())]);
      const [resumed] = await Promise.all([post('/resume', { from }), push(...names()), push(...names())]);
      expect(resumed.status).toBe(200);
      await Promise.all([post('/pause'), post('/resume', { from })]);
      await post('/resume', { from });
    }
    await until(async () => {
      const { status, backlog } = await state();
      return status === 'enabled' && backlog === 0;
    });
    const { last_sequence: last } = await state();
    expect(last).toBe(rounds * 15);
    const arrived = sequencesOf(receiver.received);
    const inOrder = [...new Set(arrived)];
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
    const skipped = (await get('/deliveries?status=skipped&limit=1000')).flatMap((one: { from_sequence: number; to_sequence: number }) =>
      Array.from({ length: one.to_sequence - one.from_sequence + 1 }, (_, index) => one.from_sequence + index),
    );
    expect(new Set(skipped).size).toBe(skipped.length);
    expect([...new Set([...arrived, ...skipped])].toSorted((a, b) => a - b)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    expect(await service.db('webhook_attempts').where({ directory_id: directory.id, outcome: 'in_flight' })).toEqual([]);

    for (const mode of ['missing', 'failed']) {
      const { status, body } = await post('/replays', { mode });
      if (status === 202) await operated.untilReplay(body.data.id, 'done');
    }
    expect(new Set(sequencesOf(receiver.received)).size).toBe(last);
  },
  testTimeoutMs,
);

it('takes an id in capitals for the same directory', async () => {
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

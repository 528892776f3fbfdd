import { createHmac } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { setImmediate as immediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { Agent } from 'undici';
import { createGuardedAgent, parseNetworks } from '../../src/webhooks/address-guard.ts';
import { createSendWebhook } from '../../src/webhooks/send-webhook.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import type { SendRequest } from '../../src/directory/delivery/ports.ts';

const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0, 345);
const newest = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const older = 'an older one';
const body = '{"name":"Zoë"}';

let receiver: Receiver;
let agent: Agent;
beforeEach(async () => {
  receiver = await startReceiver();
  agent = createGuardedAgent(parseNetworks(['127.0.0.0/8', '::1/128']), 1_000);
});
afterEach(async () => {
  await agent.destroy();
  await receiver.close();
});

const post = (request: Partial<SendRequest> = {}, { signal = new AbortController().signal, dispatcher = agent, now = Date.now } = {}) =>
  createSendWebhook({ dispatcher, legacySignatures: false, now })(
    { id: 'msg_1', url: receiver.url, body, secrets: [{ id: 's1', secret: newest }], legacySignatures: false, ...request },
    { signal, timeoutMs: 10_000 },
  );
const both = [
  { id: 's1', secret: newest },
  { id: 's2', secret: older },
];
/** undici reuses a socket one turn of the event loop after its response has ended. */
const nextTurn = async () => {
  await immediate();
  await immediate();
};
const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
const lastReceived = () => receiver.received.at(-1)!;
const respondWith = (status: number, headers: Record<string, string | string[]> = {}) => {
  receiver.respond = (response) => void response.writeHead(status, headers).end();
};

it('posts the bytes unchanged, as JSON, with its own user agent', async () => {
  expect(await post()).toMatchObject({ outcome: 'success', statusCode: 200 });
  const { headers, text } = lastReceived();
  expect(text).toBe(body);
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'msg_1', 'user-agent': 'Rollcall-Webhooks/1' });
  expect(headers['accept-encoding']).toBeUndefined();
});

describe('a request', () => {
  it('is signed with every secret, so that the public library verifies it with each', async () => {
    await post({ secrets: both });
    const { headers, text } = lastReceived();
    const given = headers as Record<string, string>;
    expect(new Webhook(newest).verify(text, given)).toEqual({ name: 'Zoë' });
    expect(new Webhook(Buffer.from(older), { format: 'raw' } as never).verify(text, given)).toEqual({ name: 'Zoë' });
    expect(() => new Webhook(newest).verify(text.replace('Z', 'z'), given)).toThrow(/No matching signature/);
    expect(given).not.toHaveProperty('boxyhq-signature');
  });

  it('is signed as Polis does when configured: milliseconds, hexadecimal, the newest secret as it is written', async () => {
    await post({ secrets: both, legacySignatures: true }, { now: () => nowMs });
    const { headers, text } = lastReceived();
    const expected = createHmac('sha256', newest).update(`${nowMs}.${text}`).digest('hex');
    expect(headers['boxyhq-signature']).toBe(`t=${nowMs},s=${expected}`);
    expect(headers['ory-polis-signature']).toBe(`t=${nowMs},s=${expected}`);
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(nowMs / 1000)));
  });

  it('has configured headers in addition to its own, never in their place', async () => {
    await post({
      headers: { 'webhook-replay': 'rpl_1', 'Webhook-ID': 'forged', 'Content-Type': 'text/plain', 'WEBHOOK-SIGNATURE': 'v1,x' },
    });
    const { headers, text } = lastReceived();
    expect(headers).toMatchObject({ 'webhook-replay': 'rpl_1', 'webhook-id': 'msg_1', 'content-type': 'application/json' });
    expect(new Webhook(newest).verify(text, headers as Record<string, string>)).toBeDefined();
  });
});

describe('the status', () => {
  it.each([200, 201, 202, 204, 299])('%d is a success', async (status) => {
    respondWith(status);
    expect(await post()).toMatchObject({
      outcome: 'success',
      statusCode: status,
      details: { responseBody: '', responseTruncated: false },
    });
  });

  it.each([300, 304, 400, 401, 404, 410, 413, 429, 500, 503])('%d is not a success', async (status) => {
    respondWith(status);
    const result = await post();
    expect(result).toMatchObject({ outcome: 'http_error', statusCode: status });
    expect(result.error).toContain(` responded with ${status} (`);
  });
});

it.each([301, 302, 303, 307, 308])('does not follow %d, and reports its target without possible secrets', async (status) => {
  respondWith(status, { location: '/elsewhere?token=abc' });
  const { outcome, statusCode, error, details } = await post();
  expect({ outcome, statusCode }).toEqual({ outcome: 'http_error', statusCode: status });
  expect(error).toContain(`a redirect to ${new URL(receiver.url).origin}/elsewhere. Redirects are not followed`);
  expect(details.responseHeaders).toMatchObject({ location: '/elsewhere?token=[redacted]' });
  expect(receiver.received).toHaveLength(1);
});

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Sat, 21 Nov 2026 12:01:00 GMT', 59_655],
    ['Saturday, 21-Nov-26 12:01:00 GMT', 59_655],
    ['Sat Nov 21 12:01:00 2026', 59_655],
    ['99999999999999999999', 366 * 86_400_000],
    ['-5', undefined],
    ['1.5', undefined],
    ['0x10', undefined],
    ['soon', undefined],
    ['', undefined],
    ['Sat, 21 Nov 2026 11:59:00 GMT', undefined],
    ['Xxx, 99 Yyy 2026 25:61:61 GMT', undefined],
    ['2026-11-21T12:01:00Z', undefined],
  ])('is read as a time or is ignored: “%s”', async (value, expected) => {
    respondWith(429, { 'retry-after': value });
    const result = await post({}, { now: () => nowMs });
    expect(result).toMatchObject({ outcome: 'http_error', statusCode: 429 });
    expect(result.retryAfterMs).toBe(expected);
    expect('retryAfterMs' in result).toBe(expected !== undefined);
  });

  it('uses the first of several, and none of a success', async () => {
    respondWith(503, { 'retry-after': ['3', '9'] });
    expect(await post()).toMatchObject({ retryAfterMs: 3_000 });
    respondWith(200, { 'retry-after': '3' });
    expect(await post()).not.toHaveProperty('retryAfterMs');
  });
});

describe('the record of an attempt', () => {
  it('has the address that was reached and the times: of the connection only if one was opened', async () => {
    const { port } = new URL(receiver.url);
    const url = `http://localhost:${port}/`;
    const first = await post({ url });
    await nextTurn();
    const second = await post({ url });
    for (const { details } of [first, second]) expect(details.address).toBe('127.0.0.1');
    const { dnsMs, connectMs, firstByteMs, totalMs } = first.details.timings;
    for (const ms of [dnsMs, connectMs, firstByteMs, totalMs]) expect(Number.isInteger(ms)).toBe(true);
    expect(Object.keys(second.details.timings)).toEqual(['firstByteMs', 'totalMs']);
    expect(Object.keys((await post()).details.timings)).toEqual(['connectMs', 'firstByteMs', 'totalMs']);
  });

  it('is its own if many share an origin concurrently', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => post()));
    expect(results.filter(({ details }) => details.timings.connectMs === undefined)).toEqual([]);
    await nextTurn();
    const again = await Promise.all(Array.from({ length: 20 }, () => post()));
    expect(again.filter(({ details }) => details.timings.connectMs !== undefined)).toEqual([]);
    expect(new Set([...results, ...again].map(({ details }) => details.address))).toEqual(new Set(['127.0.0.1']));
  });

  it('has only the form of the signatures', async () => {
    const { details } = await post(
      { secrets: both, legacySignatures: true, headers: { 'webhook-replay': 'rpl_1', authorization: 'Basic abc' } },
      { now: () => nowMs },
    );
    expect(details.requestHeaders).toEqual({
      'webhook-replay': 'rpl_1',
      authorization: '[redacted]',
      'content-type': 'application/json',
      'user-agent': 'Rollcall-Webhooks/1',
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(nowMs / 1000)),
      'webhook-signature': 'v1,[redacted] v1,[redacted]',
      'ory-polis-signature': `t=${nowMs},s=[redacted]`,
      'boxyhq-signature': `t=${nowMs},s=[redacted]`,
    });
  });

  it('has no secret of the response', async () => {
    respondWith(401, {
      'set-cookie': ['session=abc; Path=/', 'other=def'],
      'x-api-key': 'abc',
      'x-auth-token': 'abc',
      'www-authenticate': 'Bearer realm="hooks"',
      'x-request-id': '0123456789abcdef0123456789abcdef',
      'x-debug': 'got eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln and sk_live_0123456789',
      link: '<https://example.com/?page=2&access_token=abc>; rel="next"',
      'content-location': 'https://me:abc;@example.com/',
    });
    const { details } = await post();
    expect(details.responseHeaders).toMatchObject({
      'www-authenticate': 'Bearer realm="hooks"',
      'set-cookie': '[redacted]',
      'x-api-key': '[redacted]',
      'x-auth-token': '[redacted]',
      'x-request-id': '0123456789abcdef0123456789abcdef',
      'x-debug': 'got [redacted] and [redacted]',
      link: '<https://example.com/?page=2&access_token=[redacted]>; rel="next"',
      'content-location': 'https://[redacted]@example.com/',
    });
    expect(JSON.stringify(details)).not.toMatch(/abc[;">]|"def/);
  });

  it('has at most 64 headers and 8 KiB of them', async () => {
    respondWith(200, Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'v'])));
    expect(Object.keys((await post()).details.responseHeaders!)).toHaveLength(64);
    respondWith(200, Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`x-${index}`, 'ü'.repeat(2_000)])));
    const { responseHeaders } = (await post()).details;
    expect(Buffer.byteLength(JSON.stringify(responseHeaders))).toBeLessThan(8_192 + 100);
    expect(responseHeaders!['x-0']).toBe(`${'ü'.repeat(1_024)}…`);
  });
});

it('reports immediately that it was stopped by us, and sends nothing if it was stopped before', async () => {
  const stop = new AbortController();
  receiver.respond = () => stop.abort();
  expect(await post({}, { signal: stop.signal })).toMatchObject({ outcome: 'aborted' });
  expect(await post({}, { signal: stop.signal })).toMatchObject({ outcome: 'aborted' });
  expect(receiver.received).toHaveLength(1);
  await agent.close();
  expect(await post()).toMatchObject({ outcome: 'aborted' });
});

describe('a private address', () => {
  it.each(['127.0.0.1', 'localhost', '[::1]', '2130706433', '0x7f.1', '127.1', '[::ffff:127.0.0.1]'])(
    'is not reached as %s, and nothing is sent',
    async (host) => {
      const closed = createGuardedAgent([], 1_000);
      const { port } = new URL(receiver.url);
      const result = await post({ url: `http://${host}:${port}/` }, { dispatcher: closed });
      expect(result).toMatchObject({ outcome: 'blocked', error: expect.stringContaining('WEBHOOK_ALLOWED_NETWORKS') });
      expect(result.details).not.toHaveProperty('address');
      expect(receiver.received).toEqual([]);
      await closed.destroy();
    },
  );
});

it.each([
  ['ftp://example.com/', 'is not an http or https address'],
  ['http://user@example.com/', 'user name'],
  ['http://:pass@example.com/', 'password'],
  ['http://example.com/#part', 'fragment'],
  ['nonsense', 'is invalid'],
])('sends nothing to %s', async (url, reason) => {
  const result = await post({ url });
  expect(result).toMatchObject({ outcome: 'blocked', details: { timings: { totalMs: 0 } } });
  expect(result.error).toContain(reason);
});

it('leaves no timer and no listener behind', async () => {
  const { signal } = new AbortController();
  await post({}, { signal });
  const before = countTimers();
  for (let count = 0; count < 50; count++) await post({}, { signal });
  expect(countTimers()).toBeLessThanOrEqual(before);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

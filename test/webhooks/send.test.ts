import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from 'undici';
import type { Attempt } from '../../src/directory/ports.ts';
import { createGuardedAgent, parseNetworks } from '../../src/webhooks/guard.ts';
import { createSender } from '../../src/webhooks/send.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';

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

const attempt = (url: string): Attempt => ({
  batch: { id: 'msg_1', directoryId: 'd', endpointId: 'e', body: '{"a":1}', toSequence: 1 },
  number: 1,
  failures: 0,
  url,
  secrets: ['secret'],
});
const post = (url = receiver.url, dispatcher = agent, signal = new AbortController().signal) =>
  createSender({ dispatcher })(attempt(url), { signal, timeoutMs: 1_000 });

it('posts the bytes as they are, as JSON, signed, under a name of its own', async () => {
  expect(await post()).toEqual({ outcome: 'success', statusCode: 200 });
  const [{ headers, text }] = receiver.received as [Receiver['received'][0]];
  expect(text).toBe('{"a":1}');
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'msg_1', 'user-agent': 'Rollcall-Webhooks/1' });
  expect(headers['webhook-signature']).toMatch(/^v1,/);
});

describe('takes only 2xx for a success', () => {
  it.each([200, 201, 204, 299])('%d', async (status) => {
    receiver.answer = (response) => void response.writeHead(status).end();
    expect(await post()).toEqual({ outcome: 'success', statusCode: status });
  });

  it.each([300, 304, 400, 404, 410, 429, 500, 503])('not %d', async (status) => {
    receiver.answer = (response) => void response.writeHead(status).end('no');
    expect(await post()).toMatchObject({ outcome: 'http_error', statusCode: status });
  });
});

it('does not follow a redirect', async () => {
  receiver.answer = (response) => void response.writeHead(307, { location: receiver.url }).end();
  expect(await post()).toMatchObject({ outcome: 'http_error', statusCode: 307 });
  expect(receiver.received).toHaveLength(1);
});

describe('ends the whole exchange in time', () => {
  it('when no answer comes', async () => {
    receiver.answer = () => undefined;
    expect(await post()).toMatchObject({ outcome: 'timeout' });
  });

  it('when the body of the answer does not end', async () => {
    receiver.answer = (response) => void response.writeHead(200, { 'content-length': '100' }).write('slow');
    expect(await post()).toMatchObject({ outcome: 'timeout' });
  });
});

it('does not read an endless answer to its end', async () => {
  receiver.answer = (response) => {
    response.writeHead(200);
    const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more));
    more();
  };
  const fromMs = performance.now();
  const { outcome } = await post();
  expect(outcome).toBe('success');
  expect(performance.now() - fromMs).toBeLessThan(900);
});

it('tells a refused connection, a reset and an unknown name apart from an answer', async () => {
  expect(await post('http://127.0.0.1:1/')).toMatchObject({ outcome: 'connect' });
  receiver.answer = (response) => void response.destroy();
  expect(await post()).toMatchObject({ outcome: 'connect' });
  expect(await post('http://nowhere.invalid/')).toMatchObject({ outcome: 'dns' });
});

it('tells that it was stopped by us', async () => {
  const stop = new AbortController();
  receiver.answer = () => stop.abort();
  expect(await post(receiver.url, agent, stop.signal)).toMatchObject({ outcome: 'aborted' });
});

it('reaches no private address: not as a literal, not by name, and nothing is sent', async () => {
  const closed = createGuardedAgent([], 1_000);
  const { port } = new URL(receiver.url);
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433'])
    expect(await post(`http://${host}:${port}/`, closed)).toMatchObject({ outcome: 'blocked' });
  expect(receiver.received).toEqual([]);
  await closed.destroy();
});

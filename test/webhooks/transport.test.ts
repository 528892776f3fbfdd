import { channel } from 'node:diagnostics_channel';
import type { LookupAddress } from 'node:dns';
import type { LookupAll } from '../../src/webhooks/fair-lookup.ts';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Agent } from 'undici';
import { createGuardedAgent, parseNetworks, type GuardWorld } from '../../src/webhooks/guard.ts';
import { createSender } from '../../src/webhooks/send.ts';
import {
  createIdentity,
  startHostileReceiver,
  startTlsReceiver,
  type HostileReceiver,
  type Misbehave,
} from '../support/hostile-receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const endless = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

async function hostile(misbehave: Misbehave): Promise<HostileReceiver> {
  const receiver = await startHostileReceiver(misbehave);
  open.push(receiver);
  return receiver;
}

async function secure(identity = createIdentity()): Promise<HostileReceiver> {
  const receiver = await startTlsReceiver((socket) => void socket.write(ok), identity);
  open.push(receiver);
  return receiver;
}

function agentFor(networks = ['127.0.0.0/8'], world: GuardWorld = {}): Agent {
  const agent = createGuardedAgent(parseNetworks(networks), 5_000, world);
  open.push({ close: () => agent.destroy() });
  return agent;
}

const post = (url: string, { dispatcher = agentFor(), timeoutMs = 5_000, signal = new AbortController().signal } = {}) =>
  createSender({ dispatcher })(
    { id: 'msg_1', url, body: '{"a":1}', secrets: [{ id: 's1', secret: 'secret' }], legacySignatures: false },
    { signal, timeoutMs },
  );

/** A name server that leads every name to what it is told, in turn; the last one stays. */
function namesLeadTo(...answers: string[][]): { lookup: LookupAll; asked: string[] } {
  const asked: string[] = [];
  const stub = (name: string, _options: unknown, callback: (error: null, addresses: LookupAddress[]) => void) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)]!;
    asked.push(name);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { lookup: stub, asked };
}

describe('ends the whole exchange in time', () => {
  const timeoutMs = 300;

  it('when no answer comes', async () => {
    const { url } = await hostile(() => undefined);
    const result = await post(url, { timeoutMs });
    expect(result).toMatchObject({ outcome: 'timeout', exchange: { address: '127.0.0.1' } });
    expect(result.error).toMatch(/took the webhook, but did not answer within 300 ms/);
    expect(result.exchange.timings.totalMs).toBeGreaterThanOrEqual(299);
  });

  it('when the answer drips', async () => {
    const { url } = await hostile((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const drip = setInterval(() => socket.write('.'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    const result = await post(url, { timeoutMs });
    expect(result).toMatchObject({ outcome: 'timeout', statusCode: 200, exchange: { responseTruncated: true } });
    expect(result.exchange.responseBody).toMatch(/^\.+$/);
    expect(result.exchange.timings.totalMs).toBeLessThan(2_000);
  });

  it('when its headers do not end', async () => {
    const { url } = await hostile((socket) => void socket.write('HTTP/1.1 200 OK\r\nx-slow: '));
    expect(await post(url, { timeoutMs })).toMatchObject({ outcome: 'timeout' });
  });

  it('when nothing but interim answers come', async () => {
    const { url } = await hostile((socket) => void socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'));
    const result = await post(url, { timeoutMs });
    expect(result).toMatchObject({ outcome: 'timeout' });
    expect(result).not.toHaveProperty('statusCode');
  });

  it('when the name server does not answer, and nothing is sent to what it says too late', async () => {
    const receiver = await hostile((socket) => void socket.end(ok));
    let answerLate: (() => void) | undefined;
    const late = ((_name: string, _options: unknown, callback: (error: null, addresses: LookupAddress[]) => void) => {
      answerLate = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    }) as unknown as LookupAll;
    const dispatcher = agentFor(undefined, { lookup: late });
    const url = receiver.url.replace('127.0.0.1', 'late.example');
    const result = await post(url, { dispatcher, timeoutMs });
    expect(result).toMatchObject({
      outcome: 'timeout',
      error: expect.stringMatching(/^No connection to late\.example:\d+ was made within 300 ms/),
    });
    expect(result.exchange).not.toHaveProperty('address');
    answerLate!();
    await until(() => receiver.connections === 1);
    await dispatcher.close();
    expect(receiver.requests).toEqual([]);
  });

  it('but a refusal is one, whatever becomes of its body', async () => {
    const { url } = await hostile((socket) => void socket.write('HTTP/1.1 410 Gone\r\ncontent-length: 9\r\n\r\nbye'));
    expect(await post(url, { timeoutMs })).toMatchObject({
      outcome: 'http_error',
      statusCode: 410,
      exchange: { responseBody: 'bye', responseTruncated: true },
    });
  });
});

it('stops at once when the worker does, even while it connects', async () => {
  const never = (() => undefined) as unknown as LookupAll;
  const stop = new AbortController();
  const sent = post('http://never.example/', { dispatcher: agentFor(undefined, { lookup: never }), signal: stop.signal });
  stop.abort();
  expect(await sent).toMatchObject({ outcome: 'aborted' });
});

describe('reads an answer no further than 16 KiB', () => {
  it('when it does not end, and hangs up', async () => {
    let hungUp = false;
    const { url } = await hostile((socket) => {
      socket.on('close', () => (hungUp = true));
      socket.write(endless);
      const more = () => void (socket.destroyed || socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`, more));
      more();
    });
    const { outcome, statusCode, exchange } = await post(url);
    expect({ outcome, statusCode }).toEqual({ outcome: 'success', statusCode: 200 });
    expect(exchange.responseBody === 'x'.repeat(16_384)).toBe(true);
    expect(exchange.responseTruncated).toBe(true);
    await until(() => hungUp);
  });

  it.each(['keep-alive', 'close'])('when it comes at once (connection: %s)', async (connection) => {
    const body = 'y'.repeat(40_000);
    const { url } = await hostile(
      (socket) => void socket.end(`HTTP/1.1 200 OK\r\nconnection: ${connection}\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    );
    const { outcome, exchange } = await post(url);
    expect(outcome).toBe('success');
    expect(exchange.responseBody === 'y'.repeat(16_384)).toBe(true);
    expect(exchange.responseTruncated).toBe(true);
  });

  it('but so far', async () => {
    const { url } = await hostile((socket) => void socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 16384\r\n\r\n${'z'.repeat(16_384)}`));
    const { exchange } = await post(url);
    expect(exchange.responseBody === 'z'.repeat(16_384)).toBe(true);
    expect(exchange.responseTruncated).toBe(false);
  });

  it('and unpacks nothing: a bomb stays as small as it came', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    expect(bomb.length).toBeLessThan(16_384);
    const { url } = await hostile((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    });
    const { outcome, exchange } = await post(url);
    expect(outcome).toBe('success');
    expect(exchange.responseTruncated).toBe(false);
    expect(exchange.responseBody!.length).toBeLessThanOrEqual(bomb.length);
  });

  it('as text that Postgres keeps: no NUL, no broken character, none cut in half', async () => {
    const bodies = [Buffer.from('a\0b'), Buffer.from([0x61, 0xff, 0xc3, 0x28]), Buffer.from(`${'x'.repeat(16_383)}€€`)];
    const { url } = await hostile((socket, count) => {
      const body = bodies[count - 1]!;
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    const texts = [];
    for (const _ of bodies) texts.push((await post(url)).exchange.responseBody);
    expect(texts.slice(0, 2)).toEqual(['a\uFFFDb', 'a\uFFFD\uFFFD(']);
    expect(texts[2] === 'x'.repeat(16_383)).toBe(true);
  });
});

describe('says what went wrong with a connection', () => {
  it.each([
    ['is reset before the answer', '', 'connect', /closed the connection without an answer/],
    ['ends within the headers', 'HTTP/1.1 200 OK\r\nx-a: ', 'connect', /closed the connection without an answer/],
    [
      'ends within the body',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab',
      'connect',
      /closed the connection before its answer was complete/,
    ],
    ['ends within a chunk', `${endless}5\r\nab`, 'connect', /closed the connection before its answer was complete/],
    [
      'ends within a chunk of its last answer',
      endless.replace('\r\n', '\r\nconnection: close\r\n') + '5\r\nab',
      'connect',
      /before its answer was complete/,
    ],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.6\r\n', 'http_error', /is not HTTP\/1\.1/],
    ['breaks its chunks', `${endless}zz\r\n`, 'http_error', /is not HTTP\/1\.1/],
    ['has headers without end', `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(20_000)}`, 'http_error', /headers .* too long/],
    ['has NUL in a header', 'HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 0\r\n\r\n', 'http_error', /is not HTTP\/1\.1/],
    [
      'wants an upgrade',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'connect',
      /closed the connection/,
    ],
  ])('that %s', async (_, bytes, outcome, error) => {
    const { url } = await hostile((socket) => {
      if (bytes === '') socket.resetAndDestroy();
      else socket.end(bytes, 'latin1');
    });
    expect(await post(url)).toMatchObject({ outcome, error: expect.stringMatching(error) });
  });

  it('that nobody takes', async () => {
    const receiver = await startHostileReceiver(() => undefined);
    await receiver.close();
    const result = await post(receiver.url);
    expect(result).toMatchObject({ outcome: 'connect', error: expect.stringContaining('refused the connection') });
    expect(result.exchange).not.toHaveProperty('address');
    const dispatcher = agentFor(['127.0.0.0/8', '::1/128'], namesLeadTo(['127.0.0.1', '::1']));
    const byName = await post(receiver.url.replace('127.0.0.1', 'both.example'), { dispatcher });
    expect(byName).toMatchObject({ outcome: 'connect', error: expect.stringContaining('refused the connection') });
  });

  it.each([
    ['ENOTFOUND', /is not known to the name servers/],
    ['EAI_AGAIN', /gave no answer for/],
  ])('that the name server has none for (%s)', async (code, error) => {
    const failing = ((_name: string, _options: unknown, callback: (error: Error) => void) =>
      callback(Object.assign(new Error(code), { code }))) as unknown as LookupAll;
    const result = await post('http://hooks.example/', { dispatcher: agentFor(undefined, { lookup: failing }) });
    expect(result).toMatchObject({ outcome: 'dns', error: expect.stringMatching(error) });
  });

  it('that has no such name', async () => {
    expect(await post('http://nowhere.invalid/')).toMatchObject({ outcome: 'dns' });
  });
});

describe('over TLS', () => {
  it('delivers to a certificate that is trusted, by name', async () => {
    const identity = createIdentity();
    const { url } = await secure(identity);
    const result = await post(url, { dispatcher: agentFor(['127.0.0.0/8', '::1/128'], { ca: identity.cert }) });
    expect(result).toMatchObject({ outcome: 'success', exchange: { address: '127.0.0.1', responseBody: 'ok' } });
    expect(Object.keys(result.exchange.timings)).toEqual(['dnsMs', 'connectMs', 'firstByteMs', 'totalMs']);
  });

  it.each([
    ['is by itself', createIdentity(), undefined, /self-signed/],
    ['is for another name', createIdentity(2049, 'other.example'), 'trusted', /is for another name/],
    ['is over', createIdentity(2021), 'trusted', /has expired/],
  ])('sends nothing where the certificate %s', async (_, identity, trusted, error) => {
    const receiver = await secure(identity);
    const dispatcher = agentFor(['127.0.0.0/8', '::1/128'], trusted ? { ca: identity.cert } : {});
    expect(await post(receiver.url, { dispatcher })).toMatchObject({ outcome: 'tls', error: expect.stringMatching(error) });
    expect(receiver.requests).toEqual([]);
  });

  it('tells https from http', async () => {
    const plain = await startReceiver();
    open.push(plain);
    const asSecure = await post(plain.url.replace('http:', 'https:'));
    expect(asSecure).toMatchObject({ outcome: 'tls', error: expect.stringContaining('does not speak TLS') });
    const receiver = await secure();
    const asPlain = await post(receiver.url.replace('https:', 'http:'), { dispatcher: agentFor(['127.0.0.0/8', '::1/128']) });
    expect(asPlain.outcome).toMatch(/^(http_error|connect)$/);
    expect(receiver.requests).toEqual([]);
  });
});

describe('goes only where it may, whatever a name server says', () => {
  it('when a name leads elsewhere at the next connection (rebinding)', async () => {
    const receiver = await hostile((socket) => void socket.end(ok.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')));
    const names = namesLeadTo(['127.0.0.1'], ['127.0.0.2']);
    const dispatcher = agentFor(['127.0.0.1/32'], names);
    const url = receiver.url.replace('127.0.0.1', 'rebinding.example');
    expect(await post(url, { dispatcher })).toMatchObject({ outcome: 'success', exchange: { address: '127.0.0.1' } });
    const second = await post(url, { dispatcher });
    expect(second).toMatchObject({
      outcome: 'blocked',
      error: expect.stringContaining('rebinding.example (127.0.0.2) is not a public address'),
    });
    expect(names.asked).toHaveLength(2);
    expect(receiver.requests).toHaveLength(1);
  });

  it('when a name leads to several: only to those that are allowed', async () => {
    const receiver = await hostile((socket) => void socket.end(ok));
    const dispatcher = agentFor(['127.0.0.1/32'], namesLeadTo(['127.0.0.2', '::1', '127.0.0.1', '10.0.0.1']));
    const url = receiver.url.replace('127.0.0.1', 'several.example');
    expect(await post(url, { dispatcher })).toMatchObject({ outcome: 'success', exchange: { address: '127.0.0.1' } });
  });

  it.each(['10.1.2.3', '169.254.169.254', '::ffff:7f00:1', '64:ff9b::7f00:1', 'fd00::1'])('when a name leads to %s', async (address) => {
    const dispatcher = agentFor([], namesLeadTo([address]));
    for (const host of ['service', 'hooks.example', 'localhost'])
      expect(await post(`http://${host}/`, { dispatcher })).toMatchObject({ outcome: 'blocked' });
  });

  it('when a name leads nowhere at all', async () => {
    expect(await post('http://empty.example/', { dispatcher: agentFor([], namesLeadTo([])) })).toMatchObject({ outcome: 'blocked' });
  });

  it('with names of one label, too, when where they lead is allowed', async () => {
    const { url } = await hostile((socket) => void socket.end(ok));
    const dispatcher = agentFor(['127.0.0.0/8'], namesLeadTo(['127.0.0.1']));
    expect(await post(url.replace('127.0.0.1', 'receiver'), { dispatcher })).toMatchObject({ outcome: 'success' });
    expect(await post(url.replace('127.0.0.1', 'localhost'))).toMatchObject({ outcome: 'success' });
  });

  it('when the peer is another than was asked for', async () => {
    const receiver = await hostile((socket) => void socket.end(ok));
    // The address of all interfaces leads to loopback.
    const result = await post(receiver.url.replace('127.0.0.1', '0.0.0.0'), { dispatcher: agentFor(['0.0.0.0/32']) });
    expect(result).toMatchObject({ outcome: 'blocked', error: expect.stringContaining('127.0.0.1 is not a public address') });
    await until(() => receiver.connections === 1);
    expect(receiver.requests).toEqual([]);
  });
});

it('is not misled by what others in the process send', async () => {
  const { url } = await hostile((socket) => {
    channel('undici:client:sendHeaders').publish({ socket: { remoteAddress: '8.8.8.8' } });
    socket.write(ok);
  });
  expect(await post(url)).toMatchObject({ outcome: 'success', exchange: { address: '127.0.0.1' } });
});

it('goes on over a new connection after the receiver has closed the old', async () => {
  const receiver = await hostile((socket) => void socket.end(ok));
  const dispatcher = agentFor();
  for (let count = 1; count <= 5; count++) expect(await post(receiver.url, { dispatcher })).toMatchObject({ outcome: 'success' });
  expect(receiver.requests).toHaveLength(5);
});

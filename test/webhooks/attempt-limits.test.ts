import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { LookupAll } from '../../src/webhooks/fair-lookup.ts';
import { agentFor, closeLater, closeOpened, endless, hostile, ok, post } from '../support/webhook-attempts.ts';
import { createIdentity, startTlsReceiver } from '../support/hostile-receiver.ts';
import { until } from '../support/until.ts';

afterEach(closeOpened);

describe('the time of an attempt', () => {
  const timeoutMs = 1_000;

  it('ends when there is no response', async () => {
    const { url } = await hostile(() => undefined);
    const result = await post(url, { timeoutMs });
    expect(result).toMatchObject({ outcome: 'timeout', details: { address: '127.0.0.1' } });
    expect(result.details.timings.totalMs).toBeGreaterThanOrEqual(timeoutMs - 1);
  });

  it('ends when the response drips', async () => {
    const { url } = await hostile((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const drip = setInterval(() => socket.write('.'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    const result = await post(url, { timeoutMs });
    expect(result).toMatchObject({ outcome: 'timeout', statusCode: 200, details: { responseTruncated: true } });
    expect(result.details.responseBody).toMatch(/^\.+$/);
    expect(result.details.timings.totalMs).toBeLessThan(10_000);
  });

  it('ends when headers do not end', async () => {
    const { url } = await hostile((socket) => void socket.write('HTTP/1.1 200 OK\r\nx-slow: '));
    expect(await post(url, { timeoutMs })).toMatchObject({ outcome: 'timeout' });
  });

  it('ends when there are only interim responses', async () => {
    const { url } = await hostile((socket) => void socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'));
    const result = await post(url, { timeoutMs });
    expect(result).toMatchObject({ outcome: 'timeout' });
    expect(result).not.toHaveProperty('statusCode');
  });

  it('ends early when interim responses do not end: the connection is closed after sixteen', async () => {
    let hungUp = false;
    const { url } = await hostile((socket) => {
      socket.on('close', () => (hungUp = true));
      const more = () => void (socket.destroyed || socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100), more));
      more();
    });
    const result = await post(url, { timeoutMs: 60_000 });
    expect(result).toMatchObject({ outcome: 'http_error', error: expect.stringContaining('1xx') });
    expect(result).not.toHaveProperty('statusCode');
    await until(() => hungUp);
  });

  it('does not end early when sixteen interim responses precede the response', async () => {
    const { url } = await hostile((socket) => void socket.end('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(16) + ok));
    expect(await post(url, { timeoutMs: 60_000 })).toMatchObject({ outcome: 'success', statusCode: 200 });
  });

  it('ends when the name server does not respond, and nothing is sent to its late response', async () => {
    const receiver = await hostile((socket) => void socket.end(ok));
    let respondLate: (() => void) | undefined;
    const late = ((_name: string, _options: unknown, callback: (error: null, addresses: LookupAddress[]) => void) => {
      respondLate = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    }) as unknown as LookupAll;
    const dispatcher = agentFor(undefined, { lookup: late });
    const url = receiver.url.replace('127.0.0.1', 'late.example');
    const result = await post(url, { dispatcher, timeoutMs });
    expect(result).toMatchObject({
      outcome: 'timeout',
      error: expect.stringContaining('late.example'),
    });
    expect(result.details).not.toHaveProperty('address');
    respondLate!();
    await until(() => receiver.connections === 1);
    await dispatcher.close();
    expect(receiver.requests).toEqual([]);
  });

  it('does not matter for an error status, which counts whatever its body does', async () => {
    const { url } = await hostile((socket) => void socket.write('HTTP/1.1 410 Gone\r\ncontent-length: 9\r\n\r\nbye'));
    expect(await post(url, { timeoutMs })).toMatchObject({
      outcome: 'http_error',
      statusCode: 410,
      details: { responseBody: 'bye', responseTruncated: true },
    });
  });
});

it('stops immediately when the worker does, even while it connects', async () => {
  const never = (() => undefined) as unknown as LookupAll;
  const stop = new AbortController();
  const sent = post('http://never.example/', { dispatcher: agentFor(undefined, { lookup: never }), signal: stop.signal });
  stop.abort();
  expect(await sent).toMatchObject({ outcome: 'aborted' });
});

describe('the limit of half a megabyte per attempt', () => {
  const large = 'a'.repeat(65_536);
  it.each([
    ['the words of the status line do', 'HTTP/1.1 200 '],
    ['lines before the status line do', '', '\r\n'.repeat(32_768)],
  ])('closes the connection when %s not end', async (_, start, more = large) => {
    let sent = 0;
    let hungUp = false;
    const { url } = await hostile((socket) => {
      socket.on('close', () => (hungUp = true));
      socket.write(start);
      const write = () => void (socket.destroyed || socket.write(more, () => ((sent += more.length), write())));
      write();
    });
    const result = await post(url, { timeoutMs: 60_000 });
    expect(result).toMatchObject({ outcome: 'http_error', error: expect.stringContaining('512 KiB') });
    await until(() => hungUp);
    // What both systems keep of a connection counts here as well.
    expect(sent).toBeLessThan(20_000_000);
  });

  it('closes the connection when the extension of a chunk does not end, over TLS as well', async () => {
    const identity = createIdentity();
    let hungUp = false;
    const flood = (socket: Socket) => {
      socket.on('close', () => (hungUp = true));
      socket.write(`${endless}1;`);
      const write = () => void (socket.destroyed || socket.write(large, write));
      write();
    };
    const { url } = closeLater(await startTlsReceiver(flood, identity));
    const dispatcher = agentFor(['127.0.0.0/8', '::1/128'], { ca: identity.cert });
    const result = await post(url, { dispatcher, timeoutMs: 60_000 });
    expect(result.details.responseTruncated).toBe(true);
    await until(() => hungUp);
  });

  it.each([
    ['TCP', () => hostile(respondWithExtension), () => agentFor()],
    [
      'TLS',
      async () => closeLater(await startTlsReceiver(respondWithExtension, identity)),
      () => agentFor(undefined, { ca: identity.cert }),
    ],
  ])('is 512 KiB over %s', async (_protocol, start, open) => {
    const { url } = await start();
    const dispatcher = open();
    const { pathname, origin } = new URL(url);
    const read = async (kib: number) => (await post(`${origin}${pathname}?kib=${kib}`, { dispatcher, timeoutMs: 60_000 })).details;
    expect(await read(511)).toMatchObject({ responseBody: 'x', responseTruncated: false });
    expect(await read(513)).toMatchObject({ responseBody: '', responseTruncated: true });
  });

  it('closes the connection when TLS session tickets do not end', async () => {
    const identity = createIdentity();
    const { url } = closeLater(await startTlsReceiver(() => undefined, identity));
    subscribe('undici:client:sendHeaders', emitTickets);
    try {
      const result = await post(url, { dispatcher: agentFor(['127.0.0.0/8', '::1/128'], { ca: identity.cert }), timeoutMs: 10_000 });
      expect(result).toMatchObject({ outcome: 'http_error', error: expect.stringContaining('512 KiB') });
    } finally {
      unsubscribe('undici:client:sendHeaders', emitTickets);
    }
  });

  it('includes what surrounds the data in TLS, such as records of one byte', async () => {
    const identity = createIdentity();
    const { url } = closeLater(await startTlsReceiver((socket) => void dripBytes(socket), identity));
    const dispatcher = agentFor(['127.0.0.0/8', '::1/128'], { ca: identity.cert });
    const result = await post(url, { dispatcher, timeoutMs: 60_000 });
    expect(result.details.responseTruncated).toBe(true);
    // Each byte has 22 bytes around it, and all together have 192 KiB.
    const bytes = result.details.responseBody!.length;
    expect((22 * bytes) / 1_024).toBeGreaterThan(180);
    expect((22 * bytes) / 1_024).toBeLessThanOrEqual(192);
  });

  it('starts again with the next attempt on the same connection', async () => {
    const receiver = await hostile((socket) => void socket.write(`HTTP/1.1 200 ${large.slice(0, 60_000)}\r\ncontent-length: 0\r\n\r\n`));
    const dispatcher = agentFor();
    for (let count = 1; count <= 20; count += 1) expect(await post(receiver.url, { dispatcher })).toMatchObject({ outcome: 'success' });
    // undici opens a second one after its first.
    expect(receiver.connections).toBeLessThanOrEqual(2);
  });
});

describe('the limit of 16 KiB of a response', () => {
  it('closes the connection when the response does not end', async () => {
    let hungUp = false;
    const { url } = await hostile((socket) => {
      socket.on('close', () => (hungUp = true));
      socket.write(endless);
      const more = () => void (socket.destroyed || socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`, more));
      more();
    });
    const { outcome, statusCode, details } = await post(url);
    expect({ outcome, statusCode }).toEqual({ outcome: 'success', statusCode: 200 });
    expect(details.responseBody === 'x'.repeat(16_384)).toBe(true);
    expect(details.responseTruncated).toBe(true);
    await until(() => hungUp);
  });

  it.each(['keep-alive', 'close'])('cuts a response that comes in one piece (connection: %s)', async (connection) => {
    const body = 'y'.repeat(40_000);
    const { url } = await hostile(
      (socket) => void socket.end(`HTTP/1.1 200 OK\r\nconnection: ${connection}\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    );
    const { outcome, details } = await post(url);
    expect(outcome).toBe('success');
    expect(details.responseBody === 'y'.repeat(16_384)).toBe(true);
    expect(details.responseTruncated).toBe(true);
  });

  it('keeps a response up to that size', async () => {
    const { url } = await hostile((socket) => void socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 16384\r\n\r\n${'z'.repeat(16_384)}`));
    const { details } = await post(url);
    expect(details.responseBody === 'z'.repeat(16_384)).toBe(true);
    expect(details.responseTruncated).toBe(false);
  });

  it('applies to the compressed bytes: a bomb stays small', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    expect(bomb.length).toBeLessThan(16_384);
    const { url } = await hostile((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    });
    const { outcome, details } = await post(url);
    expect(outcome).toBe('success');
    expect(details.responseTruncated).toBe(false);
    expect(details.responseBody!.length).toBeLessThanOrEqual(bomb.length);
  });

  it('leaves text that Postgres stores: no NUL, no broken character, none cut in half', async () => {
    const bodies = [Buffer.from('a\0b'), Buffer.from([0x61, 0xff, 0xc3, 0x28]), Buffer.from(`${'x'.repeat(16_383)}€€`)];
    const { url } = await hostile((socket, count) => {
      const body = bodies[count - 1]!;
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    const texts = [];
    for (const _ of bodies) texts.push((await post(url)).details.responseBody);
    expect(texts.slice(0, 2)).toEqual(['a\uFFFDb', 'a\uFFFD\uFFFD(']);
    expect(texts[2] === 'x'.repeat(16_383)).toBe(true);
  });
});

const identity = createIdentity();

/** Responds with a body of one byte, in a chunk whose extension has as many KiB as the request asks for. */
function respondWithExtension(socket: Socket, _count: number, request: string): void {
  const kib = Number(/kib=(\d+)/.exec(request)![1]);
  socket.write(`${endless}1;${'a'.repeat(kib * 1_024)}\r\nx\r\n0\r\n\r\n`);
}

/** Emits the tickets on the client's socket, since Node's server cannot send so many. */
function emitTickets(message: unknown): void {
  setImmediate(() => {
    for (let count = 0; count < 40; count += 1) (message as { socket: Socket }).socket.emit('session', Buffer.alloc(100));
  });
}

async function dripBytes(socket: Socket): Promise<void> {
  socket.write('HTTP/1.1 200 OK\r\ncontent-length: 15000\r\n\r\n');
  for (let count = 0; count < 15_000 && !socket.destroyed; count += 1) await new Promise((resolve) => socket.write('.', resolve));
}

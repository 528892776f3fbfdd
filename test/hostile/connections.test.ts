import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listen, type ListenOptions, type Listening } from '../../src/http/server/listen.ts';
import { allowSlowReader, defaultConnectionLimits } from '../../src/http/server/connections/connection-limits.ts';
import { until } from '../support/until.ts';

const shortly = {
  headersTimeoutMs: 300,
  requestTimeoutMs: 600,
  keepAliveTimeoutMs: 300,
  checkEveryMs: 30,
  responseTimeoutMs: 300,
  responseBytesPerSecond: 2 ** 30,
};

let server: Listening | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close(0);
  server = undefined;
});

const respondOk: RequestListener = (request, response) => {
  request.resume();
  request.once('end', () => response.end('ok'));
};

const start = async (handler: RequestListener = respondOk, options: Partial<ListenOptions> = {}) =>
  (server = await listen(handler, { host: '127.0.0.1', port: 0, maxConnections: 50, limits: shortly, ...options }));

async function open() {
  const socket = connect({ host: '127.0.0.1', port: server!.port });
  sockets.push(socket);
  const seen = { text: '', isClosed: false };
  socket.on('data', (chunk: Buffer) => (seen.text += chunk.toString()));
  socket.on('error', () => undefined);
  socket.on('close', () => (seen.isClosed = true));
  await once(socket, 'connect');
  return { socket, seen, closed: () => until(() => seen.isClosed) };
}

/** Sends one piece after the other while the connection is open. */
async function drip(socket: Socket, seen: { isClosed: boolean }, piece: string) {
  while (!seen.isClosed) {
    socket.write(piece);
    await delay(20);
  }
}

const post = (number: number) => `POST /${number} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nbody${number}`;
const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const count = (text: string, part: RegExp) => text.match(part)?.length ?? 0;

it('checks its timeouts every second by default, so that the documented ten seconds for headers hold', () => {
  expect(defaultConnectionLimits).toMatchObject({ headersTimeoutMs: 10_000, requestTimeoutMs: 30_000, checkEveryMs: 1_000 });
});

describe('connection', () => {
  it.each([
    ['that sends nothing', ''],
    ['that sends its head byte by byte', 'X'],
  ])('%s is closed after the timeout for headers', async (_title, piece) => {
    await start();
    const startedMs = performance.now();
    const { socket, seen, closed } = await open();
    if (piece !== '') {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
      void drip(socket, seen, piece);
    }
    await closed();
    expect(seen.text).toMatch(/^HTTP\/1\.1 408 /);
    expect(performance.now() - startedMs).toBeGreaterThan(250);
  });

  it('that sends its body byte by byte is closed after the timeout for requests', async () => {
    let isAborted = false;
    await start((request: IncomingMessage) => {
      request.on('error', () => undefined);
      request.once('close', () => (isAborted = !request.complete));
      request.resume();
    });
    const { socket, seen, closed } = await open();
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
    void drip(socket, seen, 'x');
    await closed();
    expect(seen.text).toMatch(/^HTTP\/1\.1 408 /);
    await until(() => isAborted);
  });

  it('that does not read its response is closed, and one that reads slowly but enough is not', async () => {
    const bytes = 16 * 2 ** 20;
    let closed = 0;
    const respondWithLargeBody: RequestListener = (_request, response) => {
      response.once('close', () => (closed += 1));
      response.end(Buffer.alloc(bytes, 'x'));
    };
    await start(respondWithLargeBody);
    const deaf = await open();
    deaf.socket.pause();
    deaf.socket.write(get);
    await until(() => closed === 1);
    deaf.socket.resume();
    await deaf.closed();
    expect(deaf.seen.text.length).toBeLessThan(bytes);
    await server!.close(0);

    const readSlowly = async () => {
      const slow = await open();
      slow.socket.write(get);
      let read = 0;
      slow.socket.on('data', (chunk: Buffer) => {
        read += chunk.length;
        slow.socket.pause();
        setTimeout(() => slow.socket.resume(), 5);
      });
      await until(() => read > bytes, { timeoutMs: 60_000 });
    };
    await start(respondWithLargeBody, { limits: { ...shortly, responseBytesPerSecond: 2 ** 18 } });
    await readSlowly();
    await server!.close(0);

    // An operation may allow less for its response.
    await start((request, response) => {
      allowSlowReader(response, 2 ** 18);
      respondWithLargeBody(request, response);
    });
    await readSlowly();
  });

  it('that is idle between requests is closed, and so is one after many requests', async () => {
    await start();
    const idle = await open();
    idle.socket.write(get);
    await idle.closed();
    expect(count(idle.seen.text, /HTTP\/1\.1 200/g)).toBe(1);
    await server!.close(0);

    await start(respondOk, { limits: { ...shortly, keepAliveTimeoutMs: 2_000, maxRequestsPerConnection: 3 } });
    const busy = await open();
    for (let number = 1; number <= 3; number += 1) {
      busy.socket.write(get);
      await until(() => count(busy.seen.text, /HTTP\/1\.1 200/g) === number);
    }
    await busy.closed();
    expect(busy.seen.text).toMatch(/Connection: close/);
  });

  it('with more than 200 header fields gets an error', async () => {
    await start();
    const { socket, seen, closed } = await open();
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(200)}\r\n`);
    await closed();
    expect(seen.text).toMatch(/^HTTP\/1\.1 431 /);
    const fine = await open();
    fine.socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(199)}\r\n`);
    await until(() => fine.seen.text.startsWith('HTTP/1.1 200'));
  });
});

describe('pipelined requests', () => {
  it('are started one by one, and get their responses in order, including bodies', async () => {
    let inProgress = 0;
    let most = 0;
    const bodies: string[] = [];
    const respondLater: RequestListener = (request, response) => {
      inProgress += 1;
      most = Math.max(most, inProgress);
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.once('end', () => {
        // After all requests that have arrived with this one.
        setImmediate(() => {
          bodies.push(body);
          inProgress -= 1;
          response.end(request.url);
        });
      });
    };
    await start(respondLater, { limits: defaultConnectionLimits });
    const { socket, seen } = await open();
    socket.write(`${post(1)}${post(2)}${post(3).slice(0, -2)}`);
    await until(() => seen.text.includes('/2'));
    socket.write(`${post(3).slice(-2)}${post(4)}`);
    await until(() => count(seen.text, /HTTP\/1\.1 200/g) === 4);
    expect([most, bodies, [...seen.text.matchAll(/\/\d$|\/\d(?=HTTP)/gm)].map(([path]) => path)]).toEqual([
      1,
      ['body1', 'body2', 'body3', 'body4'],
      ['/1', '/2', '/3', '/4'],
    ]);
  });

  it('end the connection if there are too many, and requests that were not started are dropped', async () => {
    let begun = 0;
    let ended = 0;
    await start((_request, response) => {
      begun += 1;
      response.once('close', () => (ended += 1));
    });
    const { socket, closed } = await open();
    socket.write(get);
    await until(() => begun === 1);
    socket.write(get.repeat(1_000));
    await closed();
    await until(() => ended === 1);
    expect(begun).toBe(1);
  });
});

/** Opens seven hundred connections, and returns how long it took until all were connected. */
async function connectAll(): Promise<number> {
  await start(respondOk, { maxConnections: 2_000 });
  let connected = 0;
  const startedMs = performance.now();
  for (let index = 0; index < 700; index += 1) {
    const socket = connect({ host: '127.0.0.1', port: server!.port });
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('connect', () => (connected += 1));
  }
  await until(() => connected === 700, { everyMs: 5 });
  const tookMs = performance.now() - startedMs;
  for (const socket of sockets.splice(0)) socket.destroy();
  await server!.close(0);
  server = undefined;
  return tookMs;
}

describe('connections', () => {
  it('are all accepted when seven hundred arrive concurrently, without a retry', async () => {
    // Without a place, the next attempt is at least a second later, in each try. A busy machine is not that slow in all of them.
    const tries: number[] = [];
    while (tries.length < 10 && Math.min(...tries) > 900) tries.push(await connectAll());
    expect(Math.min(...tries)).toBeLessThan(900);
  });

  it('of one source are at most half of all, so that others still get in, and the rest is logged once', async () => {
    const lines: object[] = [];
    await start(respondOk, {
      maxConnections: 8,
      limits: { ...shortly, headersTimeoutMs: 5_000, requestTimeoutMs: 5_000 },
      log: { warn: (line: object, _message?: string) => void lines.push(line) },
    });
    const opened = await Promise.all(Array.from({ length: 20 }, open));
    await until(() => opened.filter(({ seen }) => seen.isClosed).length === 16);
    expect(lines).toEqual([{ source: '127.0.0.1', connections: 1, maxConnections: 8, perSource: 4 }]);
    const other = connect({ host: '127.0.0.1', port: server!.port, localAddress: '127.0.0.2' });
    sockets.push(other);
    other.write(get);
    const [chunk] = (await once(other, 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 200/);
    for (const { socket } of opened) socket.destroy();
    await until(async () => {
      const { socket, seen } = await open();
      socket.write(get);
      return until(() => seen.text.startsWith('HTTP/1.1 200'), { timeoutMs: 1_000 });
    });
  });

  it('of a trusted proxy may use the whole limit', async () => {
    await start(respondOk, { maxConnections: 8, isTrustedProxy: (address) => address === '127.0.0.1', limits: defaultConnectionLimits });
    const opened = await Promise.all(Array.from({ length: 12 }, open));
    await until(() => opened.filter(({ seen }) => seen.isClosed).length === 4);
  });
});

import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import Koa from 'koa';
import type { AppError } from '../../src/errors.ts';
import { listen } from '../../src/http/server/listen.ts';
import { readJson } from '../../src/http/server/body/read-json.ts';
import { until } from '../support/until.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function start(handler: RequestListener): Promise<number> {
  const server = await listen(handler, { host: '127.0.0.1', port: 0, maxConnections: 100 });
  closers.push(() => server.close(0));
  return server.port;
}

const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunks = (count: number) => '1\r\n \r\n'.repeat(count);

/** Everything that is received until the service closes the connection. `more` is sent after the first response. */
async function exchange(port: number, text: string, more = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  closers.push(() => socket.destroy());
  let response = '';
  socket.on('data', (data) => (response += data.toString())).on('error', () => undefined);
  socket.once('data', () => socket.write(more));
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return response;
}

const statuses = (response: string) => [...response.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));

it('rejects a body with too many small chunks, and closes the connection', async () => {
  const app = new Koa();
  app.use(async (ctx) => {
    try {
      ctx.body = await readJson(ctx, { maxBytes: 10_000_000, maxValues: 1_000 });
    } catch (error) {
      ctx.status = 400;
      ctx.body = (error as AppError).message;
    }
  });
  const port = await start(app.callback());
  const response = await exchange(port, head + chunks(5_000));
  expect(statuses(response)).toEqual([400]);
  expect(response).toContain('small chunks');
});

it.each([
  ['before', 5_000, 0],
  ['after', 500, 5_000],
])('also closes the connection if the chunks of an unread request arrive %s the response', async (_title, before, after) => {
  const port = await start((_request, response) => response.end('{}'));
  expect(statuses(await exchange(port, head + chunks(before), chunks(after)))).toEqual([200]);
});

it('counts the chunks of a pipelined request too', async () => {
  let requests = 0;
  let received = 0;
  const port = await start((request, response) => {
    requests += 1;
    if (requests === 1) return setImmediate(() => response.end());
    request.on('data', () => (received += 1));
    return setImmediate(() => response.end());
  });
  expect(statuses(await exchange(port, `GET / HTTP/1.1\r\nHost: x\r\n\r\n${head}${chunks(20_000)}`))).toEqual([200, 200]);
  // A thousand, one for each 64 bytes, and one or two for requests that are parsed in pieces.
  expect(received).toBe(1_016);
});

it('accepts any number of chunks of 64 bytes', async () => {
  let received = 0;
  const port = await start((request, response) => {
    request.on('data', (chunk: Buffer) => (received += chunk.length)).on('end', () => response.setHeader('Connection', 'close').end());
  });
  const body = `40\r\n${'x'.repeat(64)}\r\n`.repeat(100_000);
  expect(statuses(await exchange(port, `${head}${body}0\r\n\r\n`))).toEqual([200]);
  expect(received).toBe(64 * 100_000);
});

it('discards an unread body up to a limit, and then closes the connection', async () => {
  let socket: Socket | undefined;
  const port = await start((request, response) => {
    ({ socket } = request);
    response.end('{}');
  });
  const framing = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n';
  expect(statuses(await exchange(port, framing, 'x'.repeat(100_000_000)))).toEqual([200]);
  await until(() => socket!.destroyed);
  const readMib = socket!.bytesRead / 1024 / 1024;
  expect(readMib).toBeGreaterThan(32);
  expect(readMib).toBeLessThan(40);
});

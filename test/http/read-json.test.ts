import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import Koa from 'koa';
import { AppError } from '../../src/errors.ts';
import type { BodyLimit } from '../../src/http/server/body/body-limits.ts';
import { createChunkBuffer } from '../../src/shared/chunk-buffer.ts';
import { readJson } from '../../src/http/server/body/read-json.ts';
import { createInject } from '../../src/library/inject.ts';

const body = JSON.stringify({ text: 'x'.repeat(70_000) });

/** A service that reads a body after all of it has arrived, as after a slow authentication. */
function createApp() {
  const order: string[] = [];
  let begin!: { resolve(): void; reject(error: Error): void };
  const turn = new Promise<void>((resolve, reject) => (begin = { resolve, reject }));
  const limit: BodyLimit = {
    maxBytes: 1_000_000,
    maxValues: 1_000,
    scheduler: {
      async beginReading() {
        order.push('waits');
        await turn;
        order.push('begins');
      },
      beginProcessing: async () => void order.push('works'),
    },
  };
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx) => {
    while (ctx.req.readableLength < Math.min(body.length, 60_000)) await new Promise((resolve) => setImmediate(resolve));
    try {
      ctx.body = { length: ((await readJson(ctx, limit)) as { text: string }).text.length };
    } catch (error) {
      ctx.status = (error as AppError).code === 'rate_limited' ? 429 : 500;
    }
  });
  return { app, order, begin };
}

/** Without a connection, all parts of a body are available immediately. */
function send({ app }: ReturnType<typeof createApp>) {
  const callback = app.callback();
  return createInject(async (req, res) => callback(req, res))({
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/json' },
    body,
  });
}

it('does not process a complete body before its turn to be read', async () => {
  const service = createApp();
  const response = send(service);
  while (service.order.length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(service.order).toEqual(['waits']);
  service.begin.resolve();
  expect(JSON.parse((await response).body)).toEqual({ length: 70_000 });
  expect(service.order).toEqual(['waits', 'begins', 'works']);
});

it('rejects such a body if its turn is rejected', async () => {
  const service = createApp();
  const response = send(service);
  service.begin.reject(new AppError('rate_limited', 'Too many.'));
  expect((await response).status).toBe(429);
  expect(service.order).toEqual(['waits']);
});

it('accepts the next request on the connection after a rejected body', async () => {
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx) => {
    try {
      ctx.body = await readJson(ctx, { maxBytes: 1_000, maxValues: 1_000 });
    } catch (error) {
      ctx.status = (error as AppError).code === 'payload_too_large' ? 413 : 500;
    }
  });
  const server = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const post = (text: string) =>
    new Promise<number>((resolve, reject) => {
      const sent = request({ port, method: 'POST', agent, headers: { 'content-type': 'application/json' } }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode!));
      });
      sent.on('error', reject);
      sent.write(text.slice(0, 10));
      sent.end(text.slice(10));
    });
  expect([await post(body), await post('{"a":1}'), await post(body), await post('{"a":2}')]).toEqual([413, 200, 413, 200]);
  agent.destroy();
  server.close();
});

/** Sends up to `count` chunks of one byte, until the service responds. */
async function sendBytes(port: number, count: number): Promise<{ response: Promise<string>; socket: Socket }> {
  const socket = connect(port, '127.0.0.1');
  const response = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (data) => (text += data.toString())).on('close', () => resolve(text));
  });
  socket.on('error', () => undefined);
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n');
  for (let sent = 0; sent < count && !socket.destroyed; sent += 500)
    if (!socket.write('1\r\n \r\n'.repeat(500))) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
  return { response, socket };
}

it('rejects a body with too many small chunks, and closes the connection', async () => {
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx) => {
    try {
      await readJson(ctx, { maxBytes: 10_000_000, maxValues: 1_000 });
    } catch (error) {
      ctx.status = 400;
      ctx.body = (error as AppError).message;
    }
  });
  const server = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { response } = await sendBytes((server.address() as AddressInfo).port, 10_000_000);
  expect(await response).toContain('small chunks');
  server.close();
});

it('joins small chunks without loss', () => {
  const chunks = createChunkBuffer();
  const sent = randomBytes(200_000);
  global.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < sent.length; at += 1) chunks.add(sent.subarray(at, at + 1));
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(40_000_000);
  expect(chunks.concat().equals(sent)).toBe(true);

  const mixed = createChunkBuffer();
  const sizes = [3, 5_000, 1, 1, 20_000, 4_095, 4_096, 17, 40_000];
  let from = 0;
  for (const size of sizes) mixed.add(sent.subarray(from, (from += size)));
  expect(mixed.concat().equals(sent.subarray(0, from))).toBe(true);
  expect(createChunkBuffer().concat().length).toBe(0);
});

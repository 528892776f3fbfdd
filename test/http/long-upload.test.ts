import { type ClientRequest, request } from 'node:http';
import { Socket } from 'node:net';
import type { Context } from 'koa';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { allowLongUpload } from '../../src/http/server/connections/long-uploads.ts';
import { watchUpload } from '../../src/http/api/files/watch-upload.ts';
import { listen, type Listening } from '../../src/http/server/listen.ts';

let server: Listening;
beforeAll(async () => {
  server = await listen(
    (incoming, response) => {
      const end = incoming.url === '/files' ? allowLongUpload(incoming.socket) : () => undefined;
      incoming.resume().on('end', () => {
        end();
        response.end();
      });
    },
    { host: '127.0.0.1', port: 0, maxConnections: 100, limits: { requestTimeoutMs: 300, headersTimeoutMs: 200, checkEveryMs: 50 } },
  );
});
afterAll(() => server.close(1_000));

function begin(path: string): { sending: ClientRequest; status: Promise<number> } {
  const sending = request({ host: '127.0.0.1', port: server.port, path, method: 'PUT' });
  sending.write('x');
  return { sending, status: new Promise((resolve) => sending.on('response', (response) => resolve(response.resume().statusCode!))) };
}

it('an upload of files may take longer than other requests', async () => {
  const upload = begin('/files');
  const other = begin('/other');
  expect(await other.status).toBe(408);
  const another = begin('/other');
  expect(await another.status).toBe(408);
  upload.sending.end('x');
  expect(await upload.status).toBe(200);
});

it.each([
  ['in all', { idleMs: 60, totalMs: 60 }, /more than 0.001 minutes \(fixed limit\)/],
  ['between two chunks', { idleMs: 60, totalMs: 60_000 }, /slowly/],
])('an upload that takes too long is ended, and the reason is named: %s', async (_, times, reason) => {
  const ctx = {
    req: { socket: new Socket(), isPaused: () => false, readableEnded: false },
    res: { headersSent: false },
    set: () => undefined,
  } as unknown as Context;
  let end: (() => void) | undefined;
  const error = await new Promise<Error>((resolve) => {
    ({ end } = watchUpload(ctx, resolve, { graceMs: 60_000, minBytesPerSecond: 1, ...times }));
  });
  end!();
  expect(error.message).toMatch(reason);
});

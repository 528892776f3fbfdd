import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKey, startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const mib = 1024 * 1024;

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await startTestService({ MAX_BODY_BYTES: '20000' }, { deliver: false });
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

const users = () => ({
  url: `${service.baseUrl}/api/scim/v2.0/${directory.id}/Users`,
  headers: { authorization: `Bearer ${directory.secret}`, 'content-type': 'application/scim+json' },
});

function openSocket() {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  let response = '';
  socket.on('data', (chunk: Buffer) => (response += chunk.toString()));
  // The service may close the connection while we write.
  socket.on('error', () => undefined);
  return { socket, response: () => response };
}

const head = (fields: string[]) =>
  [
    'POST /api/v1/directory-sync HTTP/1.1',
    'Host: x',
    `Authorization: Api-Key ${apiKey}`,
    'Content-Type: application/json',
    ...fields,
    '',
    '',
  ].join('\r\n');

describe('a body that is too large', () => {
  it('gets a response every time with fetch', async () => {
    const { url, headers } = users();
    for (let time = 0; time < 10; time += 1) {
      const response = await fetch(url, { method: 'POST', headers, body: 'x'.repeat(8 * mib) });
      expect([response.status, await response.json()]).toMatchObject([413, { status: '413', detail: expect.stringContaining('20000') }]);
    }
  });

  it('gets a response without a Content-Length too', async () => {
    const { url, headers } = users();
    const body = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 8; sent += 1) controller.enqueue(Buffer.alloc(mib, 'x'));
        controller.close();
      },
    });
    const response = await fetch(url, { method: 'POST', headers, body, duplex: 'half' });
    expect(response.status).toBe(413);
  });

  it.each(['keep-alive', 'close'])('gets a response although the client writes all of it before it reads: %s', async (connection) => {
    const { socket, response } = openSocket();
    socket.pause();
    socket.write(head([`Content-Length: ${25 * mib}`, `Connection: ${connection}`]));
    const failed = await new Promise((resolve) => socket.write(Buffer.alloc(25 * mib, 'x'), (error) => resolve(error)));
    expect(failed).toBeFalsy();
    socket.resume();
    await until(() => response().endsWith('}'));
    socket.destroy();
    expect(response()).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('does not break the connection for the next request', async () => {
    const { socket, response } = openSocket();
    socket.write(`${head(['Content-Length: 3000000'])}${'x'.repeat(3_000_000)}`);
    socket.write(`GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await once(socket, 'end');
    socket.destroy();
    expect(response().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  it('is discarded only up to a limit of bytes', async () => {
    const { socket, response } = openSocket();
    let sent = 0;
    const chunk = Buffer.alloc(mib, 'x');
    socket.write(head(['Content-Length: 1000000000']));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const write = () => {
      while (!socket.destroyed && sent < 1000 * mib) {
        sent += mib;
        if (!socket.write(chunk)) return;
      }
    };
    socket.on('drain', write);
    write();
    await closed;
    expect(response()).toMatch(/^HTTP\/1\.1 413 /);
    expect(sent).toBeLessThan(100 * mib);
  });

  it('is discarded only up to a limit of time', async () => {
    const { socket, response } = openSocket();
    socket.write(`${head(['Content-Length: 3000000'])}{`);
    await once(socket, 'close');
    expect(response()).toMatch(/^HTTP\/1\.1 413 /);
  });
});

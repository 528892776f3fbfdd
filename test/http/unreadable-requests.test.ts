import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sendRaw } from '../support/send-raw.ts';
import { apiKey, shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

/** The same message in the formats of both APIs. */
const bothDialects = (status: number, message: unknown) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  detail: message,
  data: null,
  error: { code: 'invalid_request', message, status },
});

async function send(text: string) {
  const { status, head, body } = await sendRaw(service.baseUrl, text);
  expect(head).toMatch(/\r\nCache-Control: no-store\r\n/i);
  expect(head).toMatch(/\r\nContent-Type: application\/(scim\+)?json; charset=utf-8\r\n/);
  return { status, body };
}

it.each([
  ['is not HTTP', 'hello\r\n\r\n'],
  ['has another method', 'FROB / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['has two Content-Length headers', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['has no Host', 'GET /health/live HTTP/1.1\r\n\r\n'],
])('a request that %s gets an error in both formats', async (_title, text) => {
  const { status, body } = await send(text);
  expect({ status, body }).toEqual({ status: 400, body: bothDialects(400, body.detail) });
});

it.each([20_000, 200_000])('headers of %d bytes get an error in both formats', async (length) => {
  const filter = encodeURIComponent(`userName eq "${'x'.repeat(length)}"`);
  const long = await directory.scim('GET', `/Users?filter=${filter}`);
  expect([long.status, long.body]).toEqual([431, bothDialects(431, expect.stringContaining('16 KiB'))]);
  const wide = await service.api('GET', '/api/v1/directory-sync', undefined, { 'x-note': 'x'.repeat(length) });
  expect([wide.status, wide.body]).toEqual([431, bothDialects(431, expect.stringContaining('16 KiB'))]);
});

it('an unknown expectation does not bypass authentication', async () => {
  const head = `GET /api/scim/v2.0/${directory.id}/Users HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: anything\r\n`;
  expect(await send(`${head}Authorization: Bearer guess\r\n\r\n`)).toMatchObject({ status: 401 });
  expect(await send(`${head}Authorization: Bearer ${directory.secret}\r\n\r\n`)).toMatchObject({ status: 200 });
});

it('an invalid request after a valid one on the same connection gets an error too', async () => {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  let response = '';
  socket.on('data', (chunk: Buffer) => (response += chunk.toString()));
  socket.write(`GET /health/live HTTP/1.1\r\nHost: x\r\nAuthorization: Api-Key ${apiKey}\r\n\r\n`);
  await once(socket, 'data');
  socket.write('nonsense\r\n\r\n');
  await once(socket, 'end');
  socket.destroy();
  expect(response.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
});

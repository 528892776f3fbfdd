import { once } from 'node:events';
import { createServer, IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { endParsing, parseInPieces } from '../../src/http/server/connections/chunk-limit.ts';

let server: Server;
let client: Socket;
afterEach(() => {
  client.destroy();
  server.close();
});

let parsed = 0;
class Counted extends IncomingMessage {
  constructor(...given: ConstructorParameters<typeof IncomingMessage>) {
    super(...given);
    parsed += 1;
  }
}

async function start(handler: RequestListener): Promise<{ text: () => string }> {
  parsed = 0;
  server = createServer({ IncomingMessage: Counted }, handler);
  parseInPieces(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  client.on('data', (data) => (text += data.toString())).on('error', () => undefined);
  return { text: () => text };
}

const small = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const count = (text: string, part: string) => text.split(part).length - 1;

it('does not parse the rest of a destroyed connection', async () => {
  await start((request) => request.socket.destroy());
  client.write(small.repeat(2_000));
  await once(client, 'close');
  expect(parsed).toBeGreaterThan(0);
  expect(parsed).toBeLessThan(200);
});

it('does not parse the rest after parsing was ended', async () => {
  await start((request, response) => {
    endParsing(request.socket);
    response.setHeader('Connection', 'close').end();
  });
  client.write(small.repeat(2_000));
  await once(client, 'close');
  expect(parsed).toBeLessThan(200);
});

it('delivers a body unchanged, whatever the pieces are', async () => {
  const body = Array.from({ length: 50_000 }, (_, index) => `${index.toString(36)};`).join('');
  const { text } = await start((request, response) => {
    let received = '';
    request.on('data', (chunk: Buffer) => (received += chunk.toString())).on('end', () => response.end(received));
  });
  client.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  await once(client, 'close');
  expect(text().slice(text().indexOf('\r\n\r\n') + 4)).toContain(body.slice(-1_000));
  expect(text().length).toBeGreaterThan(body.length);
});

it.each([{ resumes: false }, { resumes: true }])(
  'requests that arrive while a client does not read get their responses later: %j',
  async ({ resumes }) => {
    const large = 'x'.repeat(4_000_000);
    let begun = 0;
    const { text } = await start((request, response) => {
      begun += 1;
      // Like other code that has paused the connection.
      if (resumes && begun > 1) setImmediate(() => request.socket.resume());
      response.end(begun === 1 ? large : 'small');
    });
    client.pause();
    client.write(small);
    // The response is larger than the buffers of the connection.
    while (begun === 0) await new Promise((resolve) => setImmediate(resolve));
    client.write(small.repeat(1_000));
    await new Promise((resolve) => client.write(small, resolve));
    while (parsed < 2) await new Promise((resolve) => setImmediate(resolve));
    client.resume();
    while (count(text(), 'HTTP/1.1 200') < 1_002) await once(client, 'data');
    expect(text()).not.toContain('HTTP/1.1 400');
  },
);

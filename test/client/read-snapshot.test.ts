import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { createClient, SnapshotError } from '../../src/client/index.ts';
import { until } from '../support/until.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function connectTo(respond: (response: ServerResponse) => void) {
  server = createServer((_request, response) => respond(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'a-key' });
}

const line = (type: string) => `${JSON.stringify({ type })}\n`;

it('waits for the service, but not for whoever uses the lines', async () => {
  let response: ServerResponse | undefined;
  const client = await connectTo((given) => {
    response = given;
    given.write(line('start'));
  });
  const types: string[] = [];
  const timeoutMs = 1_000;
  for await (const { type } of client.readSnapshot('one', { timeoutMs })) {
    types.push(type);
    const startedMs = performance.now();
    if (type === 'start') await until(() => performance.now() > startedMs + 3 * timeoutMs);
    if (type === 'start') response!.end(line('end'));
  }
  expect(types).toEqual(['start', 'end']);
});

it.each([
  ['before the response', () => undefined],
  ['between two lines', (response: ServerResponse) => void response.write(line('start'))],
])('fails when the service stalls %s', async (_title, respond) => {
  const client = await connectTo(respond);
  const read = async () => {
    for await (const { type } of client.readSnapshot('one', { timeoutMs: 100 })) expect(type).toBe('start');
  };
  await expect(read()).rejects.toMatchObject({ details: { code: 'unreachable' }, status: 0 });
});

it('has the status and the hints of a response that is not of Rollcall', async () => {
  const client = await connectTo((response) => response.writeHead(503, { 'retry-after': '7' }).end('<h1>Away</h1>'));
  const error = await client
    .readSnapshot('one')
    .next()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SnapshotError);
  expect(error).toMatchObject({ details: { code: 'invalid_response', retryAfterSeconds: 7 }, status: 503 });
});

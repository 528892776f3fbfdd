import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createClient, type Client } from '../../src/client/index.ts';
import { until } from '../support/until.ts';

interface ReceivedRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

let server: Server;
let baseUrl: string;
let client: Client;
let requests: ReceivedRequest[];
let respond: (response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      requests.push({ method: request.method, url: request.url, headers: request.headers, body });
      respond(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createClient({ baseUrl, apiKey: 'a-key' });
});
beforeEach(() => {
  requests = [];
  respond = (response) => respondWithJson(response, 200, { data: [], error: null });
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

function respondWithJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

it('sends the API key and the query', async () => {
  await client.users.list({ tenant: 'a&b', product: 'c d', directoryId: undefined, pageLimit: 5 });
  expect(requests).toMatchObject([
    {
      method: 'GET',
      url: '/api/v1/directory-sync/users?tenant=a%26b&product=c+d&pageLimit=5',
      headers: { authorization: 'Api-Key a-key' },
    },
  ]);
  expect(requests[0]!.headers).not.toHaveProperty('content-type');
});

it('sends a body as JSON', async () => {
  await client.directories.create({ tenant: 'acme', product: 'crm', name: 'Zoë' });
  expect(requests).toMatchObject([{ method: 'POST', url: '/api/v1/directory-sync', headers: { 'content-type': 'application/json' } }]);
  expect(JSON.parse(requests[0]!.body)).toEqual({ tenant: 'acme', product: 'crm', name: 'Zoë' });
});

it('repeats the name of a list, and sends a time in ISO 8601', async () => {
  await client.events.list({ events: ['user.created', 'user.deleted'], range_start: new Date('2026-11-21T08:00:00Z') as never });
  expect(requests[0]!.url).toBe('/api/v1/events?events=user.created&events=user.deleted&range_start=2026-11-21T08%3A00%3A00.000Z');
});

it.each([
  ['a/b', 'a%2Fb'],
  ['a?b#c', 'a%3Fb%23c'],
  ['ä %', '%C3%A4%20%25'],
  ['$&', '%24%26'],
])('escapes the ID %s in the path', async (id, segment) => {
  await client.directories.get(id);
  expect(requests).toMatchObject([{ url: `/api/v1/directory-sync/${segment}` }]);
});

it.each(['', '.', '..', '\ud800', undefined, null, {}])('sends no request for the ID %j, which would change the path', async (id) => {
  const { data, error, status } = await client.directories.get(id as string);
  expect({ data, status, error }).toMatchObject({
    data: null,
    status: 0,
    error: {
      code: 'invalid_request',
      field: 'directoryId',
      message: expect.stringMatching(/^directoryId must be .+, for example [\da-f-]+\.$/),
    },
  });
  expect(requests).toEqual([]);
});

it('sends no request with an invalid query or body', async () => {
  const circle: Record<string, unknown> = {};
  circle['circle'] = circle;
  const calls = [
    client.users.list({ tenant: circle } as never),
    client.users.list('acme' as never),
    client.directories.create(circle as never),
    client.directories.get('one', {}, { timeoutMs: 0 }),
    client.directories.get('one', {}, { timeoutMs: Number.NaN }),
    client.directories.get('one', {}, { signal: {} as AbortSignal }),
    client.users.list({
      get tenant(): string {
        throw new Error('no such luck');
      },
    }),
  ];
  const fields = (await Promise.all(calls)).map(({ error }) => [error?.code, error?.field]);
  expect(fields).toEqual(
    ['tenant', 'query', 'body', 'timeoutMs', 'timeoutMs', 'signal', undefined].map((field) => ['invalid_request', field]),
  );
  expect(requests).toEqual([]);
});

it('returns the error of the service, with details from the headers', async () => {
  const error = { code: 'rate_limited', message: 'Too many requests.', layer: 'project', bucket: 'reads' };
  respond = (response) => respondWithJson(response, 429, { data: null, error }, { 'retry-after': '7', 'x-request-id': 'r-1' });
  expect(await client.directories.get('one')).toEqual({
    data: null,
    error: { ...error, retryAfterSeconds: 7, requestId: 'r-1' },
    status: 429,
  });
});

it('reads a Retry-After that is a date', async () => {
  respond = (response) =>
    respondWithJson(
      response,
      503,
      { data: null, error: { code: 'unavailable', message: 'Later.' } },
      { 'retry-after': new Date(Date.now() + 60_000).toUTCString() },
    );
  const { error } = await client.directories.get('one');
  expect(error?.retryAfterSeconds).toBeGreaterThan(50);
  expect(error?.retryAfterSeconds).toBeLessThanOrEqual(60);
});

it.each([
  ['a page', 502, 'text/html', '<html>Bad Gateway</html>'],
  ['a page with status 200', 200, 'text/html', '<html>Welcome</html>'],
  ['JSON of another service', 404, 'application/json', '{"message":"no Route matched"}'],
  ['an error as text', 500, 'application/json', '{"error":"boom"}'],
  ['an error without a code', 500, 'application/json', '{"error":{"message":"boom"}}'],
  ['a list', 200, 'application/json', '[]'],
  ['nothing', 200, 'text/plain', ''],
  ['a broken object', 200, 'application/json', '{"data":'],
])('names the address when the response is %s', async (_, status, type, text) => {
  respond = (response) => void response.writeHead(status, { 'content-type': type }).end(text);
  const result = await client.directories.get('one');
  expect(result).toMatchObject({ data: null, error: { code: 'invalid_response' }, status });
  expect(result.error?.message).toContain(`${baseUrl}/api/v1/directory-sync/one responded with ${status}`);
  expect(result.error?.message).toContain(type);
  expect(result.error?.message).toContain('check that baseUrl');
});

it('does not follow a redirect, and says where it leads', async () => {
  respond = (response) => void response.writeHead(301, { location: 'https://elsewhere.example/' }).end();
  const { error, status } = await client.directories.create({ tenant: 'acme', product: 'crm' });
  expect(status).toBe(301);
  expect(error?.message).toContain('redirects to https://elsewhere.example/');
  expect(requests).toHaveLength(1);
});

it('names the address when nothing listens there', async () => {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const address = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
  gone.close();
  await once(gone, 'close');
  const { data, error, status } = await createClient({ baseUrl: address, apiKey: 'a-key' }).users.list({ tenant: 'acme', product: 'crm' });
  expect({ data, status, code: error?.code }).toEqual({ data: null, status: 0, code: 'unreachable' });
  expect(error?.message).toContain(`${address}/api/v1/directory-sync/users did not respond (ECONNREFUSED)`);
});

it('fails when the response breaks off', async () => {
  respond = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"data":');
    setImmediate(() => response.destroy());
  };
  expect(await client.directories.get('one')).toMatchObject({ error: { code: 'unreachable' }, status: 0 });
});

it('waits for the whole response until the timeout', async () => {
  respond = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":');
  const { error, status } = await client.directories.get('one', {}, { timeoutMs: 50 });
  expect({ status, code: error?.code }).toEqual({ status: 0, code: 'unreachable' });
  expect(error?.message).toContain('did not respond within 0.05 s');
});

it('adds the wait of the feed to the timeout', async () => {
  let held: ServerResponse | undefined;
  // The request of the test before may arrive only now.
  respond = (response) => void (response.req.url!.includes('wait=5') && (held = response));
  const waiting = client.events.list({ wait: 5 }, { timeoutMs: 50 });
  await until(() => held);
  expect(await client.events.list({}, { timeoutMs: 50 })).toMatchObject({ error: { code: 'unreachable' } });
  respondWithJson(held!, 200, { data: [], error: null, list_metadata: {} });
  expect(await waiting).toMatchObject({ data: [], list_metadata: {}, error: null, status: 200 });
});

it('ends when the signal is aborted, before or during the call, and leaves no listener behind', async () => {
  respond = () => caller.abort();
  const caller = new AbortController();
  let listeners = 0;
  for (const [name, step] of [
    ['addEventListener', 1],
    ['removeEventListener', -1],
  ] as const) {
    const original = caller.signal[name].bind(caller.signal) as (...given: unknown[]) => void;
    caller.signal[name] = (...given: unknown[]) => {
      listeners += step;
      original(...given);
    };
  }
  expect(await client.directories.get('one', {}, { signal: caller.signal })).toMatchObject({ error: { code: 'aborted' }, status: 0 });
  expect(await client.directories.get('one', {}, { signal: caller.signal })).toMatchObject({ error: { code: 'aborted' }, status: 0 });
  expect(requests).toHaveLength(1);
  expect(listeners).toBe(0);
});

it('uses the path of its address and the given fetch', async () => {
  const urls: unknown[] = [];
  const inProcess = createClient({
    baseUrl: 'http://in-process.invalid/rollcall//',
    apiKey: 'a-key',
    fetch: (url) => {
      urls.push(url);
      return Promise.resolve(Response.json({ data: { id: 'one' }, error: null }));
    },
  });
  expect(await inProcess.directories.get('one')).toEqual({ data: { id: 'one' }, error: null, status: 200 });
  expect(urls).toEqual(['http://in-process.invalid/rollcall/api/v1/directory-sync/one']);
});

it('resolves even if the given fetch throws synchronously', async () => {
  const broken = createClient({
    baseUrl: 'http://in-process.invalid',
    apiKey: 'a-key',
    fetch: () => {
      throw new TypeError('no such thing');
    },
  });
  expect(await broken.directories.get('one')).toMatchObject({
    error: { code: 'unreachable', message: expect.stringContaining('no such thing') },
  });
});

it.each([undefined, '', 'localhost:5225', '127.0.0.1:5225', 'ftp://host', 'http://user:word@host', 'http://host?x=1'])(
  'is not created for the address %j',
  (address) => {
    expect(() => createClient({ baseUrl: address as string, apiKey: 'a-key' })).toThrow(
      'baseUrl must be an http or https address without credentials, query or fragment, for example http://127.0.0.1:5225.',
    );
  },
);

it.each([undefined, '', 'two words', 'a\nb', '…'])('is not created with the key %j', (apiKey) => {
  expect(() => createClient({ baseUrl: 'http://127.0.0.1:5225', apiKey: apiKey as string })).toThrow(/^apiKey must be one of the API keys/);
});

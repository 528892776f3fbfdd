import { once } from 'node:events';
import { request as startRequest, type ClientRequest } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { apiKey, startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const path = '/api/v1/directory-sync';
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: TestService;
beforeAll(async () => {
  folder = await temporaryFolder();
  const rules = join(folder.path, 'rules.yaml');
  await writeFile(rules, `inflight: [{ name: directories, methods: [POST], path: ${path}, action: enforce }]\n`);
  service = await startTestService({ LIMITS_PLAN: 'enterprise', LIMITS_RULES_FILE: rules }, { deliver: false });
});
afterAll(async () => {
  await service.stop();
  await folder[Symbol.asyncDispose]();
});

const create = () => service.api('POST', path, { tenant: 'acme', product: 'app' });

/** A request that the service has started, with an incomplete body. */
async function startSlowly(): Promise<ClientRequest> {
  const headers = { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json', expect: '100-continue' };
  const slow = startRequest(`${service.baseUrl}${path}`, { method: 'POST', headers });
  slow.on('error', () => undefined);
  slow.flushHeaders();
  await once(slow, 'continue');
  slow.write('{"tenant":"acme",');
  return slow;
}

it('rejects a second request while the first is in flight, in the envelope, and accepts the next one', async () => {
  const slow = await startSlowly();
  const firstStatus = new Promise<number>((resolve) => slow.on('response', (response) => resolve(response.resume().statusCode!)));
  const rejected = await create();
  expect([rejected.status, rejected.headers.get('retry-after'), rejected.body]).toEqual([
    429,
    '1',
    {
      data: null,
      error: {
        code: 'rate_limited',
        status: 429,
        message: expect.any(String),
        layer: 'inflight',
        bucket: 'directories',
      },
    },
  ]);
  expect((await service.api('GET', `${path}?tenant=acme&product=app`)).status).toBe(200);
  slow.end('"product":"app"}');
  expect(await firstStatus).toBe(201);
  expect((await create()).status).toBe(201);
});

it('releases the lease when a request fails', async () => {
  expect((await service.api('POST', path, '{')).status).toBe(400);
  expect((await service.api('POST', path, { tenant: 'acme' })).status).toBe(400);
  expect((await create()).status).toBe(201);
});

it('releases the lease when a client disconnects', async () => {
  const slow = await startSlowly();
  expect((await create()).status).toBe(429);
  slow.destroy();
  await until(async () => (await create()).status === 201);
});

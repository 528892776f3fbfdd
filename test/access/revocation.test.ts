import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { expectRejectedWithinASecond } from '../support/rejected.ts';
import { createKey, keysPath, withKey } from '../support/api-keys.ts';
import { root } from '../support/operate.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let another: Awaited<ReturnType<TestService['startAnother']>>;
beforeAll(async () => {
  service = await startTestService({}, { deliver: false });
  another = await service.startAnother();
});
afterAll(async () => {
  await another.stop();
  await service.stop();
});

const changes: Record<string, (path: string) => Promise<unknown>> = {
  revoked: (path) => service.api('DELETE', path),
  rotated: (path) => service.api('POST', `${path}/rotate`, { overlap_seconds: 0 }),
  'without its scope': (path) => service.api('PATCH', path, { scopes: ['people:read'] }),
  'without its network': (path) => service.api('PATCH', path, { allowed_networks: ['192.0.2.0/24'] }),
};

it.each(Object.keys(changes))('every process rejects a key within a second after it is %s', async (change) => {
  const key = await createKey(service);
  const read = withKey(another, key.key);
  for (let request = 0; request < 3; request += 1) expect((await read('GET', `${root}/all`)).status).toBe(200);
  await changes[change]!(`${keysPath}/${key.id}`);
  const rejected = expectRejectedWithinASecond(() => read('GET', `${root}/all`));
  expect([401, 403]).toContain((await key.api('GET', `${root}/all`)).status);
  await rejected;
  for (let request = 0; request < 3; request += 1) expect((await read('GET', `${root}/all`)).status).toBeGreaterThanOrEqual(400);
});

it('a request that waits for an event gets none after its key was revoked', async () => {
  const directory = await service.createDirectory();
  const key = await createKey(service);
  const { body } = await key.api('GET', `/api/v1/events?directory_id=${directory.id}`);
  const waiting = withKey(another, key.key)('GET', `/api/v1/events?directory_id=${directory.id}&wait=20&after=${body.list_metadata.after}`);
  await until(async () => (await service.api('GET', `${keysPath}/${key.id}`)).body.data.last_used_at);
  await service.api('DELETE', `${keysPath}/${key.id}`);
  // The waiting request was accepted more than half a second ago.
  await until(async () => (await withKey(another, key.key)('GET', `${root}/all`)).status === 401);
  await directory.scim('POST', '/Users', { userName: 'ada@acme.example' });
  expect((await waiting).status).toBe(401);
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { root } from '../support/operate.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { recordEveryMs: 20 });
});
afterAll(() => service.stop());

it('says when a request last had a wrong secret', async () => {
  const directory = await service.createDirectory();
  const read = async () => (await service.api('GET', `${root}/${directory.id}`)).body.data.health.secret_rejected_at;
  expect(await read()).toBeNull();
  const address = `${service.baseUrl}/api/scim/v2.0/${directory.id}/Users`;
  expect((await fetch(address, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
  await until(async () => Date.parse(await read()) > Date.now() - 60_000);
});

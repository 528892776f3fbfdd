import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { expectRejectedWithinASecond } from '../support/rejected.ts';
import { askForToken, createClient, getToken, ofClient, readUsers, type TestClient } from '../support/oauth-clients.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let another: Awaited<ReturnType<TestService['startAnother']>>;
beforeAll(async () => {
  service = await startTestService({ AUTH_FAILURES_PER_SOURCE: '100000' }, { deliver: false });
  another = await service.startAnother({ SCIM_ACCESS_TOKEN_TTL: '6h' });
});
afterAll(async () => {
  await another.stop();
  await service.stop();
});

it('takes the lifetime of tokens from the setting', async () => {
  const client = await createClient(service, (await service.createDirectory()).id);
  expect((await askForToken(another, ofClient(client))).body.expires_in).toBe(21_600);
});

const acts: Record<string, (client: TestClient, directoryId: string) => Promise<unknown>> = {
  'its client is revoked': ({ path }) => service.api('DELETE', path),
  'the tokens of its client are revoked': ({ path }) => service.api('DELETE', `${path}/tokens`),
  'its directory is deleted': (_client, id) => service.api('DELETE', `/api/v1/directory-sync/${id}`),
};

it.each(Object.keys(acts))('every process rejects a token within a second after %s', async (act) => {
  const { id } = await service.createDirectory();
  const client = await createClient(service, id);
  // Issued by one process, and accepted by the other immediately.
  const token = await getToken(service, client);
  const read = (process: Pick<TestService, 'baseUrl'>) => readUsers(process, id, `Bearer ${token}`);
  for (let count = 0; count < 3; count += 1) expect((await read(another)).status).toBe(200);
  await acts[act]!(client, id);
  await expectRejectedWithinASecond(() => read(another));
  for (let count = 0; count < 3; count += 1) expect([(await read(service)).status, (await read(another)).status]).toEqual([401, 401]);
  const isRevoked = act !== 'the tokens of its client are revoked';
  expect((await askForToken(another, ofClient(client))).status).toBe(isRevoked ? 401 : 200);
});

it('issues no token for a client that is revoked at the same time', async () => {
  const { id } = await service.createDirectory();
  for (let round = 0; round < 5; round += 1) {
    const client = await createClient(service, id);
    const asked = Array.from({ length: 4 }, () => askForToken(another, ofClient(client)));
    const revoked = service.api('DELETE', client.path);
    const tokens = (await Promise.all(asked)).filter(({ status }) => status === 200).map(({ body }) => body.access_token as string);
    expect((await revoked).status).toBe(200);
    for (const token of tokens) expect((await readUsers(service, id, `Bearer ${token}`)).status).toBe(401);
    expect(await service.db('scim_access_tokens').where({ client_id: client.id })).toEqual([]);
  }
});

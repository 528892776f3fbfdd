import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readAuditLog } from '../support/audit.ts';
import { createClient, getToken, readUsers } from '../support/oauth-clients.ts';
import { root } from '../support/operate.ts';
import { shareTestService, type ServiceResponse, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const codes = ({ body }: ServiceResponse) => (body.data.warnings ?? []).map(({ code }: { code: string }) => code);

it('accepts only access tokens once the secret is switched off, and the secret again once it is switched on', async () => {
  const { id, secret } = await service.createDirectory();
  const token = await getToken(service, await createClient(service, id));
  const statuses = async () => [
    (await readUsers(service, id, `Bearer ${secret}`)).status,
    (await readUsers(service, id, `Bearer ${token}`)).status,
  ];
  expect(await statuses()).toEqual([200, 200]);
  const off = await service.api('PATCH', `${root}/${id}`, { accept_scim_secret: false });
  expect([off.body.data.accept_scim_secret, codes(off)]).toEqual([false, []]);
  expect(await statuses()).toEqual([401, 200]);
  expect((await service.api('GET', `${root}/${id}`)).body.data).toMatchObject({ accept_scim_secret: false });
  const rotated = (await service.api('POST', `${root}/${id}/scim/secret/rotate`)).body.data.secret as string;
  expect((await readUsers(service, id, `Bearer ${rotated}`)).status).toBe(401);
  await service.api('PATCH', `${root}/${id}`, { accept_scim_secret: true });
  expect(await statuses()).toEqual([200, 200]);
  const [entry] = await readAuditLog(service, { directory_id: id, action: 'directory.updated' });
  expect(entry).toMatchObject({ changes: { accept_scim_secret: { from: false, to: true } } });
});

it('warns of a directory that rejects every push: when it is created, changed or read, and when its last client is revoked', async () => {
  const created = await service.api('POST', root, { tenant: 'acme', product: 'app', accept_scim_secret: false });
  const { id } = created.body.data;
  const change = (fields: object) => service.api('PATCH', `${root}/${id}`, fields);
  expect(codes(created)).toEqual(['no_scim_client']);
  expect(codes(await change({ name: 'New' }))).toEqual(['no_scim_client']);
  expect(codes(await service.api('GET', `${root}/${id}`))).toEqual(['no_scim_client']);
  const [first, last] = [await createClient(service, id), await createClient(service, id)];
  expect(codes(await service.api('GET', `${root}/${id}`))).toEqual([]);
  expect(codes(await service.api('DELETE', first.path))).toEqual([]);
  expect(codes(await service.api('DELETE', last.path))).toEqual(['no_scim_client']);
  expect(codes(await change({ accept_scim_secret: true }))).toEqual([]);
});

it('warns when all clients have expired', async () => {
  const { id } = await service.createDirectory({ accept_scim_secret: false });
  const client = await createClient(service, id);
  await service.db('scim_clients').where({ id: client.id }).update({ expires_at: new Date() });
  expect(codes(await service.api('GET', `${root}/${id}`))).toEqual(['no_scim_client']);
});

it('is not for a directory that is pulled', async () => {
  const rejected = await service.api('POST', root, { tenant: 'a', product: 'b', type: 'google', accept_scim_secret: false });
  expect([rejected.status, rejected.body.error.field]).toEqual([400, 'accept_scim_secret']);
  const { id } = (await service.api('POST', root, { tenant: 'a', product: 'b', type: 'google' })).body.data;
  const changed = await service.api('PATCH', `${root}/${id}`, { accept_scim_secret: false });
  expect([changed.status, changed.body.error.field]).toEqual([400, 'accept_scim_secret']);
  expect((await service.api('GET', `${root}/${id}`)).body.data).not.toHaveProperty('accept_scim_secret');
});

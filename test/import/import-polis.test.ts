import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ImportReport } from '../../src/directory/import/report.ts';
import { polisHash } from '../../src/directory/import/polis-records.ts';
import { attributesOf, setSchema } from '../support/attributes.ts';
import { readAuditLog } from '../support/audit.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { encryptionKey, holdWrites, importFrom, targetEnv } from '../support/import-polis.ts';
import { createPolisTables, type PolisDirectoryValue, type PolisTables } from '../support/polis-tables.ts';
import { startRollcallCommand } from '../cli/run-rollcall.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startTestService, toTestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let polis: PolisTables;
let target: TestDatabase;
let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  [polis, target, receiver] = await Promise.all([createPolisTables(), cloneDatabase(), startReceiver()]);
  service = await startTestService({}, { encryptionKey, openDatabase: () => Promise.resolve(target) });
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([polis?.drop(), receiver?.close()]);
});

const importAll = (options: string[] = []) => importFrom(polis.url, target.url, options);
const toProvider = ({ id, scim, webhook }: PolisDirectoryValue) =>
  toTestDirectory(service.baseUrl, { id, scim: scim as { secret: string }, webhook: webhook as { secret: string } });
const show = async (path: string) => (await service.api('GET', `/api/v1/dsync${path}`)).body.data;

it('imports a directory while the service runs: the old secret, path, IDs and signatures keep working', async () => {
  const webhook = { endpoint: receiver.url, secret: 'the old webhook secret' };
  const directory = await polis.addDirectory({ webhook, log_webhook_events: true, name: 'Acme' }, { createdAt: '2024-05-06T07:08:09Z' });
  const raw = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: 'ada',
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [
      { value: 'first@example.com', type: 'work' },
      { value: 'primary@example.com', primary: true },
    ],
    roles: 'admin,dev',
    entitlements: { value: 'one' },
    'urn:example:custom': { level: '3' },
  };
  const ada = await polis.addUser(
    directory,
    { email: 'first@example.com', raw, roles: ['admin', 'dev'] },
    { createdAt: '2024-05-07T00:00:00Z' },
  );
  const bob = await polis.addUser(directory, { active: false });
  const group = await polis.addGroup(directory, 'Engineers', { raw: { externalId: 'g-1' } });
  await polis.addMember(directory, group.id, ada.id);
  await polis.addMember(directory, group.id, bob.id);

  const { code, stdout, stderr, report } = await importAll(['--tenant', 'acme']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Imported 1 directory, 2 users, 1 group and 2 memberships')]);
  expect(stdout).toMatch(/same/);
  const [imported] = report!.directories;
  expect(imported).toMatchObject({
    id: directory.id,
    status: 'imported',
    users: { read: 2, imported: 2, skipped: 0 },
    memberships: { read: 2, imported: 2, skipped: 0 },
    orphans: 0,
    conflicts: [],
  });
  expect(imported!.checksums!.source).toEqual(imported!.checksums!.target);
  expect(await readAuditLog(service, { directory_id: directory.id })).toMatchObject([
    { action: 'directory.created', actor: { type: 'command_line', id: 'import polis' }, changes: { name: { to: 'Acme' } } },
  ]);

  expect(await show(`/${directory.id}`)).toMatchObject({
    name: 'Acme',
    type: 'okta-scim-v2',
    tenant: 'acme',
    product: 'crm',
    deactivated: false,
    log_webhook_events: true,
    webhook,
    scim: { path: `/api/scim/v2.0/${directory.id}`, secret: (directory['scim'] as { secret: string }).secret },
  });
  const shown = await show(`/users/${ada.id}?directoryId=${directory.id}`);
  expect(shown).toMatchObject({ id: ada.id, email: 'first@example.com', first_name: 'Ada', active: true, roles: ['admin', 'dev'] });
  expect(shown.raw).toEqual({ ...raw, id: ada.id });
  expect(await show(`/users/${bob.id}?directoryId=${directory.id}`)).toMatchObject({ active: false });
  expect(await show(`/groups/${group.id}/members?directoryId=${directory.id}`)).toEqual([{ user_id: bob.id }, { user_id: ada.id }]);
  const times = await target.db('users').where({ id: ada.id }).first<{ created_at: Date; updated_at: Date }>('created_at', 'updated_at');
  expect([times.created_at, times.updated_at]).toEqual([new Date('2024-05-07T00:00:00Z'), new Date('2026-03-01T12:00:00Z')]);

  expect(receiver.received).toEqual([]);
  const provider = toTestDirectory(service.baseUrl, { ...directory, scim: directory['scim'] as { secret: string }, webhook });
  const found = await provider.scim('GET', `/Users?filter=${encodeURIComponent('emails.value eq "PRIMARY@example.com"')}`);
  expect(found.body.Resources).toMatchObject([{ id: ada.id, groups: [{ value: group.id }] }]);
  const patched = await provider.scim('PATCH', `/Users/${ada.id}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'active', value: false }],
  });
  expect(patched.status).toBe(200);
  await until(() => receiver.received.length === 1);
  const [delivered] = receiver.received;
  expect(delivered!.event).toMatchObject({
    event: 'user.updated',
    directory_id: directory.id,
    sequence: 1,
    data: { id: ada.id, email: 'first@example.com', active: false, raw: { userName: 'ada', roles: 'admin,dev', active: false } },
  });
  for (const header of ['boxyhq-signature', 'ory-polis-signature']) {
    const [, time, signature] = /^t=(\d+),s=([0-9a-f]+)$/.exec(String(delivered!.headers[header]))!;
    expect(createHmac('sha256', webhook.secret).update(`${time}.${delivered!.text}`).digest('hex')).toBe(signature);
  }

  const again = await importAll(['--tenant', 'acme']);
  expect(again.code).toBe(0);
  expect(again.report!.directories).toMatchObject([
    { status: 'skipped', reason: expect.stringContaining('changed in Rollcall since its import') },
  ]);
  expect(await show(`/users/${ada.id}?directoryId=${directory.id}`)).toMatchObject({ active: false, email: 'first@example.com' });
});

it('changes nothing when it is repeated, and writes only differences', async () => {
  const directory = await polis.addDirectory({ tenant: 'twice' });
  const users = [];
  for (let number = 0; number < 30; number += 1) users.push(await polis.addUser(directory));
  const group = await polis.addGroup(directory, 'All');
  for (const { id } of users) await polis.addMember(directory, group.id, id);
  expect((await importAll(['--tenant', 'twice'])).report!.directories).toMatchObject([{ status: 'imported' }]);
  const read = () => target.db('users').where({ directory_id: directory.id }).orderBy('id').select('*');
  const before = await read();
  const revision = () => target.db('directories').where({ id: directory.id }).first('revision', 'user_count', 'membership_count');
  expect(await revision()).toMatchObject({ user_count: 30, membership_count: 30 });
  const repeated = await importAll(['--tenant', 'twice']);
  expect(repeated.report!.directories).toMatchObject([
    { status: 'unchanged', users: { read: 30, imported: 30 }, changed: { users: 0, groups: 0, memberships: 0 } },
  ]);
  expect(await read()).toEqual(before);

  const [changed, removed] = users;
  await polis.db('jackson_store').where('key', 'like', 'dsync:users:twice:%').andWhere('value', 'like', `%"id":"${removed!.id}"%`).delete();
  await polis.db.raw(`update jackson_store set value = replace(value, '"first_name":"Ada"', '"first_name":"Grace"') where value like ?`, [
    `%"id":"${changed!.id}"%`,
  ]);
  const added = await polis.addUser(directory);
  const third = await importAll(['--tenant', 'twice', '--announce']);
  expect(third.report!.directories).toMatchObject([
    { status: 'imported', changed: { users: 3, groups: 0, memberships: 1 }, users: { read: 30, imported: 30 }, orphans: 1 },
  ]);
  const { body } = await service.api('GET', `/api/v1/events?directory_id=${directory.id}`);
  expect(body.data.map(({ event, data }: { event: string; data: { id: string } }) => [event, data.id])).toEqual([
    ['group.user_removed', removed!.id],
    ['user.deleted', removed!.id],
    ['user.updated', changed!.id],
    ['user.created', added.id],
  ]);
  expect(await revision()).toMatchObject({ user_count: 30, membership_count: 29 });
});

it('keeps settings that were changed in Rollcall since the import, and reports it', async () => {
  const webhook = { endpoint: receiver.url, secret: 'the old webhook secret' };
  const [kept, replaced] = [
    await polis.addDirectory({ tenant: 'settings', webhook }),
    await polis.addDirectory({ tenant: 'settings', product: 'other', webhook }),
  ];
  await importAll(['--tenant', 'settings']);
  const own = { webhook_url: `${receiver.url}/own`, webhook_secret: 'the new webhook secret' };
  await service.api('PATCH', `/api/v1/dsync/${kept.id}`, own);
  for (const { id, ...directory } of [kept, replaced])
    await polis
      .db('jackson_store')
      .where('key', 'like', 'dsync:config:%')
      .andWhere('value', 'like', `%"id":"${id}"%`)
      .update({
        value: JSON.stringify({ ...directory, id, name: 'Renamed', webhook: { endpoint: '', secret: '' } }),
        modifiedAt: '2026-04-01T12:00:00',
      });
  for (const status of ['imported', 'unchanged'] as const) {
    const { report } = await importAll(['--tenant', 'settings']);
    expect(report!.directories).toMatchObject([
      { id: kept.id, status: 'unchanged', warnings: [expect.stringContaining('settings have been changed in Rollcall')] },
      { id: replaced.id, status, warnings: [] },
    ]);
  }
  expect(await show(`/${kept.id}`)).toMatchObject({ name: 'Okta', webhook: { endpoint: own.webhook_url, secret: own.webhook_secret } });
  const { name, webhook: removed } = await show(`/${replaced.id}`);
  expect([name, removed.endpoint]).toEqual(['Renamed', '']);
});

it('writes a directory once if two imports run at the same time', async () => {
  const directory = await polis.addDirectory({ tenant: 'two' });
  const user = await polis.addUser(directory);
  const args = ['import', 'polis', '--source', polis.url, '--tenant', 'two', '--announce', '--json'];
  const held = await holdWrites(target.db, directory.id);
  const imports = [1, 2].map(() => startRollcallCommand(args, { env: targetEnv(target.url) }));
  await held.isWaiting(2);
  await held.release();
  const reports = (await Promise.all(imports.map(({ ended }) => ended))).map(({ stdout }) => JSON.parse(stdout) as ImportReport);
  expect(reports.map(({ directories }) => directories[0]!.changed.users).sort((a, b) => a - b)).toEqual([0, 1]);
  for (const { directories } of reports) expect(directories[0]!.checksums!.target).toEqual(directories[0]!.checksums!.source);
  expect(await target.db('stored_events').where({ directory_id: directory.id }).pluck('type')).toEqual(['user.created']);
  expect(await target.db('users').where({ directory_id: directory.id }).pluck('id')).toEqual([user.id]);
});

it('keeps changes that are pushed while a directory is imported again', async () => {
  const directory = await polis.addDirectory({ tenant: 'pushed-to' });
  const user = await polis.addUser(directory);
  await importAll(['--tenant', 'pushed-to']);
  await polis.db('jackson_store').where('value', 'like', `%"id":"${user.id}"%`).delete();
  const held = await holdWrites(target.db, directory.id);
  const repeated = importAll(['--tenant', 'pushed-to']);
  await held.isWaiting();
  const provider = toProvider(directory);
  expect((await provider.scim('POST', '/Users', { userName: 'new@example.com' })).status).toBe(201);
  await held.release();
  expect((await repeated).report!.directories).toMatchObject([
    { status: 'skipped', reason: expect.stringContaining('changed in Rollcall since its import') },
  ]);
  expect(await target.db('users').where({ directory_id: directory.id }).count('* as count')).toEqual([{ count: 2 }]);
});

it('counts the bytes that intake subtracts when it deletes', async () => {
  const directory = await polis.addDirectory({ tenant: 'bytes' });
  const user = await polis.addUser(directory, { raw: { userName: 'ada', roles: 'x'.repeat(5_000) } });
  await importAll(['--tenant', 'bytes']);
  const provider = toProvider(directory);
  expect((await provider.scim('DELETE', `/Users/${user.id}`)).status).toBe(204);
  const { resource_bytes: left } = await target.db('directories').where({ id: directory.id }).first('resource_bytes');
  expect(left).toBeGreaterThanOrEqual(0);
});

it('keeps a directory ID that is older than the UUIDs of Polis, in paths, queries, responses and events', async () => {
  const owner = { tenant: 'former', product: 'crm' };
  const webhook = { endpoint: receiver.url, secret: 'the old webhook secret' };
  const directory = await polis.addDirectory({ ...owner, id: polisHash('former:crm'), webhook }, { hasNamespace: false });
  const user = await polis.addUser(directory, {}, { isIndexed: false });
  expect((await importAll(['--tenant', 'former'])).report!.directories).toMatchObject([{ id: directory.id, status: 'imported' }]);
  const scim = directory['scim'] as { secret: string };
  const path = `/api/scim/v2.0/${directory.id}`;
  expect(await show(`/${directory.id}`)).toMatchObject({ id: directory.id, scim: { path, endpoint: `${service.baseUrl}${path}` } });
  expect(await show(`?tenant=former&product=crm`)).toMatchObject([{ id: directory.id }]);
  expect(await show(`/users?directoryId=${directory.id}`)).toMatchObject([{ id: user.id }]);
  receiver.received.length = 0;
  const provider = toTestDirectory(service.baseUrl, { ...directory, scim, webhook });
  expect((await provider.scim('PATCH', `/Users/${user.id}`, { Operations: [{ op: 'replace', path: 'title', value: 'Dr' }] })).status).toBe(
    200,
  );
  await until(() => receiver.received.length === 1);
  expect(receiver.received[0]!.event).toMatchObject({ directory_id: directory.id, data: { id: user.id } });
  const { body } = await service.api('GET', `/api/v1/events?directory_id=${directory.id}`);
  expect(body.data).toMatchObject([{ directory_id: directory.id }]);
  expect((await provider.scim('GET', '/Users', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
  const renamed = await service.api('PATCH', `/api/v1/dsync/${directory.id}`, { name: 'Renamed' });
  expect(renamed.body.data).toMatchObject({ id: directory.id, name: 'Renamed' });
  expect((await importAll(['--tenant', 'former'])).report!.directories).toMatchObject([{ status: 'skipped' }]);
  expect((await service.api('DELETE', `/api/v1/dsync/${directory.id}`)).status).toBeLessThan(300);
  expect((await provider.scim('GET', '/Users')).status).toBe(401);
});

it('computes the attributes of imported users', async () => {
  await setSchema(service, 'mapped', [{ name: 'job_title', required: true }]);
  const directory = await polis.addDirectory({ tenant: 'mapped', product: 'mapped' });
  const eva = await polis.addUser(directory, { raw: { userName: 'eva', title: 'Engineer' } });
  await polis.addUser(directory, { raw: { userName: 'fay' } });
  expect((await importAll(['--tenant', 'mapped'])).code).toBe(0);
  expect(await attributesOf(service, directory.id, eva.id)).toEqual({ job_title: 'Engineer' });
  const { body } = await service.api('GET', `/api/v1/directory-sync/${directory.id}`);
  expect(body.data.health.users_missing_attributes).toBe(1);
});

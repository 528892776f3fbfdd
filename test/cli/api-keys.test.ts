import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withKey } from '../support/api-keys.ts';
import { root } from '../support/operate.ts';
import { shareTestService, type TestService } from '../support/service.ts';
import { at, callRollcall } from './run-rollcall.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const rollcall = (...args: string[]) => callRollcall(['api-keys', ...args], at(service));
async function json(...args: string[]) {
  const { code, stdout, stderr } = await rollcall(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}
const statusOf = async (key: string) => (await withKey(service, key)('GET', `${root}/all`)).status;

it('creates a key, shows it once, and hides it from then on', async () => {
  const limits = ['--tenant', 'acme', '--product', 'crm', '--allowed-networks', '127.0.0.0/8,::1/128', '--expires-at', '2999-01-01'];
  const created = await rollcall('create', '--name', 'billing', '--scopes', 'people:read,directories:read', ...limits);
  const key = /^Key +(rcl_\w{36})$/m.exec(created.stdout)![1]!;
  const id = /^ID +(\S+)$/m.exec(created.stdout)![1]!;
  expect([created.code, await statusOf(key)]).toEqual([0, 200]);
  const shown = await rollcall('show', id);
  expect(shown.stdout).not.toContain(key.slice(12));
  expect(shown.stdout).toMatch(/^Prefix +rcl_\w{8}$/m);
  expect(shown.stdout).toMatch(/^Scopes +directories:read, people:read$/m);
  expect(shown.stdout).toMatch(/^Only tenant +acme$/m);
  expect(shown.stdout).toMatch(/^Only networks +127\.0\.0\.0\/8, ::1\/128$/m);
  expect(await json('show', id)).toEqual((await service.api('GET', `/api/v1/api-keys/${id}`)).body.data);
});

it('lists, changes, rotates and revokes a key', async () => {
  const { id, key } = await json('create', '--name', 'dashboard', '--preset', 'read-only');
  expect(await json('list', '--all')).toContainEqual(expect.objectContaining({ id, name: 'dashboard' }));
  expect((await rollcall('list')).stdout).toMatch(/^ID +Name +Scopes +Only +State$/m);
  expect(await json('update', id, '--name', 'Board', '--scopes', 'directories:read')).toMatchObject({
    name: 'Board',
    scopes: ['directories:read'],
  });
  const rotated = await json('rotate', id, '--overlap', '0');
  expect([rotated.previous_valid_until, await statusOf(key), await statusOf(rotated.key)]).toEqual([null, 401, 200]);
  const revoked = await rollcall('revoke', id);
  expect([revoked.code, revoked.stdout, await statusOf(rotated.key)]).toEqual([0, expect.stringContaining(id), 401]);
  expect((await rollcall('show', id)).stdout).toMatch(/^State +revoked$/m);
});

it('requires scopes or a preset, a name, and scopes that exist', async () => {
  for (const args of [
    ['--name', 'a'],
    ['--scopes', 'people:read'],
    ['--name', 'a', '--scopes', 'all'],
    ['--name', 'a', '--scopes', 'people:read', '--preset', 'admin'],
    ['--name', 'a', '--preset', 'admin', '--expires-at', 'soon'],
  ])
    expect((await rollcall('create', ...args)).code).toBe(2);
});

it('exits with 4 where a key lacks a right, and says which', async () => {
  const { key } = await json('create', '--name', 'weak', '--scopes', 'people:read');
  const { code, stderr } = await callRollcall(['directories', 'list'], { env: { ...at(service).env, ROLLCALL_API_KEY: key } });
  expect([code, stderr]).toEqual([4, expect.stringContaining('directories:read')]);
});

it('says that a command needs a secret that the service does not show', async () => {
  const { id } = await service.createDirectory({ webhook_url: 'https://app.example/hook' });
  const { key } = await json('create', '--name', 'weak', '--scopes', 'directories:read,directories:write');
  for (const args of [
    ['simulate', 'okta', '--directory', id],
    ['listen', '--directory', id],
  ]) {
    const { code, stderr } = await callRollcall(args, { env: { ...at(service).env, ROLLCALL_API_KEY: key } });
    expect([code, stderr]).toEqual([4, expect.stringContaining('secrets:read')]);
  }
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { askForToken, ofClient } from '../support/oauth-clients.ts';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { at, callRollcall } from './run-rollcall.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

const rollcall = (...args: string[]) => callRollcall(args, at(service));

it('creates a client and shows its secret once, lists it, and revokes it', async () => {
  const created = await rollcall('scim-clients', 'create', directory.id, '--name', 'Entra', '--expires-at', '2028-11-21');
  const [id, secret] = [/^Client ID +(\S+)$/m, /^Client secret +(rcs_\S+)$/m].map((line) => line.exec(created.stdout)![1]!);
  expect([created.code, created.stdout]).toEqual([0, expect.stringContaining('/api/scim/oauth/token')]);
  expect((await askForToken(service, ofClient({ id: id!, secret: secret! }))).status).toBe(200);
  const listed = await rollcall('scim-clients', 'list', directory.id);
  expect(listed.stdout).toMatch(/^Client ID +Name +Last used +State$/m);
  expect(listed.stdout).toContain(id);
  expect(listed.stdout).not.toContain(secret);
  const off = await rollcall('directories', 'update', directory.id, '--accept-scim-secret', 'false');
  expect([off.code, off.stderr, off.stdout]).toEqual([0, '', expect.stringMatching(/^Accepts it +no/m)]);
  const revoked = await rollcall('scim-clients', 'revoke', directory.id, id!);
  expect([revoked.code, revoked.stdout]).toEqual([0, expect.stringContaining(id!)]);
  expect(revoked.stdout + revoked.stderr).toContain('accept_scim_secret');
  expect((await askForToken(service, ofClient({ id: id!, secret: secret! }))).status).toBe(401);
  const [shown] = JSON.parse((await rollcall('scim-clients', 'list', directory.id, '--json')).stdout) as { revoked_at: string }[];
  expect(shown!.revoked_at).toEqual(expect.any(String));
});

it('requires a directory, a name and a time', async () => {
  for (const args of [
    ['create', directory.id],
    ['create', '--name', 'a'],
    ['create', directory.id, '--name', 'a', '--expires-at', 'soon'],
    ['list', 'x'],
    ['revoke', directory.id],
  ])
    expect((await rollcall('scim-clients', ...args)).code).toBe(2);
});

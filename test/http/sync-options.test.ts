import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { changed, createPulledDirectory, googleEnv } from '../support/pulled-directories.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let google: FakeGoogle;
let service: TestService;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  [google, folder] = await Promise.all([startFakeGoogle(), temporaryFolder()]);
  const file = folder.at('key.json');
  await writeFile(file, google.serviceAccountKey);
  service = await startTestService({ ...googleEnv(google), DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE: file });
});
afterAll(async () => {
  await service.stop();
  await google.stop();
  await folder[Symbol.asyncDispose]();
});
beforeEach(() => google.preset({}));

it('reads only the groups and organizational units that the directory names, and removes the others', async () => {
  const person = (name: string, orgUnitPath: string) => google.addUser({ primaryEmail: `${name}@acme.example`, orgUnitPath });
  const [ada, , eve] = [person('ada', '/Sales/North'), person('ben', '/Salesforce'), person('eve', '/')];
  const [team, crew] = ['team', 'crew'].map((name) => google.addGroup({ name, email: `${name}@acme.example` }));
  for (const group of [team!, crew!]) for (const { id } of [ada, eve]) google.addMember(group.id, { id, type: 'USER' });
  const directory = await createPulledDirectory(service, google, { google_groups: ['TEAM@acme.example'], google_org_units: ['/Sales'] });
  const run = await directory.sync();
  expect([run.seen, run.changed]).toEqual([
    { users: 1, groups: 1, members: 2 },
    changed({ users: [1, 0, 0], groups: [1, 0, 0], members: [2, 0] }),
  ]);
  expect(await directory.describeNewEvents()).toEqual([
    'user.created ada@acme.example',
    'group.created team',
    'group.user_added ada@acme.example team',
  ]);

  await directory.change({ google_groups: [crew!.id], google_org_units: [] });
  await directory.sync();
  expect(await directory.describeNewEvents()).toEqual([
    'group.user_removed ada@acme.example team',
    'user.created ben@acme.example',
    'user.created eve@acme.example',
    'group.deleted team',
    'group.created crew',
    'group.user_added ada@acme.example crew',
    'group.user_added eve@acme.example crew',
  ]);
  google.changeUser(ada.id, { orgUnitPath: '/Left' });
  await directory.change({ google_org_units: ['/', '/Sales'] });
  expect((await directory.sync()).changed).toEqual(changed({ users: [0, 1, 0] }));
});

it('requires confirmation if the options select nobody, even in a small directory', async () => {
  const [ada] = [google.addUser({ primaryEmail: 'ada@acme.example', orgUnitPath: '/Sales' })];
  const team = google.addGroup({ name: 'team', email: 'team@acme.example' });
  google.addMember(team.id, { id: ada.id, type: 'USER' });
  const directory = await createPulledDirectory(service, google);
  await directory.sync();
  await directory.describeNewEvents();
  await directory.change({ google_org_units: ['/Slaes'] });
  const run = await directory.sync();
  expect([run.state, run.error.message]).toEqual(['needs_confirmation', expect.stringMatching(/remove 1 of 1 users\./)]);
  await directory.change({ google_org_units: [], google_groups: ['taem@acme.example'] });
  expect((await directory.sync()).state).toBe('needs_confirmation');
  expect(await directory.describeNewEvents()).toEqual([]);
  await directory.change({ google_groups: [] });
  google.removeGroup(team.id);
  expect((await directory.sync()).changed).toEqual(changed({ groups: [0, 0, 1], members: [0, 1] }));
});

it('is authorized as a service account, with its own key or that of the service, until the delegation is revoked', async () => {
  google.addUser();
  const unauthorized = { google_access_token: '', google_refresh_token: '' };
  const [own, shared] = await Promise.all([
    createPulledDirectory(service, google, {
      ...unauthorized,
      google_admin_email: 'admin@acme.example',
      google_service_account_key: google.serviceAccountKey,
    }),
    createPulledDirectory(service, google, { ...unauthorized, google_admin_email: 'admin@acme.example' }),
  ]);
  for (const directory of [own, shared]) {
    expect(await directory.get()).toMatchObject({ google_authorization: 'authorized', google_admin_email: 'admin@acme.example' });
    expect((await directory.sync()).changed).toEqual(changed({ users: [1, 0, 0] }));
  }
  expect(JSON.stringify(await own.get())).not.toContain('PRIVATE KEY');
  const rows = JSON.stringify(await service.db('directories'));
  expect([rows.includes('PRIVATE KEY'), rows.includes('ya29')]).toEqual([false, false]);

  google.revokeDelegation();
  const run = await own.sync();
  expect([run.state, run.error]).toEqual(['failed', { code: 'provider_rejected', message: expect.stringContaining('delegation') }]);
  // The administrator may restore the delegation at Google; nothing has to be done here.
  expect((await own.get()).google_authorization).toBe('authorized');
  const open = await fetch(`${service.baseUrl}/api/scim/oauth/authorize?directoryId=${own.id}`, { redirect: 'manual' });
  expect(open.status).toBe(403);
});

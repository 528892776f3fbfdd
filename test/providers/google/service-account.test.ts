import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../../support/google/fake-google.ts';
import { createGoogleAuthorizations } from '../../support/google/google-authorizations.ts';
import { createConnection, createProvider, never } from '../../support/google/open-google.ts';

const adminEmail = 'admin@example.com';
const request = { signal: never };

let google: FakeGoogle;
let renewals: number;
beforeEach(async () => {
  google = await startFakeGoogle();
  renewals = 0;
});
afterEach(async () => google.stop());

const kinds = () => google.requests.map(({ kind }) => kind);
const open = (serviceAccountKey = google.serviceAccountKey, options = {}) =>
  createProvider(google, options).open(createConnection({ adminEmail, serviceAccountKey }), {
    onRenewed: async () => void (renewals += 1),
  });

it('lists as the impersonated administrator', async () => {
  google.addUser();
  const source = open();
  expect(await source.listUsers(request)).toMatchObject({ listed: 1 });
  await source.listGroups(request);
  expect(kinds()).toEqual(['token', 'users', 'groups']);
  const [, payload = ''] = google.requests[0]!.form.get('assertion')!.split('.');
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
    iss: 'rollcall@fake-project.iam.gserviceaccount.com',
    sub: adminEmail,
    aud: 'https://oauth2.googleapis.com/token',
    scope: expect.stringContaining('admin.directory.user.readonly'),
  });
});

it("uses the deployment's key if the directory has none", async () => {
  expect(await open('', { serviceAccountKey: google.serviceAccountKey }).listUsers(request)).toMatchObject({ listed: 0 });
});

it("prefers the directory's key", async () => {
  const { serviceAccountKey } = createGoogleAuthorizations({ expiresIn: 3600 });
  expect(await open(google.serviceAccountKey, { serviceAccountKey }).listUsers(request)).toMatchObject({ listed: 0 });
});

it('ignores an existing authorization of the connection', async () => {
  const { accessToken, refreshToken } = google.issueTokens();
  const connection = createConnection({ accessToken, refreshToken, adminEmail, serviceAccountKey: google.serviceAccountKey });
  await createProvider(google)
    .open(connection, { onRenewed: async () => void (renewals += 1) })
    .listUsers(request);
  expect(google.requests[1]!.authorization).not.toContain(accessToken);
  expect(renewals).toBe(0);
});

it('fetches another token if Google rejects the current one', async () => {
  const source = open();
  await source.listUsers(request);
  google.expireAccessTokens();
  await source.listUsers(request);
  expect(kinds()).toEqual(['token', 'users', 'users', 'token', 'users']);
});

it('is unauthorized with a key that Google does not know, and asks once', async () => {
  const { serviceAccountKey } = createGoogleAuthorizations({ expiresIn: 3600 });
  await expect(open(serviceAccountKey).listUsers(request)).rejects.toMatchObject({ kind: 'unauthorized' });
  expect(kinds()).toEqual(['token']);
});

it('is unauthorized without delegation, and says where to configure it', async () => {
  google.revokeDelegation();
  await expect(open().listUsers(request)).rejects.toMatchObject({
    kind: 'unauthorized',
    message: expect.stringContaining('delegation'),
  });
});

it.each([['null'], ['{}'], ['<h1>Welcome</h1>']])('does not accept %s as tokens', async (body) => {
  google.failNext('token', { body });
  await expect(open().listUsers(request)).rejects.toMatchObject({ name: 'ProviderError', kind: 'invalid_response' });
});

it.each([[500], [429]])('does not ask again after %d', async (status) => {
  google.failNext('token', { status });
  await expect(open().listUsers(request)).rejects.toMatchObject({ name: 'ProviderError' });
  expect(kinds()).toEqual(['token']);
});

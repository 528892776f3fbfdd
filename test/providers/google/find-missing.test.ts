import { describe, expect, it } from '@jest/globals';
import { createGoogleProvider } from '../../../src/providers/google/provider.ts';
import type { GoogleOptions } from '../../../src/providers/google/settings.ts';
import { createGoogleAuthorizations } from '../../support/google/google-authorizations.ts';
import { createConnection, never } from '../../support/google/open-google.ts';

const { serviceAccountKey } = createGoogleAuthorizations({ expiresIn: 3600 });
const client = { clientId: 'id', clientSecret: 'secret' };
const adminEmail = 'admin@example.com';
const unreadable = { serviceAccountKey: JSON.stringify({ client_email: 'a@b', private_key: 'none' }) };

describe('reports what the provider lacks', () => {
  it.each<[string, GoogleOptions, object, RegExp]>([
    ['a client', {}, {}, /CLIENT_ID.*CLIENT_SECRET/],
    ["a client's id", { clientSecret: 'secret' }, {}, /^DSYNC_GOOGLE_CLIENT_ID is/],
    ["a client's secret", { clientId: 'id', clientSecret: '' }, {}, /^DSYNC_GOOGLE_CLIENT_SECRET is/],
    ['nothing, with a client', client, {}, /^$/],
    ["nothing, with the directory's key", {}, { adminEmail, serviceAccountKey }, /^$/],
    ["nothing, with the deployment's key", { serviceAccountKey }, { adminEmail }, /^$/],
    ['a client, although there is a key, without an administrator', { serviceAccountKey }, {}, /CLIENT_ID/],
    ['a key', client, { adminEmail }, /google_admin_email.*DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE/],
    ["a key that can be used, of the deployment's", unreadable, { adminEmail }, /^DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE must/],
    [
      "a key that can be used, of the directory's",
      { serviceAccountKey },
      { adminEmail, serviceAccountKey: '{' },
      /service account key must/,
    ],
  ])('names %s', async (_, options, given, missing) => {
    expect(createGoogleProvider(options).checkSetup(createConnection(given)) ?? '').toMatch(missing);
  });

  it('fails every list with the same message', async () => {
    const source = createGoogleProvider().open(createConnection(), { onRenewed: async () => undefined });
    const rejected = { kind: 'rejected', message: expect.stringContaining('DSYNC_GOOGLE_CLIENT_ID') };
    await expect(source.listUsers({ signal: never })).rejects.toMatchObject(rejected);
    await expect(source.listGroups({ signal: never })).rejects.toMatchObject(rejected);
    await expect(source.listMembers('a', { signal: never })).rejects.toMatchObject(rejected);
  });
});

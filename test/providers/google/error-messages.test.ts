import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRestartingList } from '../../../src/directory/sync/restarting-list.ts';
import { ProviderError } from '../../../src/directory/sync/provider.ts';
import { explainFailure, type RequestContext } from '../../../src/providers/google/explain-failure.ts';
import { createGoogleProvider } from '../../../src/providers/google/provider.ts';
import type { GoogleOptions } from '../../../src/providers/google/settings.ts';
import { createGoogleAuthorizations } from '../../support/google/google-authorizations.ts';
import { startFakeGoogle, type FakeGoogle } from '../../support/google/fake-google.ts';
import { createGoogleUser } from '../../support/google/google-data.ts';
import { apiError, backendError, quotaError, tooManyRequests, type Fault } from '../../support/google/google-errors.ts';
import { createConnection, never, openGoogle } from '../../support/google/open-google.ts';

/** The error messages of syncs from Google and of its consent. Other tests compare the kind. */

let google: FakeGoogle;
beforeEach(async () => {
  google = await startFakeGoogle();
});
afterEach(async () => google.stop());

const page = (name: string, list: unknown, more: object = {}) => ({ body: { kind: `admin#directory#${name}`, [name]: list, ...more } });

describe('a response that', () => {
  it.each<[string, Fault, string, string]>([
    ['exceeds a quota', quotaError(), 'busy', 'Google rate-limited the request (403).'],
    ['limits the rate', tooManyRequests(), 'busy', 'Google rate-limited the request (429).'],
    ['fails', backendError(), 'unreachable', 'Google failed with 500.'],
    ['is dropped', 'drop', 'unreachable', 'The connection to Google failed before the response was complete (ECONNRESET).'],
    [
      'forbids an administrator to read',
      apiError(403, 'forbidden', 'x'),
      'rejected',
      'The account that authorized the directory may not read users and groups: authorize again as an administrator with these privileges.',
    ],
    [
      'says that the API is disabled',
      apiError(403, 'accessNotConfigured', 'x'),
      'rejected',
      'The Admin SDK API is not enabled in the Google Cloud project: enable it there.',
    ],
    [
      'says that the domain has no APIs',
      apiError(403, 'domainCannotUseApis', 'x'),
      'rejected',
      'API access is turned off for the Google Workspace domain: turn it on in the Admin console.',
    ],
    [
      'misses scopes',
      apiError(403, 'insufficientPermissions', 'x'),
      'rejected',
      'The authorization does not cover users, groups and members: authorize again and allow all three.',
    ],
    ['names a reason of its own', apiError(403, 'unheardOf', 'x'), 'rejected', 'Google rejected the request (403, unheardOf).'],
    ['gives no reason', { status: 403, body: 'secret' }, 'rejected', 'Google rejected the request (403).'],
    ['finds nothing', apiError(404, 'notFound', 'secret'), 'rejected', 'Google rejected the request (404, notFound).'],
    [
      'revokes the authorization',
      apiError(401, 'authError', 'x'),
      'unauthorized',
      'Google no longer accepts the authorization: it was revoked or has expired. Authorize again.',
    ],
    ['is HTML', { body: '<h1>Welcome</h1>' }, 'invalid_response', "Google's response is not the documented JSON object."],
    [
      'is of another kind',
      page('groups', []),
      'invalid_response',
      "Google's response does not match its documentation: kind is missing or has the wrong type.",
    ],
    [
      'has a user without an address',
      page('users', [{ ...createGoogleUser(), primaryEmail: ' ' }]),
      'invalid_response',
      "Google's response does not match its documentation: users[0].primaryEmail is missing or has the wrong type.",
    ],
    ['is nested too deeply', { body: nest(100) }, 'invalid_response', "Google's response is nested too deeply at users[0]."],
    ['is too large', { body: Buffer.alloc(9 * 1024 * 1024, ' ') }, 'invalid_response', "Google's response is too large."],
  ])('is reported with its message: %s', async (_what, fault, error, message) => {
    for (let count = 0; count < 20; count += 1) google.addUser();
    google.failNext('users', fault, 4);
    const failure = await openGoogle(google)
      .listUsers({ signal: never })
      .catch((thrown: ProviderError) => thrown);
    expect([(failure as ProviderError).kind, (failure as ProviderError).message]).toEqual([error, message]);
  });

  it('does not come in time', async () => {
    google.failNext('users', 'hang');
    await expect(openGoogle(google, { options: { requestTimeoutMs: 200 } }).listUsers({ signal: never })).rejects.toThrow(
      'Google did not complete its response within 200 ms.',
    );
  });
});

const failure = (status: number, data: unknown) =>
  Object.assign(new Error('secret'), { config: {}, response: { status, headers: new Headers(), data } });

describe('a rejected', () => {
  const invalidGrant = failure(400, { error: 'invalid_grant' });
  const users = { for: 'users', by: 'consent' } as const;
  it.each<[string, unknown, Partial<RequestContext>, string, string]>([
    [
      'authorization code',
      invalidGrant,
      { for: 'code' },
      'rejected',
      'Google rejected the authorization code: it is used, expired or was issued for another redirect URI. Authorize again.',
    ],
    [
      'refresh token',
      invalidGrant,
      { for: 'token' },
      'unauthorized',
      'Google no longer accepts the authorization: it was revoked or has expired. Authorize again.',
    ],
    [
      'service account',
      invalidGrant,
      { for: 'token', by: 'delegation' },
      'unauthorized',
      "Google does not allow the service account to impersonate the administrator. Check that its key exists, that the administrator's address is correct, and that its client ID has the three scopes under domain-wide delegation.",
    ],
    [
      'client',
      failure(401, { error: 'invalid_client' }),
      { for: 'token' },
      'rejected',
      'Google does not accept the OAuth client: check DSYNC_GOOGLE_CLIENT_ID and DSYNC_GOOGLE_CLIENT_SECRET.',
    ],
    [
      'redirect URI',
      failure(400, { error: 'redirect_uri_mismatch' }),
      { for: 'code' },
      'rejected',
      "The redirect URI is not registered with Google: add it to the client's authorized redirect URIs.",
    ],
    [
      'page token',
      failure(400, { error: { message: 'Invalid page token' } }),
      { pageToken: 'x' },
      'page_expired',
      'Google no longer accepts the page token.',
    ],
    ['group', failure(404, {}), { for: 'members' }, 'not_found', 'The group no longer exists in Google.'],
    [
      'administrator of the service account',
      failure(403, { error: { status: 'PERMISSION_DENIED' } }),
      { by: 'delegation' },
      'rejected',
      'The administrator that the service account impersonates may not read users and groups: grant these privileges, or choose another administrator.',
    ],
    [
      'scope of the service account',
      failure(403, { error: { errors: [{ reason: 'insufficientPermissions' }] } }),
      { by: 'delegation' },
      'rejected',
      'The service account may not read users, groups and members: add the three scopes to its client ID under domain-wide delegation.',
    ],
    [
      'response to the code',
      new Error('secret'),
      { for: 'code' },
      'invalid_response',
      "Google's response to the code exchange does not match its documentation.",
    ],
    [
      'response to the refresh token',
      new Error('secret'),
      { for: 'token' },
      'invalid_response',
      "Google's response to the token request does not match its documentation.",
    ],
  ])('is reported with its message: %s', (_what, thrown, request, error, message) => {
    const explained = explainFailure(thrown, { ...users, timeoutMs: 1_000, ...request });
    expect([explained.kind, explained.message]).toEqual([error, message]);
  });
});

describe('a deployment without', () => {
  const { serviceAccountKey } = createGoogleAuthorizations({ expiresIn: 3600 });
  const adminEmail = 'admin@example.com';
  const unreadable = { serviceAccountKey: JSON.stringify({ client_email: 'a@b', private_key: 'none' }) };
  it.each<[string, GoogleOptions, object, string]>([
    ['a client', {}, {}, 'DSYNC_GOOGLE_CLIENT_ID and DSYNC_GOOGLE_CLIENT_SECRET are not set.'],
    ["a client's id", { clientSecret: 'secret' }, {}, 'DSYNC_GOOGLE_CLIENT_ID is not set.'],
    ["a client's secret", { clientId: 'id', clientSecret: '' }, {}, 'DSYNC_GOOGLE_CLIENT_SECRET is not set.'],
    [
      'a key',
      {},
      { adminEmail },
      'The directory has a google_admin_email but no service account key, and DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE is not set.',
    ],
    [
      'a usable key of its own',
      unreadable,
      { adminEmail },
      'DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE must be the JSON of a key file with client_email and an RSA private_key.',
    ],
    [
      'a usable key of the directory',
      { serviceAccountKey },
      { adminEmail, serviceAccountKey: '{' },
      "The directory's service account key must be the JSON of a key file with client_email and an RSA private_key.",
    ],
  ])('is reported with its message: %s', (_what, options, given, message) => {
    expect(createGoogleProvider(options).checkSetup(createConnection(given))).toBe(message);
  });
});

const expired = () => Promise.reject(new ProviderError('page_expired', 'secret'));

const next = (nextPageToken: string, listed = 1) => Promise.resolve({ items: [], listed, nextPageToken });

describe('a list that', () => {
  it.each<[string, string, string | undefined, Parameters<ReturnType<typeof createRestartingList>['list']>[2], string]>([
    ['returns the requested page', 'a', undefined, () => next('a'), 'The provider returned the requested page as the next page.'],
    ['rejects its own tokens', 'a', undefined, expired, 'The provider repeatedly rejected its own page tokens.'],
    ['goes in circles', 'b', 'a', () => next('a'), 'The provider returned the same page token twice.'],
    [
      'has only empty pages',
      'a',
      undefined,
      () => next('b', 0),
      'The provider returned more than 1000 empty pages that were not the last one.',
    ],
  ])('is reported with its message: %s', async (_what, pageToken, earlier, listPage, message) => {
    const { list } = createRestartingList({ restarts: 1, emptyPages: 1_000, atMost: 1 });
    await expect(list(pageToken, earlier === undefined ? undefined : { token: earlier, pages: 1 }, listPage)).rejects.toThrow(message);
  });
});

function nest(depth: number): string {
  const notes = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  return JSON.stringify(page('users', [{ ...createGoogleUser(), notes: 0 }]).body).replace('"notes":0', () => `"notes":${notes}`);
}

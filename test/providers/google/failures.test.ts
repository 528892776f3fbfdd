import { setImmediate as immediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../../src/directory/sync/provider.ts';
import { startFakeGoogle, type FakeGoogle } from '../../support/google/fake-google.ts';
import { createGoogleUser } from '../../support/google/google-data.ts';
import { apiError, backendError, quotaError, tooManyRequests, type FakeResponse } from '../../support/google/google-errors.ts';
import { never, openGoogle } from '../../support/google/open-google.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let google: FakeGoogle;
beforeEach(async () => {
  google = await startFakeGoogle();
});
afterEach(async () => google.stop());

const list = (pageToken?: string) => openGoogle(google).listUsers({ pageToken, signal: never });
const details = (reason: string) => ({
  status: 403,
  body: { error: { code: 403, message: 'x', status: 'PERMISSION_DENIED', details: [{ '@type': 'ErrorInfo', reason }] } },
});

describe('rate limit', () => {
  it.each<[string, FakeResponse]>([
    ['quotaExceeded', quotaError()],
    ['rateLimitExceeded', apiError(403, 'rateLimitExceeded', 'x')],
    ['userRateLimitExceeded', apiError(403, 'userRateLimitExceeded', 'x')],
    ['dailyLimitExceeded', apiError(403, 'dailyLimitExceeded', 'x')],
    ['RATE_LIMIT_EXCEEDED', details('RATE_LIMIT_EXCEEDED')],
    ['429', tooManyRequests()],
    ['503', { status: 503, body: '<h1>Unavailable</h1>' }],
  ])('is recognized with %s', async (_, fault) => {
    google.failNext('users', fault);
    await expect(list()).rejects.toMatchObject({ name: 'ProviderError', kind: 'busy', retryAfterMs: undefined });
    expect(google.requests).toHaveLength(1);
  });

  it('is waited for if it ends after some seconds', async () => {
    google.failNext('users', tooManyRequests('7'));
    await expect(list()).rejects.toMatchObject({ kind: 'busy', retryAfterMs: 7000 });
  });

  it('is waited for if it ends at a certain time', async () => {
    google.failNext('users', tooManyRequests(new Date(Date.now() + 60_000).toUTCString()));
    const { retryAfterMs } = (await list().catch((error: unknown) => error)) as ProviderError;
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  it.each([
    [new Date(0).toUTCString(), 0],
    ['soon', undefined],
    ['-1', undefined],
    ['9'.repeat(30), undefined],
  ])('is waited for only as long as Retry-After says, if it says so: %s', async (header, retryAfterMs) => {
    google.failNext('users', tooManyRequests(header));
    await expect(list()).rejects.toMatchObject({ kind: 'busy', retryAfterMs });
  });
});

describe('no response', () => {
  it.each<[string, FakeResponse | 'drop' | 'cut']>([
    ['500', backendError()],
    ['502 in HTML', { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>secret</h1>' }],
    ['a connection that is closed', 'drop'],
    ['half a response', 'cut'],
    ['half a response of unknown length', { headers: { 'transfer-encoding': 'chunked' }, body: '{}', isCut: true }],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
  ])('is a temporary failure if there is %s', async (_, fault) => {
    for (let count = 0; count < 20; count += 1) google.addUser();
    google.failNext('users', fault);
    await expect(list()).rejects.toMatchObject({ name: 'ProviderError', kind: 'unreachable' });
    expect(google.requests).toHaveLength(1);
  });

  it('is a temporary failure for a closed port', async () => {
    const options = { apiUrl: 'http://127.0.0.1:1/' };
    await expect(openGoogle(google, { options }).listUsers({ signal: never })).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it.each([['users'], ['token']] as const)('ends the attempt in time, for %s', async (kind) => {
    google.failNext(kind, 'hang');
    const connection = kind === 'token' ? { accessToken: '' } : {};
    const source = openGoogle(google, { connection, options: { requestTimeoutMs: 1_000 } });
    await expect(source.listUsers({ signal: never })).rejects.toMatchObject({ kind: 'unreachable' });
    expect(google.requests).toHaveLength(1);
  });

  it('ends the attempt in time, even after garbage collection', async () => {
    google.failNext('users', 'hang');
    google.before('users', async () => {
      for (let count = 0; count < 3; count += 1) await immediate(collectGarbage());
    });
    const source = openGoogle(google, { options: { requestTimeoutMs: 200 } });
    await expect(source.listUsers({ signal: never })).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('is not awaited after the caller has left', async () => {
    const leaving = new AbortController();
    google.before('users', () => leaving.abort(new Error('leaves')));
    google.failNext('users', 'hang');
    await expect(openGoogle(google).listUsers({ signal: leaving.signal })).rejects.toThrow('leaves');
    await expect(openGoogle(google).listUsers({ signal: leaving.signal })).rejects.toThrow('leaves');
    expect(google.requests).toHaveLength(1);
  });
});

describe('page token', () => {
  it('has expired if Google no longer accepts it', async () => {
    google.preset({ users: Array.from({ length: 501 }, () => createGoogleUser()) });
    const { nextPageToken } = await list();
    google.expirePageTokens();
    await expect(list(nextPageToken)).rejects.toMatchObject({ kind: 'page_expired' });
  });

  it.each([
    ['its parameter', apiError(400, 'other', 'x', { location: 'pageToken' })],
    ['its name', apiError(400, 'badRequest', 'Invalid page token secret')],
  ])('has expired if Google reports %s', async (_, fault) => {
    google.failNext('users', fault);
    await expect(list('a')).rejects.toMatchObject({ kind: 'page_expired' });
  });

  it.each([
    ['there was no token', undefined, apiError(400, 'invalid', 'Invalid Input')],
    ['it is about another parameter', 'a', apiError(400, 'invalid', 'Invalid page token', { location: 'maxResults' })],
    ['something else is wrong', 'a', apiError(400, 'badRequest', 'Bad Request')],
  ])('has not expired if %s', async (_, pageToken, fault) => {
    google.failNext('users', fault);
    await expect(list(pageToken)).rejects.toMatchObject({ kind: 'rejected' });
  });
});

describe('rejection', () => {
  it.each<[string, FakeResponse]>([
    ['an administrator who may not read', apiError(403, 'forbidden', 'Not Authorized to access this resource/api')],
    ['a disabled API', apiError(403, 'accessNotConfigured', 'x')],
    ['a disabled API, in the newer format', details('SERVICE_DISABLED')],
    ['a domain without APIs', apiError(403, 'domainCannotUseApis', 'x')],
    ['missing scopes', apiError(403, 'insufficientPermissions', 'x')],
    ['missing scopes, in the newer format', details('ACCESS_TOKEN_SCOPE_INSUFFICIENT')],
    ['for a reason of its own', apiError(403, 'unheardOf', 'x')],
    ['without a reason', { status: 403, body: 'secret' }],
    ['another request', apiError(404, 'notFound', 'secret')],
    ['with an unknown response', { status: 400, body: { error: { errors: [{ reason: 7 }], details: 'secret' } } }],
  ])('is recognized: %s', async (_, fault) => {
    google.failNext('users', fault);
    await expect(list()).rejects.toMatchObject({ kind: 'rejected' });
  });

  it('names the missing authorization if it omits the groups', async () => {
    const { accessToken } = google.issueTokens('https://www.googleapis.com/auth/admin.directory.user.readonly');
    const source = openGoogle(google, { connection: { accessToken } });
    await source.listUsers({ signal: never });
    await expect(source.listGroups({ signal: never })).rejects.toMatchObject({ kind: 'rejected' });
  });
});

it('reveals no secret, whatever fails', async () => {
  const secret = 'se-cret@example.com';
  const faults: FakeResponse[] = [400, 401, 403, 404, 429, 500].flatMap((status) => [
    { status, body: secret },
    apiError(status, secret, secret, { location: secret }),
    { status, body: { error: secret, error_description: secret } },
  ]);
  for (const fault of faults)
    for (const kind of ['users', 'token'] as const) {
      google.failNext(kind, fault, fault.status === 401 && kind === 'users' ? 2 : 1);
      const connection = { ...google.issueTokens(), accessTokenExpiresAt: kind === 'token' ? new Date(0) : undefined };
      const error = (await openGoogle(google, { connection })
        .listUsers({ pageToken: secret, signal: never })
        .catch((thrown: unknown) => thrown)) as ProviderError;
      expect(error).toBeInstanceOf(ProviderError);
      expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(
        new RegExp(`${secret}|${connection.accessToken}|${connection.refreshToken}`),
      );
      expect(error.cause).toBeUndefined();
    }
});

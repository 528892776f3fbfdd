import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RenewedTokens } from '../../../src/directory/sync/provider.ts';
import { startFakeGoogle, type FakeGoogle } from '../../support/google/fake-google.ts';
import { oauthError, quotaError } from '../../support/google/google-errors.ts';
import { never, openGoogle } from '../../support/google/open-google.ts';

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000);
const request = { signal: never };

let google: FakeGoogle;
let renewed: RenewedTokens[];
const onRenewed = async (tokens: RenewedTokens) => void renewed.push(tokens);
const kinds = () => google.requests.map(({ kind }) => kind);

beforeEach(async () => {
  google = await startFakeGoogle();
  renewed = [];
});
afterEach(async () => google.stop());

describe('access token', () => {
  it('is used until a minute before it expires', async () => {
    const source = openGoogle(google, { connection: { accessTokenExpiresAt: inSeconds(65) }, onRenewed });
    await source.listUsers(request);
    expect(kinds()).toEqual(['users']);
  });

  it('is renewed within its last minute', async () => {
    const source = openGoogle(google, { connection: { accessTokenExpiresAt: inSeconds(55) }, onRenewed });
    await source.listUsers(request);
    await source.listUsers(request);
    expect(kinds()).toEqual(['token', 'users', 'users']);
    expect(google.requests[1]!.authorization).toBe(`Bearer ${renewed[0]!.accessToken}`);
    expect(renewed).toEqual([{ accessToken: expect.any(String), expiresAt: expect.any(Date) }]);
    expect(Math.abs(renewed[0]!.expiresAt!.getTime() - inSeconds(3600).getTime())).toBeLessThan(5000);
  });

  it('is fetched if there is none', async () => {
    await openGoogle(google, { connection: { accessToken: '', accessTokenExpiresAt: undefined }, onRenewed }).listGroups(request);
    expect(kinds()).toEqual(['token', 'groups']);
  });

  it.each([
    ['unknown', undefined],
    ['in an hour by our clock', inSeconds(3600)],
  ])('is renewed if Google rejects it and it expires %s', async (_, accessTokenExpiresAt) => {
    const source = openGoogle(google, { connection: { accessTokenExpiresAt }, onRenewed });
    google.expireAccessTokens();
    await source.listUsers(request);
    expect(kinds()).toEqual(['users', 'token', 'users']);
    expect(renewed).toHaveLength(1);
  });

  it('is not renewed after another error', async () => {
    google.failNext('users', quotaError());
    const source = openGoogle(google, { connection: { accessTokenExpiresAt: undefined } });
    await expect(source.listUsers(request)).rejects.toMatchObject({ kind: 'busy' });
    expect(kinds()).toEqual(['users']);
  });

  it('is renewed once for concurrent requests', async () => {
    const source = openGoogle(google, { connection: { accessTokenExpiresAt: inSeconds(-1) }, onRenewed });
    await Promise.all([source.listUsers(request), source.listGroups(request), source.listUsers(request)]);
    expect(kinds().filter((kind) => kind === 'token')).toHaveLength(1);
    google.expireAccessTokens();
    await Promise.all([source.listUsers(request), source.listGroups(request), source.listUsers(request)]);
    expect(kinds().filter((kind) => kind === 'token')).toHaveLength(2);
    expect(renewed).toHaveLength(2);
  });

  it('is not used before it is stored', async () => {
    const kept = new EventEmitter();
    const source = openGoogle(google, {
      connection: { accessTokenExpiresAt: inSeconds(-1) },
      onRenewed: async () => {
        kept.emit('asked');
        await once(kept, 'done');
      },
    });
    const requested = once(kept, 'asked');
    const listed = Promise.all([source.listUsers(request), source.listGroups(request)]);
    await requested;
    // A request that does not wait would arrive before this one.
    await fetch(google.url);
    expect(kinds()).toEqual(['token', 'unknown']);
    kept.emit('done');
    await listed;
    expect(kinds().sort()).toEqual(['groups', 'token', 'unknown', 'users']);
  });

  it('is not used if it cannot be stored, and is renewed again', async () => {
    let failures = 1;
    const source = openGoogle(google, {
      connection: { accessTokenExpiresAt: inSeconds(-1) },
      onRenewed: async () => {
        if (failures-- > 0) throw new Error('No database.');
      },
    });
    await expect(source.listUsers(request)).rejects.toThrow('No database.');
    expect(kinds()).toEqual(['token']);
    await source.listUsers(request);
    expect(kinds()).toEqual(['token', 'token', 'users']);
  });

  it('is renewed for the others if one caller leaves', async () => {
    const leaving = new AbortController();
    google.before('token', () => leaving.abort(new Error('leaves')));
    const source = openGoogle(google, { connection: { accessTokenExpiresAt: inSeconds(-1) } });
    const left = source.listUsers({ signal: leaving.signal });
    const stayed = source.listGroups(request);
    await expect(left).rejects.toThrow('leaves');
    expect(await stayed).toMatchObject({ listed: 0 });
    expect(kinds()).toEqual(['token', 'groups']);
  });
});

describe('refresh token', () => {
  it('is replaced by a new one that comes with a renewal', async () => {
    const { refreshToken } = google.issueTokens();
    google.failNext('token', { body: { access_token: 'unknown', expires_in: 3599, refresh_token: refreshToken } });
    const source = openGoogle(google, { connection: { accessTokenExpiresAt: inSeconds(-1) }, onRenewed });
    await source.listUsers(request);
    expect(renewed).toEqual([
      { accessToken: 'unknown', expiresAt: expect.any(Date), refreshToken },
      { accessToken: expect.any(String), expiresAt: expect.any(Date), refreshToken },
    ]);
    expect(google.requests.filter(({ kind }) => kind === 'token')[1]!.form.get('refresh_token')).toBe(refreshToken);
  });

  it('is unauthorized once the authorization is revoked', async () => {
    const source = openGoogle(google);
    google.revokeAuthorization();
    await expect(source.listUsers(request)).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(kinds()).toEqual(['users', 'token']);
  });

  it('is unauthorized if there is none', async () => {
    const source = openGoogle(google, { connection: { accessToken: '', refreshToken: '' } });
    await expect(source.listUsers(request)).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(google.requests).toEqual([]);
  });

  it('is rejected if a new access token is rejected too', async () => {
    google.before('users', () => google.expireAccessTokens());
    await expect(openGoogle(google).listUsers(request)).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(kinds()).toEqual(['users', 'token', 'users']);
  });

  it.each([
    ['unauthorized_client', 401, 'unauthorized'],
    ['invalid_client', 401, 'rejected'],
    ['invalid_request', 400, 'rejected'],
    ['temporarily_unavailable', 503, 'busy'],
    ['internal_failure', 500, 'unreachable'],
  ])('fails on %s without a retry', async (error, status, kind) => {
    google.failNext('token', oauthError(status, error));
    const source = openGoogle(google, { connection: { accessTokenExpiresAt: inSeconds(-1) } });
    await expect(source.listUsers(request)).rejects.toMatchObject({ kind });
    expect(kinds()).toEqual(['token']);
  });

  it.each([['null'], ['[]'], ['{}'], ['{"access_token":7}'], ['<h1>Welcome</h1>']])(
    'is rejected with `unreadable` if the response is %s',
    async (body) => {
      google.failNext('token', { body });
      const source = openGoogle(google, { connection: { accessTokenExpiresAt: inSeconds(-1) } });
      await expect(source.listUsers(request)).rejects.toMatchObject({ name: 'ProviderError', kind: 'invalid_response' });
    },
  );
});

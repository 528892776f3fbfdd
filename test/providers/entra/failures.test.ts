import { beforeEach, describe, expect, it } from '@jest/globals';
import { createEntraDirectory } from '../../support/entra/entra-directory.ts';
import type { EntraRequest, FakeEntra } from '../../support/entra/fake-entra.ts';
import type { Body, Reply } from '../../support/entra/entra-lists.ts';
import { useEntraSyncService } from '../../support/entra/entra-service.ts';
import { changed, type Run } from '../../support/pulled-directories.ts';
import type { DirectService } from '../../support/direct-service.ts';

let entra: FakeEntra;
let service: DirectService;
useEntraSyncService((started) => ({ entra, service } = started));
beforeEach(() => {
  entra.heal();
  for (const map of [entra.users, entra.groups, entra.members]) map.clear();
  Object.assign(entra.state, { isConsented: true, secretError: undefined });
  entra.revokeTokens();
  const team = entra.addGroup({ displayName: 'Team' });
  for (let count = 0; count < 5; count += 1) entra.addMember(team.id, entra.addUser().id);
});

const isDelta = (kind: 'users' | 'groups') => (request: EntraRequest) => request.path === `/v1.0/${kind}/delta`;
const isMembers = ({ path }: EntraRequest) => path.endsWith('/members');
const isToken = ({ path }: EntraRequest) => path.endsWith('/token');
const change = (changeBody: (body: Body) => unknown) => (normal: Reply) => ({ ...normal, body: changeBody(normal.body as Body) });
const outcomeOf = ({ state, error, changed: made }: Run) => [state, error?.code ?? null, made];

async function createSynced() {
  const directory = await createEntraDirectory(service, entra);
  expect((await directory.sync()).state).toBe('succeeded');
  await directory.expectSame();
  // These would be removed if a failed response counted as an empty list.
  entra.removeUser([...entra.users.keys()][0]!);
  entra.addUser();
  entra.requests.length = 0;
  return directory;
}

/** The next run continues where the last successful one ended. */
async function expectRecovery(directory: Awaited<ReturnType<typeof createSynced>>) {
  expect(await directory.newEvents()).toEqual([]);
  entra.requests.length = 0;
  expect((await directory.sync()).state).toBe('succeeded');
  expect(entra.requests.find(isDelta('users'))!.query.has('$deltatoken')).toBe(true);
  await directory.expectSame();
}

const batch = ({ path }: EntraRequest) => path === '/v1.0/$batch';

describe('an undocumented response', () => {
  it.each<[string, (url: string) => (normal: Reply) => Reply]>([
    ['has no value', () => change((body) => ({ ...body, value: undefined }))],
    ['has no link', () => change(({ value }) => ({ value }))],
    ['has both links', (url) => change((body) => ({ ...body, '@odata.nextLink': `${url}/v1.0/users/delta?$skiptoken=both` }))],
    [
      'has far too many objects',
      () => change((body) => ({ ...body, value: Array.from({ length: 10_001 }, (_, id) => ({ id: `${id}` })) })),
    ],
    ['is no object', () => change(() => [])],
    ['is cut off, although its length is right', () => (normal) => ({ ...normal, body: JSON.stringify(normal.body).slice(0, -5) })],
    ['is empty', () => (normal) => ({ ...normal, body: ' ' })],
    ['has an object without an ID', () => change((body) => ({ ...body, value: [{ displayName: 'Nobody' }] }))],
    ['links to another address', () => change(({ value }) => ({ value, '@odata.nextLink': 'https://evil.example/v1.0/users/delta' }))],
    ['links to another address in the end', () => change(({ value }) => ({ value, '@odata.deltaLink': 'http://127.0.0.1:1/v1.0' }))],
    ['is a redirect', () => () => ({ status: 302, headers: { location: 'https://evil.example/' }, body: {} })],
  ])('fails the run if it %s, and the links stay', async (_, toFault) => {
    const directory = await createSynced();
    // A step may be repeated on a machine that is overloaded.
    entra.fail(isDelta('users'), toFault(entra.url), 3);
    expect(outcomeOf(await directory.sync())).toEqual(['failed', 'invalid_provider_response', changed()]);
    entra.heal();
    await expectRecovery(directory);
  });

  it('fails the run if a link leads to its own page, or links form a cycle', async () => {
    const directory = await createSynced();
    const link = `${entra.url}/v1.0/users/delta?$deltatoken=circle`;
    entra.fail(isDelta('users'), { status: 200, body: { value: [], '@odata.nextLink': link } }, 3);
    expect(outcomeOf(await directory.sync())).toEqual(['failed', 'invalid_provider_response', changed()]);
    expect(entra.requests.filter(isDelta('users')).length).toBeLessThanOrEqual(4);
    entra.heal();
    await expectRecovery(directory);
  });
});

describe('a failure', () => {
  it.each<[string, (request: EntraRequest) => boolean]>([
    ['users', isDelta('users')],
    ['groups', isDelta('groups')],
    ['changed objects', ({ path }) => path === '/v1.0/$batch'],
    ['members', isMembers],
  ])('of the list of %s ends nothing: the run goes on at its page', async (_, match) => {
    const directory = await createSynced();
    for (const fault of ['drop', 'cut', { status: 503, body: {}, headers: { 'retry-after': '0' } }] as const) entra.fail(match, fault);
    entra.fail(match, { status: 429, body: {}, headers: { 'retry-after': new Date(Date.now() - 1_000).toUTCString() } });
    expect((await directory.sync()).state).toBe('succeeded');
    await directory.expectSame();
  });

  it('of a later page does not read the earlier pages again', async () => {
    const directory = await createEntraDirectory(service, entra);
    let failing: string | undefined;
    // Each list has tokens of its own, and an earlier directory may be read at the same time.
    const isFailing = (request: EntraRequest) => {
      const token = request.query.get('$skiptoken') ?? undefined;
      return isDelta('users')(request) && token !== undefined && (failing ??= token) === token;
    };
    entra.fail(isFailing, { status: 429, body: {}, headers: { 'retry-after': '1' } }, 2);
    expect((await directory.sync()).state).toBe('succeeded');
    expect(entra.requests.filter(isFailing)).toHaveLength(3);
    await directory.expectSame();
  });

  it('of a rate limit is retried after the time that the response contains', async () => {
    const directory = await createSynced();
    entra.fail(isDelta('users'), { status: 429, body: {}, headers: { 'retry-after': '3' } });
    const from = Date.now();
    expect((await directory.sync()).state).toBe('succeeded');
    expect(Date.now() - from).toBeGreaterThan(2_900);
    entra.addUser();
    entra.fail(isDelta('users'), { status: 503, body: {}, headers: { 'retry-after': new Date(Date.now() + 4_000).toUTCString() } });
    const again = Date.now();
    expect((await directory.sync()).state).toBe('succeeded');
    expect(Date.now() - again).toBeGreaterThan(2_500);
    await directory.expectSame();
  });

  it('of a token during a run is fixed by a new token', async () => {
    const directory = await createSynced();
    entra.fail(isDelta('groups'), (normal) => {
      entra.revokeTokens();
      return { ...normal, status: 401, body: {} };
    });
    expect((await directory.sync()).state).toBe('succeeded');
    expect(entra.requests.filter(isToken)).toHaveLength(1);
    await directory.expectSame();
  });
});

describe('access', () => {
  it.each(['7000215', '7000222'])(
    'with an invalid client secret (%s) is rejected, and works again without a new consent',
    async (number) => {
      const directory = await createSynced();
      entra.revokeTokens();
      entra.state.secretError = number;
      const run = await directory.sync();
      expect([outcomeOf(run), run.error.message]).toEqual([
        ['failed', 'provider_rejected', changed()],
        expect.stringContaining('DSYNC_ENTRA_CLIENT_SECRET'),
      ]);
      expect((await directory.get()).entra_authorization).toBe('authorized');
      entra.state.secretError = undefined;
      await expectRecovery(directory);
    },
  );

  it('that was revoked needs an authorization', async () => {
    const directory = await createSynced();
    entra.revokeTokens();
    entra.state.isConsented = false;
    expect(outcomeOf(await directory.sync())).toEqual(['failed', 'needs_authorization', changed()]);
    expect(await directory.get()).toMatchObject({
      entra_authorization: 'needs_authorization',
      entra_authorization_error: expect.stringContaining('AADSTS65001'),
    });
    expect((await directory.requestSync()).status).toBe(400);
  });

  it('that lacks a permission needs an authorization, but not if a new token has the permission', async () => {
    const directory = await createSynced();
    const denied = { status: 403, body: { error: { code: 'Authorization_RequestDenied', message: '' } } };
    entra.fail(isDelta('users'), denied);
    entra.fail(
      batch,
      change(({ responses }) => ({ responses: (responses as Body[]).map((one) => ({ ...one, ...denied })) })),
    );
    const run = await directory.sync();
    expect([run.error, entra.requests.filter(isToken).length]).toEqual([null, 2]);
    await directory.expectSame();
    entra.fail(isDelta('users'), denied, 2);
    expect(outcomeOf(await directory.sync())).toEqual(['failed', 'needs_authorization', changed()]);
  });

  it('that is denied for another reason needs no authorization', async () => {
    const directory = await createSynced();
    entra.fail(isDelta('users'), { status: 403, body: { error: { code: 'AccessBlocked', message: '' } } }, 2);
    const run = await directory.sync();
    expect([outcomeOf(run), run.error.message]).toEqual([
      ['failed', 'provider_rejected', changed()],
      expect.stringMatching(/403, AccessBlocked/),
    ]);
    await expectRecovery(directory);
  });

  it('to assignments that lacks a permission names it', async () => {
    entra.assigned.clear();
    const directory = await createEntraDirectory(service, entra, { entra_assigned_only: true });
    const denied = { status: 403, body: { error: { code: 'Authorization_RequestDenied', message: '' } } };
    entra.fail(({ path }) => path === '/v1.0/servicePrincipals', denied, 2);
    const { error } = await directory.sync();
    expect([error.code, error.message]).toEqual(['needs_authorization', expect.stringContaining('Application.Read.All')]);
  });
});

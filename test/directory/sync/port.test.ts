import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { ActivityDeps } from '../../../activities/index.ts';
import { ProviderError } from '../../../src/directory/sync/provider.ts';
import type { SyncPosition } from '../../../src/directory/sync/sync-run.ts';
import { runSyncStep } from '../../../src/directory/sync/run-sync-step.ts';
import { newId } from '../../../src/ids.ts';
import { createBrowser } from '../../support/browser.ts';
import { changed, toPulledDirectory } from '../../support/pulled-directories.ts';
import { createListedProvider } from '../../support/listed-provider.ts';
import { group, user } from '../../support/sync-stores.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const provider = createListedProvider();
let service: TestService;
let deps: ActivityDeps;
beforeAll(async () => {
  service = await startTestService(
    {},
    {
      provider,
      replaceActivityDeps: (made) => (deps = made),
    },
  );
});
afterAll(() => service.stop());
beforeEach(() => {
  provider.users = ['1', '2', '3', '4', '5'].map((id) => user(id));
  provider.groups = ['a', 'b', 'c'].map((id) => group(id));
  provider.members = new Map([
    ['a', ['1', '2', '3', 'b', 'stranger']],
    ['c', ['5']],
  ]);
});

const everything = changed({ users: [5, 0, 0], groups: [3, 0, 0], members: [6, 0] });
const news = {
  'user.created': 5,
  'group.created': 3,
  'group.updated': 1,
  'group.user_added': 4,
};

async function create(fields: Record<string, unknown>) {
  const { body } = await service.api('POST', '/api/v1/directory-sync', { tenant: 'acme', product: 'app', type: 'google', ...fields });
  return toPulledDirectory(service, body.data.id);
}

it('lets another provider authorize, list and fail as Google does', async () => {
  const directory = await create({});
  const { body } = await service.api('POST', `${directory.path}/google/authorization-url`);
  expect((await createBrowser().openAndContinue(body.data.authorizationUrl)).status).toBe(200);
  const run = await directory.untilNewestEnded();
  expect([run.state, run.pages, run.changed, await directory.countNewEvents()]).toEqual(['succeeded', 3 + 2 + 3 + 1 + 1, everything, news]);
  expect(await directory.get()).toMatchObject({ google_access_token: 'renewed', google_refresh_token: 'rotated' });

  const rejected = new ProviderError('rejected', 'An administrator must do something.');
  provider.failure = rejected;
  expect((await directory.sync()).error).toEqual({ code: 'provider_rejected', message: rejected.message });
  provider.failure = new ProviderError('busy', 'In a moment.', { retryAfterMs: 10 });
  provider.users = provider.users.slice(1);
  const later = await directory.sync();
  expect([later.state, later.changed]).toEqual(['succeeded', changed({ users: [0, 0, 1] })]);
  const revoked = new ProviderError('unauthorized', 'The authorization was revoked.');
  provider.failure = revoked;
  expect((await directory.sync()).error).toEqual({ code: 'needs_authorization', message: revoked.message });
  expect(await directory.get()).toMatchObject({
    google_authorization: 'needs_authorization',
    google_authorization_error: revoked.message,
  });
});

it('checks what a provider lacks before it sends a person there', async () => {
  const directory = await create({});
  provider.missing = 'Set a client first.';
  const { status, body } = await service.api('POST', `${directory.path}/google/authorization-url`);
  expect([status, body.error.message]).toEqual([503, provider.missing]);
  provider.missing = undefined;
  expect((await service.api('POST', `${directory.path}/google/authorization-url`)).status).toBe(200);
});

it('ends the same when each step runs twice, with the smallest possible steps', async () => {
  const directory = await create({ google_access_token: 'a' });
  const directoryId = directory.id;
  await service.db('sync_runs').insert({ id: newId(), directory_id: directoryId, state: 'queued', trigger: 'request' });
  const runId = (await deps.syncs.begin({ directoryId, workflowRun: 'this test' }))!;
  const take = (position: SyncPosition) => {
    let beats = 0;
    // The time is up after the first progress.
    const run = { beat: () => void (beats += 1), signal: new AbortController().signal, budgetMs: 1, now: () => beats };
    return runSyncStep({ ...deps, store: deps.syncs, onQuotaReached: () => undefined }, { directoryId, runId, position }, run);
  };
  const phases: string[] = [];
  for (let position: SyncPosition | undefined = { phase: 'users' }; position;) {
    phases.push(position.phase);
    const here: SyncPosition = position;
    const result = await take(here);
    position = result.kind === 'advanced' ? result.position : undefined;
    await take(here);
  }
  expect([...new Set(phases)]).toEqual(['users', 'groups', 'members', 'comparing', 'applying']);
  expect(phases.length).toBeGreaterThan(9);
  const run = await directory.run(runId);
  expect([run.state, run.seen, run.changed]).toEqual(['succeeded', { users: 5, groups: 3, members: 6 }, everything]);
  expect(await directory.countNewEvents()).toEqual(news);
});

const list = <Item>(items: Item[], nextPageToken: string) => Promise.resolve({ items, listed: items.length, nextPageToken });

/** What a list returns for each page token. Pages without users list nobody. */
type Lists = Partial<Record<'listUsers' | 'listGroups' | 'listMembers', (pageToken: string | undefined) => string>> & { isEmpty?: boolean };

it.each<[string, Lists, RegExp]>([
  ['the same page again', { listUsers: () => '2' }, /requested page as the next page/],
  ['page tokens that it rejects afterwards', { listUsers: expireSecond }, /its own page tokens/],
  ['users in a circle of two pages', { listUsers: circle(2) }, /same page token twice/],
  ['users in a circle of 100 pages after 7 others', { listUsers: circle(100, 7) }, /same page token twice/],
  ['groups in a circle', { listGroups: circle(3) }, /same page token twice/],
  ['members in a circle', { listMembers: circle(3) }, /same page token twice/],
  ['endless empty pages of users', { listUsers: () => newId(), isEmpty: true }, /more than 1000 empty pages/],
  ['endless empty pages of groups', { listGroups: () => newId(), isEmpty: true }, /more than 1000 empty pages/],
  ['endless empty pages of members', { listMembers: () => newId(), isEmpty: true }, /more than 1000 empty pages/],
])('gives up a provider that returns %s', async (_what, { isEmpty = false, ...lists }, message) => {
  const directory = await create({ google_admin_email: 'a@b.example' });
  const open = provider.open;
  const listed = <Item>(item: Item) => (isEmpty ? [] : [item]);
  provider.open = (connection, hooks) => {
    const source = open(connection, hooks);
    return {
      ...source,
      ...(lists.listUsers && { listUsers: ({ pageToken }) => list(listed(user('1')), lists.listUsers!(pageToken)) }),
      ...(lists.listGroups && { listGroups: ({ pageToken }) => list(listed(group('a')), lists.listGroups!(pageToken)) }),
      ...(lists.listMembers && {
        listMembers: (_group, { pageToken }) => list(listed({ externalId: '1' }), lists.listMembers!(pageToken)),
      }),
    };
  };
  try {
    const run = await directory.sync();
    expect([run.state, run.error]).toEqual(['failed', { code: 'invalid_provider_response', message: expect.stringMatching(message) }]);
    expect(run.pages).toBeLessThan(2_000);
    expect(run.changed).toEqual(changed());
  } finally {
    provider.open = open;
  }
});

it('gives up a provider whose pages never end, although each has another token and an earlier user', async () => {
  const directory = await create({ google_admin_email: 'a@b.example' });
  const open = provider.open;
  let listed = 0;
  provider.open = (connection, hooks) => ({
    ...open(connection, hooks),
    async listUsers() {
      listed += 1;
      if (listed === 20) await service.db('sync_runs').where({ directory_id: directory.id, state: 'running' }).update({ pages: 310_001 });
      // A step ends after an error, and the run continues from there.
      if (listed === 20) throw new ProviderError('busy', 'In a moment.', { retryAfterMs: 1 });
      return { items: [user('1')], listed: 1, nextPageToken: newId() };
    },
  });
  try {
    const run = await directory.sync();
    expect([run.state, run.error]).toEqual(['failed', { code: 'invalid_provider_response', message: expect.stringContaining('310000') }]);
    expect(listed).toBe(20);
  } finally {
    provider.open = open;
  }
});

it('reads on from an empty page in the middle of a list', async () => {
  const directory = await create({ google_admin_email: 'a@b.example' });
  const open = provider.open;
  provider.open = (connection, hooks) => ({
    ...open(connection, hooks),
    listUsers: ({ pageToken = '0' }) =>
      Promise.resolve(
        pageToken === '900' ? { items: [user('1')], listed: 1 } : { items: [], listed: 0, nextPageToken: String(Number(pageToken) + 1) },
      ),
    listGroups: () => Promise.resolve({ items: [], listed: 0 }),
  });
  try {
    expect(await directory.sync()).toMatchObject({ state: 'succeeded', pages: 902, changed: changed({ users: [1, 0, 0] }) });
  } finally {
    provider.open = open;
  }
});

/** After the first pages, always the same ones. */
function circle(size: number, first = 0): (pageToken: string | undefined) => string {
  return (pageToken) => {
    const next = pageToken === undefined ? 0 : Number(pageToken) + 1;
    return String(next < first + size ? next : first);
  };
}

function expireSecond(pageToken: string | undefined): string {
  if (pageToken !== undefined) throw new ProviderError('page_expired', 'This page token has expired.');
  return '2';
}

import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { ActivityDeps } from '../../../activities/index.ts';
import { ProviderError } from '../../../src/directory/sync/provider.ts';
import type { SyncPosition } from '../../../src/directory/sync/run.ts';
import { takeSyncStep } from '../../../src/directory/sync/take-sync-step.ts';
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

  provider.failure = new ProviderError('refused', 'An administrator must do something.');
  expect((await directory.sync()).error).toEqual({ code: 'provider_refused', message: 'An administrator must do something.' });
  provider.failure = new ProviderError('busy', 'In a moment.', { retryAfterMs: 10 });
  provider.users = provider.users.slice(1);
  const later = await directory.sync();
  expect([later.state, later.changed]).toEqual(['succeeded', changed({ users: [0, 0, 1] })]);
  provider.failure = new ProviderError('unauthorized', 'The authorization was revoked.');
  expect((await directory.sync()).error).toEqual({ code: 'needs_authorization', message: 'The authorization was revoked.' });
  expect(await directory.get()).toMatchObject({
    google_authorization: 'needs_authorization',
    google_authorization_error: 'The authorization was revoked.',
  });
});

it('checks what a provider lacks before it sends a person there', async () => {
  const directory = await create({});
  provider.missing = 'Set a client first.';
  const { status, body } = await service.api('POST', `${directory.path}/google/authorization-url`);
  expect([status, body.error.message]).toEqual([503, 'Set a client first.']);
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
    return takeSyncStep({ ...deps, store: deps.syncs }, { directoryId, runId, position }, run);
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

it.each([
  ['the same page again', (): string => '2', /requested page as the next page/],
  ['page tokens that it rejects afterwards', (pageToken: string | undefined) => expireSecond(pageToken), /its own page tokens/],
])('gives up a provider that returns %s', async (_what, nextOf, message) => {
  const directory = await create({ google_admin_email: 'a@b.example' });
  const open = provider.open;
  provider.open = (connection, hooks) => ({
    ...open(connection, hooks),
    listUsers: async ({ pageToken }) => ({ items: [user('1')], listed: 1, nextPageToken: nextOf(pageToken) }),
  });
  try {
    const run = await directory.sync();
    expect([run.state, run.error]).toEqual(['failed', { code: 'provider_answer', message: expect.stringMatching(message) }]);
  } finally {
    provider.open = open;
  }
});

function expireSecond(pageToken: string | undefined): string {
  if (pageToken !== undefined) throw new ProviderError('page_expired', 'This page token has expired.');
  return '2';
}

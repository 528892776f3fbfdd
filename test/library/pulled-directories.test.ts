import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import type { RollcallEvent } from '../../src/library/index.ts';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { googleEnv } from '../support/pulled-directories.ts';
import { startTestLibrary, type TestLibrary } from '../support/library.ts';
import { everyRound } from '../support/rounds.ts';

let google: FakeGoogle;
let library: TestLibrary;
const unclaimed: RollcallEvent[] = [];
beforeAll(async () => {
  google = await startFakeGoogle();
  library = await startTestLibrary({ settings: googleEnv(google), onEvent: (event) => void unclaimed.push(event) });
});
afterAll(async () => {
  await library.stop();
  await google.stop();
});
beforeEach(() => google.preset({}));

async function createAuthorized() {
  const { accessToken, refreshToken } = google.issueTokens();
  const { data } = await library.sync.directories.create({ tenant: 'acme', product: 'app', type: 'google' });
  const set = await library.sync.google.setToken({ directoryId: data!.id, accessToken, refreshToken });
  expect(set).toMatchObject({ data: { id: data!.id, type: 'google', google_access_token: accessToken }, error: null });
  return data!.id;
}

it('leads an administrator through the consent in the three steps of the specification', async () => {
  const { data } = await library.sync.directories.create({ tenant: 'acme', product: 'app', type: 'google' });
  const { data: step } = await library.sync.google.generateAuthorizationUrl({ directoryId: data!.id });
  const consent = new URL(step!.authorizationUrl);
  expect(consent.searchParams.get('redirect_uri')).toBe('https://app.example/api/scim/oauth/callback');
  const rejected = await library.sync.google.getAccessToken({
    directoryId: data!.id,
    code: 'made-up',
    state: consent.searchParams.get('state')!,
  });
  expect(rejected).toMatchObject({ data: null, error: { message: expect.any(String) } });
});

it('syncs a directory, dispatches its events in order, and then nothing more', async () => {
  const directoryId = await createAuthorized();
  // The authorization has started a sync.
  await library.sync.sync(directoryId);
  const ada = google.addUser({ primaryEmail: 'ada@acme.example' });
  google.addUser({ primaryEmail: 'ben@acme.example' });
  const team = google.addGroup({ name: 'Team', email: 'team@acme.example' });
  google.addMember(team.id, { id: ada.id, type: 'USER' });
  const events: RollcallEvent[] = [];
  const first = await library.sync.sync(directoryId, (event) => void events.push(event));
  expect(first).toMatchObject({ data: [{ directory_id: directoryId, state: 'succeeded' }], error: null });
  expect(events.map(({ event }) => event).sort()).toEqual(['group.created', 'group.user_added', 'user.created', 'user.created']);
  expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  const second = await library.sync.sync(undefined, (event) => void events.push(event));
  expect([second.data?.find((run) => run.directory_id === directoryId)?.state, events.length]).toEqual(['succeeded', 4]);
});

it('syncs once if it is called twice concurrently', async () => {
  const directoryId = await createAuthorized();
  google.addUser({ primaryEmail: 'once@acme.example' });
  const [one, other] = await Promise.all([library.sync.sync(directoryId), library.sync.sync(directoryId)]);
  expect(one.data?.[0]?.id).toBe(other.data?.[0]?.id);
});

it('reports what is wrong with a directory that cannot be synced', async () => {
  const { id } = await library.createDirectory();
  expect(await library.sync.sync(id)).toMatchObject({
    data: null,
    error: { code: 'invalid_request', message: expect.stringContaining('google') },
  });
});

it('dispatches unrequested syncs, such as after an authorization, to `onEvent`, each event once', async () => {
  for (let index = 0; index < 30; index += 1) google.addUser({ primaryEmail: `p${index}@acme.example` });
  const directories = await Promise.all(Array.from({ length: 8 }, createAuthorized));
  await library.sync.sync();
  await Promise.all(directories.flatMap((id) => [library.sync.sync(id), library.sync.sync(id)]));
  for (const id of directories) {
    const sequences = unclaimed.filter(({ directory_id: directoryId }) => directoryId === id).map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  }
});

it('rejects a sync that a callback of the same directory would wait for', async () => {
  const directoryId = await createAuthorized();
  google.addUser({ primaryEmail: 'nested@acme.example' });
  const responses: unknown[] = [];
  await library.sync.sync(directoryId, async () => responses.push((await library.sync.sync(directoryId)).error?.message));
  const fromTheConsent = unclaimed.filter(({ directory_id: id }) => id === directoryId).length;
  expect(responses.length + fromTheConsent).toBe(1);
  expect(responses.every((message) => String(message).includes('must not wait for a sync'))).toBe(true);
});

it.each(everyRound)('resumes a sync of a killed process, and returns the run that replaces it, round %i', async (round) => {
  const directoryId = await createAuthorized();
  await library.sync.sync(directoryId);
  google.addUser({ primaryEmail: `left-${round}@acme.example` });
  const leftBehind = newId();
  await library.db('sync_runs').insert({
    id: leftBehind,
    directory_id: directoryId,
    trigger: 'request',
    state: 'running',
    workflow_run: 'of a dead process',
    started_at: new Date(),
  });
  const { data } = await library.sync.sync(directoryId);
  expect(data).toMatchObject([{ state: 'succeeded', changed: { users: { created: 1 } } }]);
  expect((await library.sync.syncs.get(directoryId, leftBehind)).data?.state).toBe('failed');
});

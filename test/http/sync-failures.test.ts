import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { apiError, quotaError, tooManyRequests, type Fault } from '../support/google/google-errors.ts';
import type { GoogleRequest } from '../support/google/google-faults.ts';
import { useSyncService } from '../support/google-service.ts';
import { changed, createPulledDirectory, hold, type Run } from '../support/pulled-directories.ts';
import type { DirectService } from '../support/direct-service.ts';

let google: FakeGoogle;
let service: DirectService;
useSyncService((started) => ({ google, service } = started));
beforeAll(() => {
  const [ada, ben] = [google.addUser({ primaryEmail: 'ada@acme.example' }), google.addUser({ primaryEmail: 'ben@acme.example' })];
  const team = google.addGroup({ name: 'Team' });
  for (const { id } of [ada, ben]) google.addMember(team.id, { id, type: 'USER' });
});

const page = (kind: string, list: unknown) => ({ body: { kind: `admin#directory#${kind}`, [kind]: list } });

const long = randomBytes(2_000).toString('hex');
const longUser = { id: '1', primaryEmail: `${long}@acme.example`, name: {} };

const tooLargeUser = { id: '1', primaryEmail: 'x@acme.example', name: {}, thumbnailPhotoUrl: 'x'.repeat(1_048_576) };

interface Case {
  kind: GoogleRequest['kind'];
  fault: Fault;
  says: RegExp;
}

it('retries temporary failures, reports them meanwhile, and succeeds', async () => {
  const cases: Case[] = [
    { kind: 'users', fault: quotaError(), says: /403/ },
    { kind: 'groups', fault: tooManyRequests('0'), says: /429/ },
    { kind: 'members', fault: apiError(503, 'backendError', 'Service Unavailable'), says: /503/ },
    { kind: 'groups', fault: apiError(500, 'backendError', 'Internal Error'), says: /500/ },
    { kind: 'users', fault: 'drop', says: /connection/ },
    { kind: 'members', fault: 'cut', says: /connection/ },
  ];
  const outcomes = await Promise.all(
    cases.map(async ({ kind, fault }) => {
      const directory = await createPulledDirectory(service, google);
      google.failNext(directory.isRequestFor(kind), fault);
      // The next attempt waits until the test has read the notice.
      let count = 0;
      const again = hold(google, (request) => directory.isRequestFor(kind)(request) && (count += 1) > 1);
      const runId = await directory.begin();
      const { notice, state, phase, finished_at } = await directory.untilRun(runId, (run) => run.notice !== null).finally(again.release);
      const waiting = { state, finished_at, isAtPhase: phase === kind || phase === { groups: 'users', members: 'groups' }[kind as string] };
      const run = await directory.untilEnded(runId);
      return { notice, waiting, end: [run.state, run.notice, run.error, run.changed], emitted: await directory.countNewEvents() };
    }),
  );
  expect(outcomes).toEqual(
    cases.map(({ says }) => ({
      notice: expect.stringMatching(says),
      waiting: { state: 'running', finished_at: null, isAtPhase: true },
      end: ['succeeded', null, null, changed({ users: [2, 0, 0], groups: [1, 0, 0], members: [2, 0] })],
      emitted: { 'user.created': 2, 'group.created': 1, 'group.user_added': 2 },
    })),
  );
}, 180_000);

it('fails on permanent failures, says what to do, and removes nothing because of them', async () => {
  const cases: (Case & { code: string })[] = [
    { kind: 'users', fault: apiError(403, 'forbidden', 'Not Authorized'), code: 'provider_rejected', says: /administrator/ },
    { kind: 'groups', fault: apiError(403, 'accessNotConfigured', 'Off'), code: 'provider_rejected', says: /Admin SDK/ },
    { kind: 'users', fault: { body: '<html>Sorry</html>' }, code: 'invalid_provider_response', says: /JSON/ },
    {
      kind: 'users',
      fault: page('users', [{ primaryEmail: 'x@acme.example' }]),
      code: 'invalid_provider_response',
      says: /users\[0\]\.id/,
    },
    { kind: 'groups', fault: page('groups', 'none'), code: 'invalid_provider_response', says: /groups/ },
    { kind: 'members', fault: page('users', []), code: 'invalid_provider_response', says: /kind/ },
    // The bytes count although the field is not part of the resource.
    { kind: 'users', fault: page('users', [tooLargeUser]), code: 'invalid_provider_response', says: /1048576 bytes/ },
    { kind: 'users', fault: page('users', [longUser]), code: 'invalid_provider_response', says: /userName/ },
    {
      kind: 'groups',
      fault: page('groups', [{ id: '1', email: 'a@b.example', name: long }]),
      code: 'invalid_provider_response',
      says: /displayName/,
    },
    { kind: 'members', fault: page('members', [{ id: long, type: 'USER' }]), code: 'invalid_provider_response', says: /externalId/ },
  ];
  const outcomes = await Promise.all(
    cases.map(async ({ kind, fault }) => {
      const directory = await createPulledDirectory(service, google);
      await directory.sync();
      await directory.newEvents();
      google.failNext(directory.isRequestFor(kind), fault);
      const run: Run = await directory.sync();
      const members = await service.db('group_members').where({ directory_id: directory.id });
      return {
        run: [run.state, run.error, run.changed],
        emitted: await directory.describeNewEvents(),
        members: members.length,
        settled: (await directory.sync()).changed,
      };
    }),
  );
  expect(outcomes).toEqual(
    cases.map(({ code, says }) => ({
      run: ['failed', { code, message: expect.stringMatching(says) }, changed()],
      emitted: [],
      members: 2,
      settled: changed(),
    })),
  );
}, 180_000);

it('keeps the members of a group that is deleted before its members are listed', async () => {
  const directory = await createPulledDirectory(service, google);
  await directory.sync();
  await directory.newEvents();
  const group = google.addGroup({ name: 'Short-lived' });
  const old = [...google.groups.values()][0]!;
  google.failNext(
    ({ kind, path }) => kind === 'members' && path.includes(old.id),
    apiError(404, 'notFound', 'Resource Not Found: groupKey'),
  );
  const end = google.before('members', () => google.groups.has(group.id) && google.removeGroup(group.id));
  const run = await directory.sync();
  end();
  expect([run.state, run.changed]).toEqual(['succeeded', changed({ groups: [1, 0, 0] })]);
  expect(await directory.describeNewEvents()).toEqual(['group.created Short-lived']);
  expect(await service.db('group_members').where({ directory_id: directory.id })).toHaveLength(2);
  expect((await directory.sync()).changed).toEqual(changed({ groups: [0, 0, 1] }));
  expect(await directory.describeNewEvents()).toEqual(['group.deleted Short-lived']);
});

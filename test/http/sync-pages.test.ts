import { beforeAll, expect, it } from '@jest/globals';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useSyncService } from '../support/google-service.ts';
import { changed, createPulledDirectory, type PulledDirectory } from '../support/pulled-directories.ts';
import type { DirectService } from '../support/direct-service.ts';

const testTimeoutMs = 120_000;
let google: FakeGoogle;
let service: DirectService;
let directory: PulledDirectory;
useSyncService((started) => ({ google, service } = started));
beforeAll(async () => {
  directory = await createPulledDirectory(service, google);
  const users = Array.from({ length: 501 }, () => google.addUser());
  const groups = Array.from({ length: 201 }, () => google.addGroup());
  for (const { id } of users.slice(0, 201)) google.addMember(groups[0]!.id, { id, type: 'USER' });
  for (const { id } of groups.slice(1)) google.addMember(id, { id: users[0]!.id, type: 'USER' });
});

const requestsFor = (kind: string) => google.requests.filter((request) => request.kind === kind);

it(
  'reads all pages of users, groups and members',
  async () => {
    const run = await directory.sync();
    expect(run).toMatchObject({ state: 'succeeded', pages: 2 + 2 + 2 + 200, seen: { users: 501, groups: 201, members: 401 } });
    expect(run.changed).toEqual(changed({ users: [501, 0, 0], groups: [201, 0, 0], members: [401, 0] }));
    expect(await directory.countNewEvents()).toEqual({ 'user.created': 501, 'group.created': 201, 'group.user_added': 401 });
    expect(['users', 'groups', 'members'].map((kind) => requestsFor(kind).length)).toEqual([2, 2, 202]);
  },
  testTimeoutMs,
);

it(
  'starts a list again when its page token has expired, and still reads everything',
  async () => {
    const before = google.requests.length;
    const expired: string[] = [];
    const end = google.before(
      ({ query }) => query.has('pageToken'),
      ({ kind }) => {
        if (expired.includes(kind)) return;
        expired.push(kind);
        google.expirePageTokens();
      },
    );
    const run = await directory.sync();
    end();
    expect(expired).toEqual(['users', 'groups', 'members']);
    expect([run.state, run.seen, run.changed]).toEqual(['succeeded', { users: 501, groups: 201, members: 401 }, changed()]);
    expect(await directory.describeNewEvents()).toEqual([]);
    const firstPages = google.requests.slice(before).filter(({ kind, query }) => kind === 'users' && !query.has('pageToken'));
    expect(firstPages).toHaveLength(2);
  },
  testTimeoutMs,
);

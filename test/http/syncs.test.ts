import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useSyncService } from '../support/google-service.ts';
import { changed, createPulledDirectory } from '../support/pulled-directories.ts';
import type { DirectService } from '../support/direct-service.ts';

let google: FakeGoogle;
let service: DirectService;
useSyncService((started) => ({ google, service } = started));
beforeEach(() => google.preset({}));

const root = '/api/v1/directory-sync';
const addPerson = (name: string, more: Record<string, unknown> = {}) => google.addUser({ primaryEmail: `${name}@acme.example`, ...more });

/** Two groups with the same name, one a member of the other; a member that is the whole domain, and an unknown one. */
function addSampleData() {
  const ada = addPerson('ada', { name: { givenName: 'Ada', familyName: 'Lovelace', fullName: 'Ada Lovelace' } });
  const ben = addPerson('ben', { suspended: true });
  const team = google.addGroup({ name: 'Team', email: 'team@acme.example' });
  const inner = google.addGroup({ name: 'Team', email: 'inner@acme.example' });
  google.addMember(team.id, { id: ada.id, type: 'USER' });
  google.addMember(team.id, { id: inner.id, type: 'GROUP' });
  google.addMember(team.id, { id: 'C01fake', type: 'CUSTOMER' });
  google.addMember(inner.id, { id: ben.id, type: 'USER' });
  google.addMember(inner.id, { id: '999', type: 'USER', email: 'eve@elsewhere.example' });
  return { ada, ben, team, inner };
}

/** By address, because two groups have the same name. */
const inShort = ({ event, data }: { event: string; data: { raw: Record<string, string>; group?: { raw: Record<string, string> } } }) =>
  [event, data.raw['primaryEmail'] ?? data.raw['email'], ...(data.group ? [data.group.raw['email']] : [])].join(' ');

/** A second sync after a change, its events, and a third sync. */
async function syncAfter(change: (made: ReturnType<typeof addSampleData>) => void) {
  const made = addSampleData();
  const directory = await createPulledDirectory(service, google);
  await directory.sync();
  await directory.newEvents();
  change(made);
  const run = await directory.sync();
  const events = await directory.newEvents();
  const settled = await directory.sync();
  expect(await directory.describeNewEvents()).toEqual([]);
  return { directory, run, events, settled, emitted: events.map(inShort) };
}
describe('a first sync', () => {
  it('emits each user, group and membership once, and reports what it did', async () => {
    const { ada, ben, team, inner } = addSampleData();
    const directory = await createPulledDirectory(service, google);
    const run = await directory.sync();
    expect(run).toEqual({
      id: expect.any(String),
      directory_id: directory.id,
      state: 'succeeded',
      phase: null,
      trigger: 'request',
      confirms: null,
      pages: 4,
      seen: { users: 2, groups: 2, members: 4 },
      planned: changed({ users: [2, 0, 0], groups: [2, 0, 0], members: [4, 0] }),
      changed: changed({ users: [2, 0, 0], groups: [2, 0, 0], members: [4, 0] }),
      failed: 0,
      failures: [],
      notice: null,
      error: null,
      requested_at: expect.any(String),
      started_at: expect.any(String),
      finished_at: expect.any(String),
      duration_ms: expect.any(Number),
    });
    const events = await directory.newEvents();
    const [teamId, innerId] = [team, inner].map(
      ({ id }) => events.find(({ event, data }) => event === 'group.created' && data.raw.externalId === id)!.data.id,
    );
    expect(events.map(({ event, data }) => [event, data.raw.externalId, ...(data.group ? [data.group.id] : [])])).toEqual([
      ['user.created', ada.id],
      ['user.created', ben.id],
      ['group.created', team.id],
      ['group.created', inner.id],
      ['group.updated', team.id],
      ['group.user_added', ada.id, teamId],
      ['group.user_added', ben.id, innerId],
    ]);
    expect(events[0]!.data).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@acme.example', active: true });
    expect(events[1]!.data).toMatchObject({ email: 'ben@acme.example', active: false });
    const nested = await service.api('GET', `${root}/groups/${teamId}/nested-groups?directoryId=${directory.id}`);
    expect(nested.body.data?.map(({ id }: { id: string }) => id)).toEqual([innerId]);
  });

  it('shows what Google returned as `raw`, with the IDs of Rollcall and of Google, until something that lasts changes', async () => {
    const { ada, ben, team } = addSampleData();
    google.changeUser(ada.id, { password: 'secret', hashFunction: 'MD5' });
    google.changeGroup(team.id, { directMembersCount: '3' });
    const { id: _id, password: _password, hashFunction: _hashFunction, ...returned } = google.users.get(ada.id)!;
    const { id: _groupId, ...group } = google.groups.get(team.id)!;
    const directory = await createPulledDirectory(service, google);
    await directory.sync();
    const events = await directory.newEvents();
    const rawOf = (event: string, externalId: string) =>
      events.find(({ event: type, data }) => type === event && data.raw.externalId === externalId)!.data.raw as Record<string, unknown>;
    const [userId, groupId] = [rawOf('user.created', ada.id), rawOf('group.created', team.id)].map(({ id }) => id as string);
    const wholeUser = { ...returned, externalId: ada.id, id: userId };
    const wholeGroup = { ...group, externalId: team.id, id: groupId, members: [] };
    expect(rawOf('user.created', ada.id)).toEqual(wholeUser);
    expect(rawOf('group.created', team.id)).toEqual(wholeGroup);
    const read = async (path: string) =>
      (await service.api('GET', `${root}/${path}?directoryId=${directory.id}`)).body.data as { raw: Record<string, unknown> };
    expect((await read(`users/${userId}`)).raw).toEqual(wholeUser);

    // A change of members leaves `raw` of the group as it is, and a lasting change of a user takes over the rest.
    google.addMember(team.id, { id: ben.id, type: 'USER' });
    google.changeUser(ada.id, { lastLoginTime: '2026-11-21T10:00:00.000Z' });
    await directory.sync();
    expect(await directory.describeNewEvents()).toEqual(['group.user_added ben@acme.example Team']);
    expect((await read('groups')) as unknown).toContainEqual(expect.objectContaining({ id: groupId, raw: wholeGroup }));
    expect((await read(`users/${userId}`)).raw).toEqual(wholeUser);
    google.changeUser(ada.id, { suspended: true });
    await directory.sync();
    const [updated] = await directory.newEvents();
    expect(updated!.data.raw).toEqual({ ...wholeUser, suspended: true, lastLoginTime: '2026-11-21T10:00:00.000Z' });
  });

  it('is followed by one that changes and emits nothing, although some fields differ on every read', async () => {
    const { ada, team } = addSampleData();
    addPerson('rich', {
      aliases: ['r@acme.example'],
      externalIds: [{ value: '12', type: 'organization' }],
      phones: [{ value: '+1 555', type: 'work' }],
      relations: [],
      notes: null,
      websites: [{ value: 'https://a.example', primary: true }],
      customSchemas: { Work: { level: 3, ratio: 1.5, none: null, tags: [{ value: 'x' }] } },
      active: 'what Google calls so',
      groups: ['as an attribute'],
      meta: { own: true },
      password: 'secret',
    });
    const directory = await createPulledDirectory(service, google);
    expect((await directory.sync()).changed).toEqual(changed({ users: [3, 0, 0], groups: [2, 0, 0], members: [4, 0] }));
    await directory.newEvents();
    google.changeUser(ada.id, {
      etag: '"another"',
      lastLoginTime: '2026-11-21T10:00:00.000Z',
      thumbnailPhotoUrl: 'https://lh3.example/new',
      thumbnailPhotoEtag: '"another"',
    });
    google.changeGroup(team.id, { etag: '"another"', directMembersCount: '17' });
    const run = await directory.sync();
    expect([run.state, run.planned, run.changed]).toEqual(['succeeded', changed(), changed()]);
    expect(await directory.describeNewEvents()).toEqual([]);
  });

  it('keeps an unknown member pending until the user appears', async () => {
    addSampleData();
    const directory = await createPulledDirectory(service, google);
    await directory.sync();
    await directory.newEvents();
    addPerson('eve', { id: '999' });
    expect((await directory.sync()).changed).toEqual(changed({ users: [1, 0, 0] }));
    expect(await directory.describeNewEvents()).toEqual(['user.created eve@acme.example', 'group.user_added eve@acme.example Team']);
    expect((await directory.sync()).changed).toEqual(changed());
  });

  it('does not mix directories of the same Google Workspace', async () => {
    addSampleData();
    const [one, other] = await Promise.all([createPulledDirectory(service, google), createPulledDirectory(service, google)]);
    await Promise.all([one.sync(), other.sync()]);
    const [ofOne, ofOther] = [await one.describeNewEvents(), await other.describeNewEvents()];
    expect(ofOne).toHaveLength(7);
    expect(ofOther).toEqual(ofOne);
    const run = (await one.runs())[0].id as string;
    expect((await service.api('GET', `${other.path}/syncs/${run}`)).body.error).toMatchObject({ code: 'not_found' });
  });
});

describe('a later sync', () => {
  it('updates the same user when the address changes, and moves, suspends and renames', async () => {
    const { run, emitted, events, settled, directory } = await syncAfter(({ ada, ben, team, inner }) => {
      google.changeUser(ada.id, { primaryEmail: 'countess@acme.example', suspended: true });
      google.changeUser(ben.id, { suspended: false });
      google.changeGroup(google.addGroup({ name: 'Sales', email: 'sales@acme.example' }).id, { description: 'new' });
      google.changeGroup(team.id, { name: 'Sales' });
      google.removeMember(team.id, ada.id);
      google.addMember(inner.id, { id: ada.id, type: 'USER' });
    });
    expect(run.changed).toEqual(changed({ users: [0, 2, 0], groups: [1, 1, 0], members: [1, 1] }));
    expect(emitted).toEqual([
      'group.user_removed ada@acme.example team@acme.example',
      'user.updated countess@acme.example',
      'user.updated ben@acme.example',
      'group.updated team@acme.example',
      'group.created sales@acme.example',
      'group.user_added countess@acme.example inner@acme.example',
    ]);
    expect(events.map(({ data }) => data.active ?? data.name)).toEqual([true, false, true, 'Sales', 'Sales', false]);
    expect(new Set([0, 1, 5].map((index) => events[index]!.data.id)).size).toBe(1);
    const [stored] = await service.db('users').where({ directory_id: directory.id, id: events[0]!.data.id });
    expect(stored.user_name).toBe('countess@acme.example');
    expect(settled.changed).toEqual(changed());
  });

  it('emits removed memberships before deleted users and groups', async () => {
    const { run, emitted, settled, directory } = await syncAfter(({ ada, inner }) => {
      google.addUser({ id: '999', primaryEmail: 'eve@acme.example' });
      google.removeMember(inner.id, '999');
      google.removeUser(ada.id);
      google.removeGroup(inner.id);
    });
    expect(run.changed).toEqual(changed({ users: [1, 0, 1], groups: [0, 0, 1], members: [0, 4] }));
    expect(emitted).toEqual([
      'group.updated team@acme.example',
      'group.user_removed ada@acme.example team@acme.example',
      'group.user_removed ben@acme.example inner@acme.example',
      'user.deleted ada@acme.example',
      'user.created eve@acme.example',
      'group.deleted inner@acme.example',
    ]);
    expect(settled.changed).toEqual(changed());
    const left = async (table: string) => (await service.db(table).where({ directory_id: directory.id })).length;
    expect([await left('users'), await left('groups'), await left('group_members'), await left('pending_members')]).toEqual([2, 1, 0, 0]);
  });

  it('applies addresses that move between users, also when two users swap theirs', async () => {
    const [one, two, three, four] = ['one', 'two', 'three', 'four'].map((name) => addPerson(name));
    const { run, emitted, settled } = await syncAfter(({ ada, ben, team }) => {
      google.changeUser(one!.id, { primaryEmail: 'two@acme.example' });
      google.changeUser(two!.id, { primaryEmail: 'free@acme.example' });
      google.changeUser(three!.id, { primaryEmail: 'open@acme.example' });
      google.changeUser(four!.id, { primaryEmail: 'three@acme.example' });
      google.changeUser(ada.id, { primaryEmail: 'ben@acme.example' });
      google.changeUser(ben.id, { primaryEmail: 'ada@acme.example' });
      google.changeGroup(team.id, { name: 'Crew' });
      addPerson('four');
    });
    expect([run.state, run.failed]).toEqual(['succeeded', 0]);
    expect(run.changed).toEqual(changed({ users: [1, 6, 0], groups: [0, 1, 0] }));
    expect(emitted).toEqual([
      'user.updated two@acme.example',
      'user.updated free@acme.example',
      'user.updated open@acme.example',
      'user.updated three@acme.example',
      'user.updated ben@acme.example',
      'user.updated ada@acme.example',
      'user.created four@acme.example',
      'group.updated team@acme.example',
    ]);
    expect([settled.failed, settled.changed]).toEqual([0, changed()]);
  });

  it('rejects a group as its own member, and accepts its other members', async () => {
    const { run, emitted, settled } = await syncAfter(({ team, ben }) => {
      google.addMember(team.id, { id: team.id, type: 'GROUP' });
      google.addMember(team.id, { id: ben.id, type: 'USER' });
    });
    expect([run.state, run.changed, run.failed, run.failures.length]).toEqual(['succeeded', changed({ members: [1, 0] }), 1, 1]);
    expect(emitted).toEqual(['group.user_added ben@acme.example team@acme.example']);
    expect([settled.failed, settled.changed]).toEqual([1, changed()]);
  });

  it('gives the address of a deleted user to a new one', async () => {
    const { emitted } = await syncAfter(({ ada }) => {
      google.removeUser(ada.id);
      addPerson('ada');
    });
    expect(emitted).toEqual([
      'group.user_removed ada@acme.example team@acme.example',
      'user.deleted ada@acme.example',
      'user.created ada@acme.example',
    ]);
  });
});

it("finds users and groups by Google's IDs, in directories of Google only", async () => {
  const { ada, team } = addSampleData();
  const directory = await createPulledDirectory(service, google, { tenant: 'by-google-id' });
  await directory.sync();
  const pushed = await service.createDirectory({ tenant: 'by-google-id' });
  await pushed.scim('POST', '/Users', { userName: 'eve', externalId: 'e1' });
  const find = async (path: string) => {
    const { status, body } = await service.api('GET', `${root}${path}`);
    return [status, body.data?.raw['primaryEmail'] ?? body.data?.raw['email']];
  };
  for (const selector of [`directory_id=${directory.id}`, 'tenant=by-google-id&product=app']) {
    expect(await find(`/users/${ada.id}?${selector}`)).toEqual([200, 'ada@acme.example']);
    expect(await find(`/groups/${team.id}?${selector}`)).toEqual([200, 'team@acme.example']);
  }
  expect(await find(`/users/${ada.id}?directory_id=${pushed.id}`)).toEqual([404, undefined]);
  expect(await find(`/users/e1?directory_id=${pushed.id}`)).toEqual([404, undefined]);
});

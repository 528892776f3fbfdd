import { beforeEach, describe, expect, it } from '@jest/globals';
import { createEntraDirectory } from '../../support/entra/entra-directory.ts';
import type { EntraRequest, FakeEntra } from '../../support/entra/fake-entra.ts';
import type { Body, Oddities, Reply } from '../../support/entra/entra-lists.ts';
import { useEntraService } from '../../support/entra/entra-service.ts';
import { changed, type Run } from '../../support/pulled-directories.ts';
import { until } from '../../support/until.ts';
import { apiKey, type TestService } from '../../support/service.ts';

let entra: FakeEntra;
let service: TestService;
useEntraService((started) => ({ entra, service } = started));

const tidy: Oddities = { pageSize: 3, emptyPages: false, replays: false };
const isBatch = ({ path }: EntraRequest) => path === '/v1.0/$batch';
const isMembers = ({ path }: EntraRequest) => path.endsWith('/members');
const gone: Reply = { status: 404, body: { error: { code: 'Request_ResourceNotFound', message: '' } } };
const withMore = (more: () => Body) => (normal: Reply) => {
  const body = normal.body as { value: Body[] };
  return { ...normal, body: { ...body, value: [...body.value, more()] } };
};
const isDelta = (kind: 'users' | 'groups') => (request: EntraRequest) => request.path === `/v1.0/${kind}/delta`;

/** Creates a tenant with three users in two groups, one of which is in the other. */
let ids: { ada: string; ben: string; guest: string; team: string; all: string };
beforeEach(() => {
  entra.heal();
  for (const map of [entra.users, entra.groups, entra.members]) map.clear();
  Object.assign(entra.odd, tidy);
  const ada = entra.addUser({ userPrincipalName: 'ada@acme.example', displayName: 'Ada' });
  const ben = entra.addUser({ userPrincipalName: 'ben@acme.example', mail: null, accountEnabled: false });
  const guest = entra.addUser({ userPrincipalName: 'eve_other.example#EXT#@acme.example', mail: null, userType: 'Guest' });
  const team = entra.addGroup({ displayName: 'Team' });
  const all = entra.addGroup({ displayName: 'All' });
  entra.addMember(team.id, ada.id);
  entra.addMember(team.id, ben.id);
  entra.addMember(all.id, team.id);
  entra.addMember(all.id, guest.id);
  ids = { ada: ada.id, ben: ben.id, guest: guest.id, team: team.id, all: all.id };
});

async function createSynced() {
  const directory = await createEntraDirectory(service, entra);
  const run = await directory.sync();
  expect([run.error, run.state]).toEqual([null, 'succeeded']);
  await directory.expectSame();
  entra.requests.length = 0;
  return directory;
}
/** A group in a group is an update of the group. */
const others = (events: string[]) => events.filter((event) => event !== 'group.updated');
const outcomeOf = ({ state, error, changed: made, drift }: Run) => [state, error?.code ?? null, made, drift];

describe('the first run', () => {
  it('reads users, groups and members, also without addresses, and of guests', async () => {
    const directory = await createEntraDirectory(service, entra);
    const run = await directory.sync();
    expect(outcomeOf(run)).toEqual(['succeeded', null, changed({ users: [3, 0, 0], groups: [2, 0, 0], members: [4, 0] }), null]);
    await directory.expectSame();
    const { body } = await service.api('GET', `/api/v1/directory-sync/users?directoryId=${directory.id}`);
    const emails = Object.fromEntries(body.data.map((user: Run) => [user.raw.userPrincipalName, user.email]));
    expect(emails).toEqual({
      'ada@acme.example': 'user1@acme.example',
      'ben@acme.example': 'ben@acme.example',
      'eve_other.example#EXT#@acme.example': '',
    });
  });
});

describe('a full list', () => {
  const [first, later] = [
    (request: EntraRequest) => !request.query.has('$skiptoken'),
    (request: EntraRequest) => request.query.has('$skiptoken'),
  ];
  it.each<[string, number, typeof first, () => Body]>([
    ['without some properties', 3, first, () => ({ id: ids.ben, userPrincipalName: 'ben@acme.example' })],
    ['again on a page', 3, first, () => ({ ...entra.users.get(ids.ben), accountEnabled: true })],
    ['again on a later page', 1, later, () => ({ ...entra.users.get(ids.ada), accountEnabled: false })],
  ])('is read again where it has an object %s', async (_, pageSize, isPage, more) => {
    entra.odd.pageSize = pageSize;
    const directory = await createEntraDirectory(service, entra);
    entra.fail((request) => isDelta('users')(request) && isPage(request), withMore(more));
    expect((await directory.sync()).state).toBe('succeeded');
    await directory.expectSame();
  });
});

describe('a later run', () => {
  it('requests only changes, and needs only a few requests if there are none', async () => {
    const directory = await createSynced();
    const run = await directory.sync();
    expect(outcomeOf(run)).toEqual(['succeeded', null, changed(), null]);
    expect(entra.graphRequests().map(({ path, query }) => [path, [...query.keys()]])).toEqual([
      ['/v1.0/users/delta', ['$deltatoken']],
      ['/v1.0/groups/delta', ['$deltatoken']],
    ]);
    expect(await directory.expectSame()).toEqual([]);
  });

  it('applies each kind of change, and emits nothing else', async () => {
    const directory = await createSynced();
    entra.changeUser(ids.ada, { displayName: 'Ada L.' });
    const dan = entra.addUser();
    entra.addMember(ids.team, dan.id);
    entra.removeMember(ids.team, ids.ben);
    entra.changeGroup(ids.all, { displayName: 'Everybody' });
    const run = await directory.sync();
    expect(outcomeOf(run)).toEqual(['succeeded', null, changed({ users: [1, 1, 0], groups: [0, 1, 0], members: [1, 1] }), null]);
    expect(await directory.expectSame()).toEqual([
      'group.updated',
      'group.user_added',
      'group.user_removed',
      'user.created',
      'user.updated',
    ]);
  });

  it('swaps two user names', async () => {
    const directory = await createSynced();
    entra.changeUser(ids.ada, { userPrincipalName: 'ben@acme.example' });
    entra.changeUser(ids.ben, { userPrincipalName: 'ada@acme.example' });
    expect((await directory.sync()).failed).toBe(0);
    expect(await directory.expectSame()).toEqual(['user.updated', 'user.updated']);
  });

  it('deletes a soft-deleted user, and creates it again with its memberships when it is restored', async () => {
    const directory = await createSynced();
    entra.removeUser(ids.ada);
    entra.removeGroup(ids.all);
    await directory.sync();
    expect(others(await directory.expectSame())).toEqual(['group.deleted', 'group.user_removed', 'group.user_removed', 'user.deleted']);
    entra.restoreUser(ids.ada);
    entra.restoreGroup(ids.all);
    await directory.sync();
    expect(others(await directory.expectSame())).toEqual(['group.created', 'group.user_added', 'group.user_added', 'user.created']);
  });

  it('adds a restored group to its former groups again', async () => {
    const directory = await createSynced();
    entra.removeGroup(ids.team);
    await directory.sync();
    await directory.expectSame();
    entra.restoreGroup(ids.team);
    await directory.sync();
    expect(await directory.expectSame()).not.toEqual([]);
  });

  it('adds the memberships of a user whose run was canceled after it had created the user', async () => {
    const directory = await createSynced();
    entra.removeUser(ids.ada);
    await directory.sync();
    entra.restoreUser(ids.ada);
    await service.db.raw(`create function refuse_members() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`);
    await service.db.raw(
      `create trigger refuse_members before insert on group_members for each row when (new.directory_id = '${directory.id}') execute function refuse_members()`,
    );
    const runId = await directory.begin();
    await until(() => service.db('users').where({ directory_id: directory.id, external_id: ids.ada }).first('id'));
    await directory.cancel(runId);
    const { state } = await directory.untilEnded(runId);
    await service.db.raw('drop trigger refuse_members on group_members');
    await service.db.raw('drop function refuse_members');
    expect(state).toBe('canceled');
    expect((await directory.sync()).state).toBe('succeeded');
    await directory.expectSame();
  });

  it('deletes only objects that are both reported as removed and not found', async () => {
    const directory = await createSynced();
    entra.changeUser(ids.ada, { displayName: 'Told' });
    entra.journal.push({ kind: 'users', id: ids.ben, removed: 'changed' }, { kind: 'groups', id: ids.all, removed: 'deleted' });
    entra.fail(isBatch, ({ body, ...normal }) => {
      const { responses } = body as { responses: Body[] };
      return {
        ...normal,
        body: { responses: responses.map((one) => ((one['body'] as Body)['id'] === ids.ada ? { ...one, ...gone } : one)) },
      };
    });
    expect(outcomeOf(await directory.sync())).toEqual(['succeeded', null, changed(), null]);
    expect(await directory.expectSame()).toEqual([]);
  });

  it('reads a group again if its members were not found', async () => {
    const directory = await createSynced();
    entra.removeMember(ids.team, ids.ada);
    entra.fail(isMembers, gone);
    expect(outcomeOf(await directory.sync())).toEqual(['succeeded', null, changed(), null]);
    expect((await directory.sync()).changed).toEqual(changed({ members: [0, 1] }));
    await directory.expectSame();
  });

  it('follows changes, and compares everything, even if one difference can never be applied', async () => {
    // A group cannot be a member of itself.
    entra.addMember(ids.all, ids.all);
    const directory = await createEntraDirectory(service, entra);
    expect((await directory.sync()).failed).toBe(1);
    entra.requests.length = 0;
    await directory.sync();
    expect(entra.graphRequests()).toHaveLength(2);
    entra.addMember(ids.team, ids.team);
    expect((await directory.sync()).failed).toBe(1);
    // After a failure, the groups of a reported group are read too, and one of them fails as well.
    expect((await directory.sync()).failed).toBe(2);
    await directory.ageComparison();
    await directory.begin();
    expect((await directory.untilNewestEnded(6)).failed).toBe(2);
    entra.requests.length = 0;
    await directory.sync();
    expect(entra.graphRequests()).toHaveLength(2);
    for (const id of [ids.all, ids.team]) entra.removeMember(id, id);
    expect((await directory.sync()).failed).toBe(0);
    await directory.expectSame();
  });

  it('needs a confirmation again until a person confirms the removals of a daily comparison', async () => {
    const directory = await createSynced();
    const more = Array.from({ length: 20 }, () => entra.addUser().id);
    await directory.sync();
    entra.silently(() => more.forEach((id) => entra.removeUser(id)));
    await directory.ageComparison();
    await directory.begin();
    const stopped = await directory.untilNewestEnded(4);
    expect([stopped.state, stopped.drift]).toEqual(['needs_confirmation', 20]);
    expect((await directory.sync()).state).toBe('needs_confirmation');
    const confirmed = await directory.sync(`?confirm=${stopped.id}`);
    expect([confirmed.state, confirmed.drift]).toEqual(['succeeded', null]);
    await directory.expectSame();
  });

  it('emits no events for changes that cancel each other out', async () => {
    const directory = await createSynced();
    const dan = entra.addUser();
    entra.addMember(ids.team, dan.id);
    entra.removeUser(dan.id);
    entra.removeMember(ids.team, ids.ada);
    entra.addMember(ids.team, ids.ada);
    entra.removeUser(ids.ben);
    entra.restoreUser(ids.ben);
    const run = await directory.sync();
    expect(outcomeOf(run)).toEqual(['succeeded', null, changed(), null]);
    expect(await directory.expectSame()).toEqual([]);
  });

  it('handles replays, empty pages, slices of members and repeated groups', async () => {
    Object.assign(entra.odd, { pageSize: 1, emptyPages: true, replays: true });
    const directory = await createSynced();
    for (let round = 0; round < 3; round += 1) {
      const user = entra.addUser();
      entra.addMember(ids.team, user.id);
      entra.removeUser(round === 1 ? ids.guest : user.id);
      expect((await directory.sync()).state).toBe('succeeded');
      await directory.expectSame();
    }
  });

  it('compares everything once a day, after it has followed the changes, and reports drift that they had not contained', async () => {
    const directory = await createSynced();
    entra.silently(() => entra.removeMember(ids.team, ids.ben));
    entra.changeUser(ids.ada, { displayName: 'Told' });
    await directory.sync();
    expect(await directory.newEvents()).toHaveLength(1);
    await directory.ageComparison();
    entra.changeUser(ids.ada, { displayName: 'Told again' });
    await directory.begin();
    const newest = await directory.untilNewestEnded(4);
    expect(outcomeOf(newest)).toEqual(['succeeded', null, changed({ members: [0, 1] }), 1]);
    expect((await directory.runs()).map(({ drift }: Run) => drift)).toEqual([1, null, null, null]);
    const metrics = await fetch(`${service.baseUrl}/metrics`, { headers: { authorization: `Api-Key ${apiKey}` } });
    expect(await metrics.text()).toMatch(/^rollcall_sync_drift_total [1-9]/m);
    await directory.sync();
    expect((await directory.runs()).map(({ drift }: Run) => drift)).toEqual([null, 1, null, null, null]);
  });

  it.each([
    [
      '410 with a new address',
      { status: 410, body: {}, headers: { location: 'https://graph.microsoft.com/v1.0/users/delta?$deltatoken=' } },
    ],
    ['syncStateNotFound', { status: 404, body: { error: { code: 'syncStateNotFound', message: '' } } }],
    ['resyncRequired', { status: 400, body: { error: { code: 'resyncRequired', message: '' } } }],
    ['expiredToken', { status: 400, body: { error: { code: 'expiredToken', message: '' } } }],
  ])('reads everything after %s, within the same run', async (_, reply) => {
    const directory = await createSynced();
    entra.silently(() => entra.removeUser(ids.ben));
    const dan = entra.addUser();
    entra.fail(isDelta('groups'), reply);
    const run = await directory.sync();
    expect(outcomeOf(run)).toEqual(['succeeded', null, changed({ users: [1, 0, 1], members: [0, 1] }), 3]);
    expect([...entra.users.keys()]).toContain(dan.id);
    await directory.expectSame();
    entra.requests.length = 0;
    await directory.sync();
    expect(entra.graphRequests()).toHaveLength(2);
  });

  it('stops restarting after some attempts', async () => {
    const directory = await createSynced();
    entra.fail(isDelta('users'), { status: 410, body: {} }, 10);
    expect(outcomeOf(await directory.sync())).toEqual(['failed', 'invalid_provider_response', changed(), null]);
    expect(entra.requests.filter(isDelta('users')).length).toBeLessThan(6);
    expect(await directory.expectSame()).toEqual([]);
  });

  it('changes nothing, or needs a confirmation, if everything is read again and is empty', async () => {
    const directory = await createSynced();
    const kept = [...entra.users];
    entra.forgetLinks();
    entra.users.clear();
    expect(outcomeOf(await directory.sync())).toEqual(['failed', 'invalid_provider_response', changed(), null]);
    for (const [id, user] of kept) entra.users.set(id, user);
    const groups = [...entra.groups];
    entra.groups.clear();
    expect((await directory.sync()).state).toBe('needs_confirmation');
    for (const [id, group] of groups) entra.groups.set(id, group);
    expect(outcomeOf(await directory.sync())).toEqual(['succeeded', null, changed(), null]);
    expect(await directory.expectSame()).toEqual([]);
  });

  it('applies confirmed removals even if the change links do not report them', async () => {
    const directory = await createSynced();
    const more = Array.from({ length: 20 }, () => entra.addUser().id);
    await directory.sync();
    entra.silently(() => more.forEach((id) => entra.removeUser(id)));
    entra.forgetLinks();
    const stopped = await directory.sync();
    expect(stopped.state).toBe('needs_confirmation');
    expect((await directory.sync(`?confirm=${stopped.id}`)).state).toBe('succeeded');
    await directory.expectSame();
  });

  it('follows the links of its own tenant only', async () => {
    const directory = await createSynced();
    const row = await service.db('directories').where({ id: directory.id }).first();
    expect(JSON.stringify(row)).not.toContain('deltatoken');
    await directory.change({ entra_tenant_id: '11111111-2222-4333-8444-555555555555' });
    await directory.change({ entra_tenant_id: entra.tenant });
    expect((await directory.sync()).state).toBe('succeeded');
    expect(entra.requests.find(isDelta('users'))!.query.has('$deltatoken')).toBe(false);
  });
});

describe('a selection', () => {
  it('of groups has their members, also those of nested groups', async () => {
    const directory = await createEntraDirectory(service, entra, { entra_groups: [ids.all] });
    const dan = entra.addUser();
    expect((await directory.sync()).state).toBe('succeeded');
    await directory.expectSame((id) => id !== dan.id);
    entra.removeMember(ids.all, ids.guest);
    await directory.sync();
    await directory.expectSame((id) => id !== dan.id && id !== ids.guest);
    entra.removeMember(ids.all, ids.team);
    expect((await directory.sync()).state).toBe('needs_confirmation');
  });

  it.each<[string, Reply]>([
    ['that its group is gone', gone],
    ['nothing', { status: 404, body: '<html>Not found</html>' }],
  ])('loses no members if the next page of a group is not found and the response says %s', async (_, reply) => {
    const directory = await createEntraDirectory(service, entra, { entra_groups: [ids.all] });
    expect((await directory.sync()).state).toBe('succeeded');
    entra.odd.pageSize = 1;
    entra.fail(({ path, query }) => path.endsWith('/transitiveMembers') && query.has('$skip'), reply);
    expect(outcomeOf(await directory.sync())).toEqual(['succeeded', null, changed(), null]);
    await directory.expectSame();
  });

  it('of assignments reads many users page by page', async () => {
    entra.assigned.clear();
    entra.odd.pageSize = 100;
    for (let count = 0; count < 250; count += 1) entra.assigned.set(entra.addUser().id, 'User');
    const directory = await createEntraDirectory(service, entra, { entra_assigned_only: true });
    const run = await directory.sync();
    expect([run.state, run.pages]).toEqual(['succeeded', 3]);
    await directory.expectSame((id) => entra.assigned.has(id));
  });

  it('of assignments has who is assigned, directly or by a group', async () => {
    entra.assigned.clear();
    entra.assigned.set(ids.team, 'Group').set(ids.guest, 'User');
    const directory = await createEntraDirectory(service, entra, { entra_assigned_only: true });
    const dan = entra.addUser();
    expect((await directory.sync()).state).toBe('succeeded');
    await directory.expectSame((id) => id !== dan.id && id !== ids.all);
    entra.assigned.set(dan.id, 'User');
    await directory.sync();
    await directory.expectSame((id) => id !== ids.all);
    entra.state.isConsented = false;
    expect(outcomeOf(await directory.sync())[1]).toBe('needs_authorization');
    entra.state.isConsented = true;
  });
});

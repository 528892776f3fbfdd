import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { addMember, fillInactive, patch, push, readBoth, readEvents, setActive } from '../support/inactive-users.ts';
import { operate } from '../support/operate.ts';
import { ofPerson } from '../support/personal-data.ts';
import { createSeededRandom } from '../support/seed.ts';
import { ada, shareTestService, type TestService } from '../support/service.ts';
import { follow, keep, readFeed, readSnapshot } from '../support/snapshots.ts';
import { until } from '../support/until.ts';

/** Events of directories whose `inactive_users` is `delete`. */

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const hiding = () => service.createDirectory({ inactive_users: 'delete' });
const typesOf = async (id: string) => (await readEvents(service, id)).map(({ event }) => event);

it('tells a deactivation as a deletion, nothing in between, and a reactivation as a creation of the same user', async () => {
  const directory = await hiding();
  const user = await push(directory, '/Users', ada);
  const team = await push(directory, '/Groups', { displayName: 'Team', members: [{ value: user }] });
  const crew = await push(directory, '/Groups', { displayName: 'Crew' });
  await setActive(directory, user, false);
  await patch(directory, `/Users/${user}`, { op: 'replace', path: 'title', value: 'Countess' });
  await addMember(directory, crew, user);
  await patch(directory, `/Groups/${team}`, { op: 'replace', path: 'members', value: [] });
  expect(keep(await readSnapshot(service, directory.id)).users.size).toBe(0);
  await setActive(directory, user, true);
  await directory.scim('DELETE', `/Users/${user}`);

  const events = await readEvents(service, directory.id);
  expect(events.map(({ event, data }) => [event, data.id, data.group?.name, data.active])).toEqual([
    ['user.created', user, undefined, true],
    ['group.created', team, undefined, undefined],
    ['group.user_added', user, 'Team', true],
    ['group.created', crew, undefined, undefined],
    ['group.user_removed', user, 'Team', true],
    ['user.deleted', user, undefined, false],
    ['user.created', user, undefined, true],
    ['group.user_added', user, 'Crew', true],
    ['group.user_removed', user, 'Crew', true],
    ['user.deleted', user, undefined, true],
  ]);
  expect(events[6]!.data.raw.title).toBe('Countess');
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
});

it('tells nothing of a user who was never active, and keeps it for the API and the provider', async () => {
  const directory = await hiding();
  const team = await push(directory, '/Groups', { displayName: 'Team', members: [{ value: 'eva@acme.example' }] });
  const eva = await push(directory, '/Users', { userName: 'eva@acme.example', active: false });
  const [inTeam] = (await directory.scim('GET', `/Groups/${team}`)).body.members;
  expect(inTeam.value).toBe(eva);
  const { body } = await service.api('GET', `/api/v1/directory-sync/users/${eva}?directory_id=${directory.id}`);
  expect(body.data).toMatchObject({ id: eva, active: false });
  await directory.scim('DELETE', `/Groups/${team}`);
  await directory.scim('DELETE', `/Users/${eva}`);
  expect(await typesOf(directory.id)).toEqual(['group.created', 'group.deleted']);
});

it('decides each operation of a Bulk by the state before it', async () => {
  const directory = await hiding();
  const user = await push(directory, '/Users', ada);
  const [team, crew] = [
    await push(directory, '/Groups', { displayName: 'Team', members: [{ value: user }] }),
    await push(directory, '/Groups', { displayName: 'Crew' }),
  ];
  const activate = (value: boolean) => ({
    method: 'PATCH',
    path: `/Users/${user}`,
    data: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [{ op: 'replace', path: 'active', value }] },
  });
  const members = (group: string, op: string) => ({
    method: 'PATCH',
    path: `/Groups/${group}`,
    data: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [op === 'add' ? { op, path: 'members', value: [{ value: user }] } : { op, path: `members[value eq "${user}"]` }],
    },
  });
  const { status } = await directory.scim('POST', '/Bulk', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
    Operations: [activate(false), members(team, 'remove'), members(crew, 'add'), activate(true)],
  });
  expect(status).toBe(200);
  expect((await readEvents(service, directory.id)).slice(4).map(({ event, data }) => [event, data.group?.name])).toEqual([
    ['group.user_removed', 'Team'],
    ['user.deleted', undefined],
    ['user.created', undefined],
    ['group.user_added', 'Crew'],
  ]);
});

it('tells of the active ones when many join and leave', async () => {
  const directory = await hiding();
  const ids = await fillInactive(service, directory.id, 1_500);
  const team = await push(directory, '/Groups', { displayName: 'Team' });
  await addMember(directory, team, ...ids);
  expect((await readFeed(service, directory.id, '')).filter(({ event }) => event === 'group.user_added')).toHaveLength(750);
  expect(keep(await readSnapshot(service, directory.id)).memberships.size).toBe(750);
  await patch(directory, `/Groups/${team}`, { op: 'remove', path: 'members' });
  expect((await readFeed(service, directory.id, '')).filter(({ event }) => event === 'group.user_removed')).toHaveLength(750);
});

it('reconciles with an application that has no inactive users', async () => {
  const directory = await hiding();
  const ids = await fillInactive(service, directory.id, 4);
  const team = await push(directory, '/Groups', { displayName: 'Team', members: ids.map((value) => ({ value })) });
  const active = ids.filter((_, index) => index % 2 === 0).map((id) => ({ id }));
  for (const more of [{ type: 'users' }, { type: 'members', group_id: team }]) {
    const path = `/api/v1/directory-sync/${directory.id}/reconcile`;
    const { body } = await service.api('POST', path, { ...more, after: '', items: active, last: true });
    expect(body.data).toMatchObject({ missing: [], unknown: [], different: [] });
  }
});

it('tells an erasure, whether the person was active or not', async () => {
  const directory = await hiding();
  const user = await push(directory, '/Users', ada);
  await push(directory, '/Groups', { displayName: 'Team', members: [{ value: user }] });
  await setActive(directory, user, false);
  const { erase, untilErased } = ofPerson(service, directory, user);
  expect((await erase()).status).toBe(202);
  expect((await untilErased()).erased).toMatchObject({ users: 1, memberships: 1 });
  const erased = (await readFeed(service, directory.id, '')).slice(5);
  expect(erased.map(({ event }) => event)).toEqual(['group.user_removed', 'user.deleted']);
});

it('leads to the same state by a snapshot and by events, whoever changes users and the setting meanwhile', async () => {
  const random = createSeededRandom();
  const directory = await hiding();
  const { patch: update } = operate(service, directory);
  const groups = [await push(directory, '/Groups', { displayName: 'Team' }), await push(directory, '/Groups', { displayName: 'Crew' })];
  let isWriting = true;
  const write = async (writer: number) => {
    const users: string[] = [];
    for (let number = 0; isWriting; number += 1) {
      const user = users[random.below(users.length || 1)];
      const group = groups[random.below(groups.length)]!;
      const dice = random.below(9);
      if (!user || dice < 2)
        users.push(await push(directory, '/Users', { userName: `w${writer} ${number}`, active: random.below(2) === 0 }));
      else if (dice < 5) await setActive(directory, user, random.below(2) === 0);
      else if (dice === 5) await patch(directory, `/Groups/${group}`, { op: 'remove', path: `members[value eq "${user}"]` });
      else if (dice === 6) await directory.scim('DELETE', `/Users/${users.splice(users.indexOf(user), 1)[0]}`);
      else if (dice === 7) await patch(directory, `/Users/${user}`, { op: 'replace', path: 'title', value: `${number}` });
      else await addMember(directory, group, user);
    }
  };
  const flip = async () => {
    let changes = 0;
    for (let isDelete = false; isWriting;) {
      const wanted = isDelete ? 'delete' : 'keep';
      const { body } = await update({ inactive_users: wanted });
      const { status } = body.error ? await update({ inactive_users: wanted, confirm: body.error.confirm }) : { status: 200 };
      expect([200, 409]).toContain(status);
      if (status !== 200) continue;
      isDelete = !isDelete;
      changes += 1;
    }
    return changes;
  };
  const writing = Promise.all([flip(), ...[0, 1, 2].map(write)]).catch((error: unknown) => error);
  const snapshots = [];
  for (let read = 0; read < 4; read += 1) {
    const lines = await readSnapshot(service, directory.id);
    snapshots.push(lines);
    await until(async () => (await readSnapshot(service, directory.id))[0]!['sequence'] > lines[0]!['sequence'] + 40);
  }
  isWriting = false;
  expect(await writing).toEqual([expect.any(Number), undefined, undefined, undefined]);
  const [fed, present] = await readBoth(service, directory.id);
  expect(fed).toEqual(present);
  for (const lines of snapshots) {
    expect(lines.at(-1)!['sequence']).toBe(lines[0]!['sequence']);
    expect(follow(keep(lines), await readFeed(service, directory.id, lines[0]!['after']))).toEqual(present);
  }
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { startTestJackson } from '../support/jackson.ts';
import { googleEnv } from '../support/pulled-directories.ts';

/** Applications for Polis know users and groups of Google by Google's IDs. */

let google: FakeGoogle;
let jackson: Awaited<ReturnType<typeof startTestJackson>>;
beforeAll(async () => {
  google = await startFakeGoogle();
  jackson = await startTestJackson({ settings: googleEnv(google) });
});
afterAll(async () => {
  await jackson?.stop();
  await google?.stop();
});

async function sync(domain: string) {
  const [ada, ben] = ['ada', 'ben'].map((name) => google.addUser({ primaryEmail: `${name}@${domain}` }));
  const team = google.addGroup({ name: 'Team', email: `team@${domain}` });
  google.addMember(team.id, { id: ada!.id, type: 'USER' });
  const { directories, users, groups, sync: syncAll } = jackson.controller;
  const { accessToken, refreshToken } = google.issueTokens();
  const owner = { tenant: domain, product: 'crm' };
  await directories.create({ ...owner, type: 'google', google_access_token: accessToken, google_refresh_token: refreshToken });
  await syncAll();
  const [ofUsers, ofGroups] = [users.setTenantAndProduct(owner.tenant, 'crm'), groups.setTenantAndProduct(owner.tenant, 'crm')];
  return { ada: ada!.id, ben: ben!.id, team: team.id, users: ofUsers, groups: ofGroups };
}

it("reads users, groups and memberships by Google's IDs", async () => {
  const { ada, ben, team, users, groups } = await sync('read.example');
  const found = await users.get(ada);
  expect(found).toMatchObject({ data: { email: 'ada@read.example' } });
  expect(await groups.get(team)).toMatchObject({ data: { name: 'Team' } });
  expect(await groups.getGroupMembers({ groupId: team })).toEqual({ data: [{ user_id: found.data!.id }], error: null });
  expect(await groups.getGroupMembersCount(team)).toBe(1);
  for (const user of [ada, found.data!.id]) expect([user, await groups.isUserInGroup(team, user)]).toEqual([user, true]);
  for (const user of [ben, 'nobody', '']) expect([user, await groups.isUserInGroup(team, user)]).toEqual([user, false]);
});

it("writes users, groups and memberships by Google's IDs", async () => {
  const { ada, ben, team, users, groups } = await sync('written.example');
  await groups.removeUserFromGroup(team, ada);
  await groups.addUserToGroup(team, ben);
  expect([await groups.isUserInGroup(team, ada), await groups.isUserInGroup(team, ben)]).toEqual([false, true]);
  await groups.removeAllUsers(team);
  expect(await groups.getGroupMembers({ groupId: team })).toEqual({ data: [], error: null });
  const { data: former } = await users.get(ada);
  const changed = await users.update(ada, { ...former!, first_name: 'Countess' });
  expect(changed).toMatchObject({ data: { id: former!.id, first_name: 'Countess' }, error: null });
  expect(await users.delete(ada)).toEqual({ data: null, error: null });
  expect(await users.get(former!.id)).toMatchObject({ error: { code: 404 } });
  expect(await groups.delete(team)).toEqual({ data: null, error: null });
  expect(await groups.get(team)).toMatchObject({ error: { code: 404 } });
});

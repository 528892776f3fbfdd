import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory;
let elsewhere: TestDirectory;
const ids: Record<string, string> = {};
const push = async (of: TestDirectory, path: string, resource: object) => (await of.scim('POST', path, resource)).body.id as string;
beforeAll(async () => {
  service = await shareTestService();
  [directory, elsewhere] = await Promise.all([
    service.createDirectory({ tenant: 'filters', product: 'app' }),
    service.createDirectory({ tenant: 'filters', product: 'app' }),
  ]);
  const emails = [{ value: 'Ada@Home.example' }, { value: 'ada@work.example', primary: true }];
  ids['ada'] = await push(directory, '/Users', {
    userName: 'Ada@acme.example',
    externalId: 'E1',
    emails,
    active: true,
    displayName: 'The Countess José',
    name: { givenName: 'Ada', familyName: 'Lovelace' },
  });
  ids['ben'] = await push(directory, '/Users', { userName: 'ben@acme.example', externalId: 'E2', active: false });
  ids['eve'] = await push(elsewhere, '/Users', { userName: 'ada@acme.example', externalId: 'E1' });
  ids['team'] = await push(directory, '/Groups', {
    displayName: 'Team',
    externalId: 'G1',
    members: [{ value: ids['ada'] }, { value: ids['ben'] }, { value: 'nobody yet' }],
  });
  ids['crew'] = await push(directory, '/Groups', { displayName: 'Crew', members: [{ value: ids['ada'] }, { value: ids['team'] }] });
});
afterAll(() => service.stop());

const root = '/api/v1/directory-sync';
const get = (path: string, query: Record<string, string>) =>
  service.api('GET', `${root}${path}?${new URLSearchParams({ directory_id: directory.id, ...query }).toString()}`);
const find = async (path: string, query: Record<string, string>) => {
  const { status, body } = await get(path, query);
  expect([status, body.error]).toEqual([200, null]);
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  return body.data.map(({ id }: { id: string }) => names.get(id));
};

it('finds users by each filter, and by several together', async () => {
  const cases: [Record<string, string>, string[]][] = [
    [{ email: 'ADA@home.example' }, ['ada']],
    [{ email: 'ada@work.example' }, ['ada']],
    [{ email: 'ada@acme.example' }, []],
    [{ email: 'Ben@acme.example' }, ['ben']],
    [{ user_name: 'ada@ACME.example' }, ['ada']],
    [{ idp_id: 'E2' }, ['ben']],
    [{ search: 'ACME.ex' }, ['ben', 'ada']],
    [{ search: 'lovelace' }, ['ada']],
    [{ search: 'ADA LOVE' }, ['ada']],
    [{ search: 'work.example' }, ['ada']],
    [{ search: 'the countess' }, ['ada']],
    // An accent may be a character of its own.
    [{ search: 'JOSE\u0301' }, ['ada']],
    [{ search: 'JOSÉ' }, ['ada']],
    // Not across values.
    [{ search: 'lovelace ada' }, []],
    [{ search: 'example the' }, []],
    [{ search: 'e2' }, ['ben']],
    [{ search: 'acme', state: 'active' }, ['ada']],
    [{ search: 'a%e' }, []],
    [{ search: '_' }, []],
    [{ idp_id: 'e2' }, []],
    [{ group_id: ids['team']! }, ['ben', 'ada']],
    [{ group_id: ids['crew']! }, ['ada']],
    [{ group_id: 'unknown' }, []],
    [{ group_id: ids['team']!, state: 'inactive' }, ['ben']],
    [{ state: 'active' }, ['ada']],
    [{ state: 'inactive' }, ['ben']],
    [{ idp_id: 'E1', user_name: 'ben@acme.example' }, []],
    [{ idp_id: 'E1', email: 'ada@home.example', user_name: 'ada@acme.example', group_id: ids['team']!, state: 'active' }, ['ada']],
    [{ updated_after: '2020-01-01T00:00:00Z' }, ['ben', 'ada']],
    [{ updated_after: '2999-01-01T00:00:00Z' }, []],
  ];
  for (const [query, expected] of cases) expect([query, await find('/users', query)]).toEqual([query, expected]);
  const { body } = await service.api('GET', `${root}/users?tenant=filters&product=app&idp_id=E1`);
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([ids['eve'], ids['ada']]);
});

it('finds the users that changed after a time', async () => {
  const { updated_at: before } = (await get(`/users/${ids['ben']}`, {})).body.data;
  await directory.scim('PATCH', `/Users/${ids['ada']}`, { Operations: [{ op: 'replace', path: 'title', value: before }] });
  expect(await find('/users', { updated_after: before })).toEqual(['ada']);
  expect(await find('/users', { updated_after: before, state: 'inactive' })).toEqual([]);
});

it('finds the groups of a user', async () => {
  for (const query of [{ user_id: ids['ada']! }, {}])
    expect(await find('user_id' in query ? '/groups' : `/users/${ids['ada']}/groups`, query)).toEqual(['crew', 'team']);
  expect(await find('/groups', { user_id: ids['ben']! })).toEqual(['team']);
  expect(await find('/groups', { idp_id: 'G1' })).toEqual(['team']);
  expect(await find('/groups', { idp_id: 'G1', user_id: ids['eve']! })).toEqual([]);
  expect((await get(`/users/${ids['eve']}/groups`, {})).status).toBe(404);
});

it('shows the facts of users and groups, and groups of users on request', async () => {
  const { body } = await get(`/users/${ids['ada']}`, { include: 'groups' });
  expect(body.data).toMatchObject({
    idp_id: 'E1',
    user_name: 'Ada@acme.example',
    state: 'active',
    created_at: expect.stringMatching(/^20.*Z$/),
    updated_at: expect.stringMatching(/^20.*Z$/),
    groups: [
      { id: ids['team'], name: 'Team' },
      { id: ids['crew'], name: 'Crew' },
    ],
  });
  const listed = (await get('/users', { include: 'groups' })).body.data;
  expect(listed.map((user: { state: string; groups: object[] }) => [user.state, user.groups.length])).toEqual([
    ['inactive', 1],
    ['active', 2],
  ]);
  expect((await get('/users', {})).body.data[0]).not.toHaveProperty('groups');
  const groups = (await get('/groups', {})).body.data;
  expect(groups.map((group: Record<string, unknown>) => [group['idp_id'], group['member_count']])).toEqual([
    [null, 2],
    ['G1', 2],
  ]);
  const team = (await get(`/groups/${ids['team']}`, {})).body.data;
  expect(team).toMatchObject({ idp_id: 'G1', member_count: 2, created_at: groups[1].created_at });
});

it("moves a group's updated_at when its members change", async () => {
  const before = (await get(`/groups/${ids['crew']}`, {})).body.data;
  await directory.scim('PATCH', `/Groups/${ids['crew']}`, { Operations: [{ op: 'add', path: 'members', value: [{ value: ids['ben'] }] }] });
  const after = (await get(`/groups/${ids['crew']}`, {})).body.data;
  expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
  expect([after.created_at, after.member_count]).toEqual([before.created_at, 3]);
});

it('names the filter that is invalid', async () => {
  const cases: [string, Record<string, string>, string][] = [
    ['/users', { state: 'asleep' }, 'state'],
    ['/users', { updated_after: 'yesterday' }, 'updated_after'],
    ['/users', { email: '' }, 'email'],
    ['/users', { include: 'roles' }, 'include'],
    ['/users', { user_name: 'x'.repeat(501) }, 'user_name'],
    ['/groups', { user_id: '' }, 'user_id'],
    ['/users', { email: 'a\0' }, 'email'],
    ['/groups', { idp_id: '\0' }, 'idp_id'],
  ];
  for (const [path, query, field] of cases) {
    const { status, body } = await get(path, query);
    expect([query, status, body.error.field]).toEqual([query, 400, field]);
  }
});

it('finds a user whose address is empty by the address that it shows', async () => {
  const { id, scim } = await service.createDirectory();
  const { body: user } = await scim('POST', '/Users', { userName: 'Empty@acme.example', emails: [{ value: '' }] });
  const { body } = await service.api(
    'GET',
    `${root}/users?${new URLSearchParams({ directory_id: id, email: 'empty@acme.example' }).toString()}`,
  );
  expect(body.data).toMatchObject([{ id: user.id, email: 'Empty@acme.example' }]);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

/** Applications see what was pushed, in the form in which it was pushed; SCIM responses have the form of the schema. */
let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory({ log_webhook_events: true });
});
afterAll(() => service.stop());

const root = '/api/v1/directory-sync';
const get = async (path: string) => (await service.api('GET', `${root}${path}?directory_id=${directory.id}`)).body.data;
const usedBytes = async () => (await get(`/${directory.id}`)).health.quotas.resource_bytes.used as number;
const eventsOf = async (id: string) => {
  const { body } = await service.api('GET', `/api/v1/events?directory_id=${directory.id}&limit=1000`);
  return (body.data as { event: string; data: { id: string; roles?: unknown; raw: Record<string, unknown> } }[]).filter(
    ({ data }) => data.id === id,
  );
};
async function push(path: string, body: Record<string, unknown>): Promise<string> {
  const pushed = await directory.scim('POST', path, body);
  expect(pushed.status).toBe(201);
  return pushed.body.id as string;
}
const change = async (method: string, path: string, body: unknown) => {
  const { status, body: resource } = await directory.scim(method, path, body);
  expect([200, 204]).toContain(status);
  return resource;
};
const patch = (path: string, ...operations: object[]) =>
  change('PATCH', path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations });

const facts = { idp_id: null, state: 'active', created_at: expect.any(String), updated_at: expect.any(String) };
/** What an event says of the user that the API shows. */
const toProfile = (user: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(user).filter(([name]) => !['directoryId', 'user_name', ...Object.keys(facts)].includes(name)));

const okta = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'okta@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: { primary: 'True', value: 'okta@example.com' },
  roles: 'admin,editor',
  entitlements: 'all',
  groups: [],
};

describe('a user', () => {
  let id: string;
  it('is shown as it was pushed, in the API and in events', async () => {
    id = await push('/Users', { ...okta, password: 'never kept' });
    const user = await get(`/users/${id}`);
    expect(user).toEqual({
      ...facts,
      user_name: 'okta@example.com',
      id,
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'okta@example.com',
      active: true,
      roles: ['admin', 'editor'],
      directoryId: directory.id,
      raw: { ...okta, id },
    });
    expect(await get('/users')).toEqual([user]);
    expect((await eventsOf(id)).map(({ event, data }) => [event, data])).toEqual([['user.created', toProfile(user)]]);
    const [row] = await service.db('users').where({ id }).select(service.db.raw('cast(users as text) as text'));
    expect(row.text).not.toContain('never kept');
  });

  it('has the form of its schema in SCIM, also for filters', async () => {
    const resource = {
      active: true,
      emails: [{ primary: true, value: 'okta@example.com' }],
      roles: [{ value: 'admin,editor' }],
      entitlements: [{ value: 'all' }],
    };
    const read = await change('GET', `/Users/${id}`, undefined);
    expect(read).toMatchObject(resource);
    expect(read).not.toHaveProperty('groups');
    for (const filter of ['emails.primary eq true', 'entitlements.value eq "all"', 'active eq true']) {
      const { body } = await directory.scim('GET', `/Users?filter=${encodeURIComponent(filter)}`);
      expect(body).toMatchObject({ totalResults: 1, Resources: [{ ...resource, id }] });
    }
  });

  it('is patched as Polis patches it', async () => {
    await patch(
      `/Users/${id}`,
      { op: 'Replace', path: 'active', value: 'False' },
      { op: 'Add', path: 'roles', value: 'viewer' },
      { op: 'replace', value: { 'name.givenName': 'Eve' } },
      { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'Sales' },
      { op: 'remove', path: 'entitlements' },
    );
    const { entitlements: _, ...rest } = okta;
    expect(await get(`/users/${id}`)).toMatchObject({ first_name: 'Eve', active: false, roles: ['viewer'] });
    expect((await get(`/users/${id}`)).raw).toEqual({
      ...rest,
      id,
      active: 'False',
      roles: 'viewer',
      name: { givenName: 'Eve', familyName: 'Lovelace' },
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Sales' },
    });
    expect((await directory.scim('GET', `/Users/${id}`)).body).toMatchObject({ active: false, emails: [{ primary: true }] });
  });

  it('has no roles and no kept attributes in raw after a PUT without them', async () => {
    const { roles: _, ...body } = okta;
    await change('PUT', `/Users/${id}`, body);
    const user = await get(`/users/${id}`);
    expect(user).not.toHaveProperty('roles');
    expect([user.active, user.raw]).toEqual([false, { ...body, id }]);
    expect((await eventsOf(id)).map(({ event, data }) => [event, data.roles])).toEqual([
      ['user.created', ['admin', 'editor']],
      ['user.updated', ['viewer']],
      ['user.updated', undefined],
    ]);
  });

  it('is shown in its new form without an event where only the form changes', async () => {
    const user = await push('/Users', { userName: 'form', roles: ['a'] });
    const roles = async () => (await eventsOf(user)).map(({ data }) => data.raw['roles']);
    await change('PUT', `/Users/${user}`, { userName: 'form', roles: [{ value: 'a' }] });
    for (const version of [1, 2]) await change('PUT', `/Users/${user}`, { userName: 'form', roles: [{ value: 'a' }], meta: { version } });
    expect(await roles()).toEqual([['a']]);
    expect((await get(`/users/${user}`)).raw).toMatchObject({ roles: [{ value: 'a' }] });
    expect((await directory.scim('GET', `/Users/${user}`)).body.meta.version).toBe('W/"1"');
  });

  it('is counted with what is kept beside its resource, and takes nothing with it', async () => {
    const before = await usedBytes();
    const plain = await push('/Users', {
      ...okta,
      userName: 'plain',
      emails: [],
      roles: [],
      entitlements: [],
      groups: undefined,
      active: true,
    });
    const alone = (await usedBytes()) - before;
    await patch(`/Users/${plain}`, { op: 'add', path: 'groups', value: ['x'.repeat(10_000)] });
    expect((await usedBytes()) - before).toBeGreaterThan(alone + 10_000);
    await directory.scim('DELETE', `/Users/${plain}`);
    expect(await usedBytes()).toBe(before);
  });

  it('is shown by its resource if a process of the previous release has changed it', async () => {
    const user = await push('/Users', { userName: 'former', title: null });
    await service.db('users').where({ id: user }).increment('version', 1);
    expect((await get(`/users/${user}`)).raw).toEqual({ schemas: okta.schemas, userName: 'former', active: true, id: user });
  });
});

describe('a group', () => {
  it('is shown as it was pushed, with an empty list of members', async () => {
    const userId = await push('/Users', { userName: 'member' });
    const id = await push('/Groups', { displayName: 'Team', externalId: null, meta: { x: 1 }, members: [{ value: userId }] });
    const raw = { displayName: 'Team', externalId: null, meta: { x: 1 }, members: [], id };
    expect((await get('/groups')).find((group: { id: string }) => group.id === id)).toEqual({
      id,
      name: 'Team',
      raw,
      idp_id: null,
      member_count: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    await patch(`/Groups/${id}`, { op: 'replace', value: { displayName: 'Squad', members: [] } });
    expect((await get(`/groups/${id}`)).raw).toEqual({ ...raw, displayName: 'Squad' });
    await change('PUT', `/Groups/${id}`, { displayName: 'Band', note: [] });
    expect((await eventsOf(id)).map(({ data }) => data.raw)).toEqual([
      raw,
      { ...raw, displayName: 'Squad' },
      { displayName: 'Band', note: [], members: [], id },
    ]);
  });

  it('tells of members as they were pushed, also of those that a change does not read', async () => {
    const variants = [
      { userName: 'm1', roles: 'a,b', emails: { value: 'm1@example.com' } },
      { userName: 'm2', roles: [{ value: 'x' }], active: 'True', groups: [] },
      { userName: 'm3', roles: { value: 'y' }, active: true, nickName: null },
      { userName: 'm4', roles: '' },
    ];
    const ids: string[] = [];
    for (const body of variants) ids.push(await push('/Users', body));
    const group = await push('/Groups', { displayName: 'Everyone', members: ids.map((value) => ({ value })) });
    await directory.scim('DELETE', `/Groups/${group}`);
    for (const id of ids) {
      const profile = toProfile(await get(`/users/${id}`));
      const [, added, removed] = await eventsOf(id);
      expect([added!.event, removed!.event]).toEqual(['group.user_added', 'group.user_removed']);
      for (const { data } of [added!, removed!]) expect({ ...data, group: undefined }).toEqual({ ...profile, group: undefined });
    }
  });
});

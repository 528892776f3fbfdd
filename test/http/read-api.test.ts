import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeGroup } from '../support/memberships.ts';
import { ada, request, shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const root = '/api/v1/directory-sync';
const get = (path: string, query: Record<string, string | number>, prefix = root) => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return service.api('GET', `${prefix}${path}?${search.toString()}`);
};
const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);
const errorOf = ({ status, body }: Awaited<ReturnType<typeof get>>) => [status, body.data, body.error.code, body.error.message];
const unknownId = '00000000-0000-7000-8000-000000000000';
const groupPaths = ['/groups', ...['', '/members', '/nested-groups'].map((part) => `/groups/${unknownId}${part}`)];

async function push(directory: TestDirectory, path: string, resource: Record<string, unknown>): Promise<string> {
  const { status, body } = await directory.scim('POST', path, resource);
  expect(status).toBe(201);
  return body.id as string;
}
async function pushUsers(directory: TestDirectory, ...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const userName of names) ids.push(await push(directory, '/Users', { userName }));
  return ids;
}

/** Rows as if they had been pushed, because pushing so many takes too long. */
async function insertUsers(directoryId: string, count: number, resource: Record<string, unknown>) {
  const id = '01900000-0000-7000-8000-';
  await service.db.raw(
    `insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
     select :directoryId, cast(:id || lpad(to_hex(n), 12, '0') as uuid), n, n, true, '', '', '', cast(:resource as jsonb), now(), now()
     from generate_series(1, :count) as n`,
    { directoryId, id, count, resource: JSON.stringify(resource) },
  );
}

describe.each([root, '/api/v1/dsync'])('below %s', (prefix) => {
  it('returns users and groups as specified, by tenant and product and by directory', async () => {
    const owner = { tenant: `shapes${prefix.length}`, product: 'app' };
    const directory = await service.createDirectory(owner);
    const resource = { ...ada, displayName: 'Ada', locale: 'en' };
    const userId = await push(directory, '/Users', resource);
    const members = [{ value: userId, display: 'Ada L.' }];
    const pushed = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'Engineers' };
    const groupId = await push(directory, '/Groups', { ...pushed, members });

    const times = { created_at: expect.stringMatching(/Z$/), updated_at: expect.stringMatching(/Z$/) };
    const user = {
      id: userId,
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.com',
      active: true,
      directoryId: directory.id,
      idp_id: null,
      user_name: resource.userName,
      state: 'active',
      ...times,
      raw: { ...resource, id: userId },
    };
    const facts = { idp_id: null, member_count: 1, ...times };
    const group = { id: groupId, name: 'Engineers', ...facts, raw: { ...pushed, id: groupId, members: [] as unknown[] } };
    const whole = { ...group, raw: { ...group.raw, members }, members: [{ group_id: groupId, user_id: userId }] };
    for (const selector of [
      owner,
      { directory_id: directory.id },
      { directoryId: directory.id },
      { ...owner, directory_id: directory.id },
    ]) {
      const read = async (path: string) => {
        const { status, body } = await get(path, selector, prefix);
        expect(status).toBe(200);
        return body;
      };
      expect(await read('/users')).toEqual({ data: [user], error: null, next_cursor: null });
      expect(await read(`/users/${userId}`)).toEqual({ data: user, error: null });
      expect(await read('/groups')).toEqual({ data: [group], error: null, next_cursor: null });
      expect(await read(`/groups/${groupId}`)).toEqual({ data: whole, error: null });
      expect(await read(`/groups/${groupId}/members`)).toEqual({ data: [{ user_id: userId }], next_cursor: null });
    }
  });

  it('requires an API key', async () => {
    for (const path of ['/users', `/users/${unknownId}`, ...groupPaths])
      expect((await request(`${service.baseUrl}${prefix}${path}?tenant=acme&product=app`, 'GET', undefined, {})).status).toBe(401);
  });
});

describe('the selector', () => {
  it('selects all directories of a tenant and product, and no others', async () => {
    const owner = { tenant: 'several', product: 'app' };
    const [first, second] = [await service.createDirectory(owner), await service.createDirectory(owner)];
    const strangers = [
      await service.createDirectory({ ...owner, product: 'other' }),
      await service.createDirectory({ ...owner, tenant: 'x' }),
    ];
    for (const stranger of strangers) {
      await pushUsers(stranger, 'ada');
      await push(stranger, '/Groups', { displayName: 'Strangers' });
    }
    const [ada1] = await pushUsers(second, 'ada');
    const [ada2] = await pushUsers(first, 'ada');
    const team = await push(second, '/Groups', { displayName: 'Team', members: [{ value: ada1 }] });

    expect(idsOf(await get('/users', owner))).toEqual([ada2, ada1]);
    expect(idsOf(await get('/users', { directoryId: first.id }))).toEqual([ada2]);
    expect(idsOf(await get('/groups', owner))).toEqual([team]);
    expect(idsOf(await get('/groups', { directoryId: first.id }))).toEqual([]);
    expect((await get(`/groups/${team}`, owner)).body.data.members).toEqual([{ group_id: team, user_id: ada1 }]);
    expect((await get(`/users/${ada1}`, { directoryId: first.id })).status).toBe(404);
    expect((await get(`/users/${ada1?.toUpperCase()}`, { directoryId: second.id.toUpperCase() })).body.data.id).toBe(ada1);
  });

  it("is a 404 for another tenant's IDs, unknown IDs and invalid IDs", async () => {
    const mine = await service.createDirectory({ tenant: 'mine', product: 'app' });
    const theirs = await service.createDirectory({ tenant: 'theirs', product: 'app' });
    const [theirUser] = await pushUsers(theirs, 'eve');
    const theirGroup = await push(theirs, '/Groups', { displayName: 'Spies', members: [{ value: theirUser }] });
    for (const selector of [{ tenant: 'mine', product: 'app' }, { directoryId: mine.id }]) {
      for (const id of [theirUser!, unknownId, 'nonsense', '%00'])
        expect(errorOf(await get(`/users/${id}`, selector))).toEqual([404, null, 'not_found', expect.stringContaining(' user ')]);
      for (const path of [theirGroup, unknownId, 'nonsense'].flatMap((id) => [id, `${id}/members`, `${id}/nested-groups`]))
        expect(errorOf(await get(`/groups/${path}`, selector))).toEqual([404, null, 'not_found', expect.stringContaining(' group ')]);
    }
  });

  it('is a 404 when no directory matches', async () => {
    const { id } = await service.createDirectory({ tenant: 'agreed', product: 'app' });
    for (const selector of [
      { tenant: 'unheard', product: 'app' },
      { directoryId: unknownId },
      { directoryId: 'nonsense' },
      { directoryId: id, tenant: 'agreed', product: 'other' },
      { directoryId: id, tenant: 'other', product: 'app' },
      { directoryId: id, tenant: 'other' },
    ])
      for (const path of ['/users', `/users/${unknownId}`, ...groupPaths])
        expect(errorOf(await get(path, selector))).toEqual([404, null, 'not_found', expect.stringContaining(' directory')]);
    expect((await get('/users', { directoryId: id, tenant: 'agreed' })).body).toEqual({ data: [], error: null, next_cursor: null });
  });

  it('selects deactivated directories too', async () => {
    const owner = { tenant: 'asleep', product: 'app' };
    const directory = await service.createDirectory(owner);
    const [id] = await pushUsers(directory, 'ada');
    await service.api('PATCH', `${root}/${directory.id}`, { deactivated: true });
    expect(idsOf(await get('/users', owner))).toEqual([id]);
    expect((await get(`/users/${id}`, { directoryId: directory.id })).status).toBe(200);
  });

  it.each([
    ['tenant', {}],
    ['product', { tenant: 'acme' }],
    ['tenant', { product: 'app' }],
    ['tenant', { tenant: '', product: 'app' }],
    ['product', { tenant: 'acme', product: 'a:b' }],
    ['tenant', { tenant: 'a\0', product: 'app' }],
    ['directoryId', { tenant: 'acme', product: 'app', directoryId: '' }],
    ['directory_id', { directory_id: '' }],
    ['directory_id', { directory_id: 'a', directoryId: 'b' }],
  ])('names the field %s of an invalid selector: %j', async (field, selector) => {
    for (const path of ['/users', `/users/${unknownId}`, ...groupPaths]) {
      const { status, body } = await get(path, selector);
      expect([status, body]).toEqual([
        400,
        { data: null, error: { code: 'invalid_request', message: expect.any(String), status: 400, field } },
      ]);
    }
  });

  it('rejects a repeated selector', async () => {
    expect((await service.api('GET', `${root}/users?tenant=a&tenant=b&product=app`)).body.error).toMatchObject({
      code: 'invalid_request',
      field: 'tenant',
    });
  });
});

describe('paging', () => {
  it('pages users, groups and members, with both spellings of the parameters', async () => {
    const directory = await service.createDirectory();
    const selector = { directoryId: directory.id };
    const users = await pushUsers(directory, 'a', 'b', 'c', 'd');
    const groups: string[] = [];
    for (const displayName of ['z', 'y', 'x', 'w'])
      groups.push(await push(directory, '/Groups', { displayName, members: users.map((value) => ({ value })) }));
    const lists: [string, (response: Awaited<ReturnType<typeof get>>) => string[], string[]][] = [
      ['/users', idsOf, users.toReversed()],
      ['/groups', idsOf, groups.toReversed()],
      [`/groups/${groups[0]}/members`, ({ body }) => body.data.map((member: { user_id: string }) => member.user_id), users.toReversed()],
    ];
    for (const [path, read, all] of lists) {
      const page = async (query: Record<string, number>) => read(await get(path, { ...selector, ...query }));
      expect(await page({})).toEqual(all);
      expect(await page({ pageOffset: 1, pageLimit: 2 })).toEqual(all.slice(1, 3));
      expect(await page({ offset: 2, limit: 1 })).toEqual(all.slice(2, 3));
      expect(await page({ pageOffset: 3, offset: 0, pageLimit: 1, limit: 4 })).toEqual(all.slice(3));
      expect(await page({ pageOffset: 4 })).toEqual([]);
      expect(await page({ pageOffset: Number.MAX_SAFE_INTEGER, pageLimit: 1000 })).toEqual([]);
      for (const [field, value] of [
        ['offset', '1.5'],
        ['limit', '-1'],
      ] as const)
        expect((await get(path, { ...selector, [field]: value })).body.error).toMatchObject({ code: 'invalid_request', field });
    }
  });

  it('returns 50 items by default, and at most 1,000', async () => {
    const { id: directoryId } = await service.createDirectory();
    await insertUsers(directoryId, 1_001, {});
    const group = await storeGroup(service.db, directoryId, 1_001);
    for (const path of ['/users', `/groups/${group}/members`]) {
      const sizeOf = async (query: Record<string, number>) => (await get(path, { directoryId, ...query })).body.data.length;
      expect([await sizeOf({}), await sizeOf({ pageLimit: 0 }), await sizeOf({ limit: 5_000 })]).toEqual([50, 50, 1_000]);
    }
  });

  it('returns every user that was there, whatever is added between pages', async () => {
    const owner = { tenant: 'growing', product: 'app' };
    const directories = [await service.createDirectory(owner), await service.createDirectory(owner)];
    const before: string[] = [];
    for (const name of ['a', 'b', 'c']) for (const directory of directories) before.push(...(await pushUsers(directory, name)));
    const seen: string[] = [];
    for (let page = 0; page < 9; page += 1) {
      seen.push(...idsOf(await get('/users', { ...owner, pageOffset: page * 2, pageLimit: 2 })));
      if (page < 3) for (const directory of directories) await pushUsers(directory, `new ${page}`);
    }
    // A page repeats users where others were added before it.
    expect([...new Set(seen)]).toEqual(before.toReversed());
  });

  it('rejects a page that needs too much memory, and says how much fits', async () => {
    const { id: directoryId } = await service.createDirectory();
    await insertUsers(directoryId, 20, { note: 'x'.repeat(1_000_000) });
    const { status, body } = await get('/users', { directoryId });
    expect([status, body.error]).toEqual([
      400,
      { code: 'invalid_request', message: expect.stringContaining(' 17 '), status: 400, field: 'limit' },
    ]);
    expect((await get('/users', { directoryId, pageLimit: 17 })).body.data).toHaveLength(17);
    expect((await get('/users', { directoryId, pageLimit: 17, pageOffset: 17 })).body.data).toHaveLength(3);
  });
});

describe('the members of a group', () => {
  it('are its users, newest first in the list, without groups and pending members', async () => {
    const directory = await service.createDirectory();
    const selector = { directoryId: directory.id };
    const [grace, ada1] = await pushUsers(directory, 'grace', 'ada');
    const inner = await push(directory, '/Groups', { displayName: 'Inner', members: [{ value: grace }] });
    const members = [{ value: ada1 }, { value: inner }, { value: 'not-yet-here' }];
    const outer = await push(directory, '/Groups', { displayName: 'Outer', members });
    const operation = { op: 'add', path: 'members', value: [{ value: grace, display: 'Grace' }] };
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
    expect((await directory.scim('PATCH', `/Groups/${outer}`, { schemas, Operations: [operation] })).status).toBe(204);

    const { data } = (await get(`/groups/${outer}`, selector)).body;
    expect(data.members).toEqual([
      { group_id: outer, user_id: ada1 },
      { group_id: outer, user_id: grace },
    ]);
    expect(data.raw.members).toEqual([{ value: ada1 }, { value: grace, display: 'Grace' }]);
    expect((await get(`/groups/${outer}/members`, selector)).body).toEqual({
      data: [{ user_id: grace }, { user_id: ada1 }],
      next_cursor: null,
    });
    expect((await get(`/groups/${outer}/members`, { ...selector, limit: 1, offset: 1 })).body.data).toEqual([{ user_id: ada1 }]);

    await directory.scim('DELETE', `/Users/${ada1}`);
    expect((await get(`/groups/${outer}/members`, selector)).body).toEqual({ data: [{ user_id: grace }], next_cursor: null });
    expect((await get(`/users/${ada1}`, selector)).status).toBe(404);
  });

  it('that are groups are listed separately, by page', async () => {
    const directory = await service.createDirectory();
    const selector = { directoryId: directory.id };
    const [ada1] = await pushUsers(directory, 'ada');
    const inner: { id: string; name: string }[] = [];
    for (const name of ['C', 'A', 'B']) inner.push({ id: await push(directory, '/Groups', { displayName: name }), name });
    const members = [inner[0]!.id, ada1, inner[1]!.id, 'not-yet-here', inner[2]!.id].map((value) => ({ value }));
    const outer = await push(directory, '/Groups', { displayName: 'Outer', members });
    const deepest = await push(directory, '/Groups', { displayName: 'Deepest' });
    const operation = { op: 'add', path: 'members', value: [{ value: deepest }] };
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
    await directory.scim('PATCH', `/Groups/${inner[0]!.id}`, { schemas, Operations: [operation] });

    const nested = (id: string, page: Record<string, number> = {}) => get(`/groups/${id}/nested-groups`, { ...selector, ...page });
    expect((await nested(outer)).body).toEqual({ data: inner, error: null, next_cursor: null });
    expect((await nested(outer, { pageOffset: 1, pageLimit: 1 })).body.data).toEqual([inner[1]]);
    expect((await nested(inner[0]!.id)).body.data).toEqual([{ id: deepest, name: 'Deepest' }]);
    expect((await nested(deepest)).body.data).toEqual([]);
    await directory.scim('DELETE', `/Groups/${inner[0]!.id}`);
    expect((await nested(outer)).body.data).toEqual(inner.slice(1));
  });
});

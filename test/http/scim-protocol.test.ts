import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
  directory = await service.createDirectory();
  for (const [index, userName] of ['dan', 'Ada', 'eve', 'ben', 'Cleo'].entries())
    await directory.scim('POST', '/Users', { userName, externalId: `x${index}`, ...(index % 2 === 0 && { title: `T${index}` }) });
});
afterAll(() => service.stop());

const names = ({ body }: { body: { Resources: { userName?: string; displayName?: string }[] } }) =>
  body.Resources.map(({ userName, displayName }) => userName ?? displayName);
const list = (query: string) => directory.scim('GET', `/Users?${query}`);
const idOf = async (userName: string): Promise<string> => (await list(`filter=userName eq "${userName}"`)).body.Resources[0].id;
const patchOf = (value: object) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [{ op: 'replace', value }] });

describe('lists', () => {
  it('pages by index, with the exact total and in the order of creation', async () => {
    const page = await list('startIndex=2&count=2');
    expect(page.body).toMatchObject({ totalResults: 5, startIndex: 2, itemsPerPage: 2 });
    expect(names(page)).toEqual(['Ada', 'eve']);
    expect((await list('count=0')).body).toMatchObject({ totalResults: 5, itemsPerPage: 0, Resources: [] });
    expect(names(await list('startIndex=6'))).toEqual([]);
  });

  it.each([
    ['', ['dan', 'Ada', 'eve', 'ben', 'Cleo']],
    ['&sortBy=userName', ['Ada', 'ben', 'Cleo', 'dan', 'eve']],
    ['&sortBy=title&sortOrder=descending', ['ben', 'Ada', 'Cleo', 'eve', 'dan']],
    ['&filter=title pr&sortBy=title', ['dan', 'eve', 'Cleo']],
  ])('pages by cursor through all resources, each once: %s', async (query, expected) => {
    const found: (string | undefined)[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const page = await list(`count=2&cursor=${cursor}${query}`);
      expect(page.status).toBe(200);
      found.push(...names(page));
      cursor = page.body.nextCursor;
      expect(page.body.totalResults).toBe(query.includes('filter') ? 3 : 5);
    }
    expect(found).toEqual(expected);
  });

  it('rejects a cursor of another list or directory, and a forged one', async () => {
    const { nextCursor } = (await list('count=2&cursor=')).body;
    const other = await service.createDirectory();
    const rejected = [
      await list(`count=2&cursor=${nextCursor}&filter=title pr`),
      await list(`count=2&cursor=${nextCursor.slice(0, -4)}AAAA`),
      await directory.scim('GET', `/Groups?cursor=${nextCursor}`),
      await other.scim('GET', `/Users?cursor=${nextCursor}`),
    ];
    for (const response of rejected) expect(response).toMatchObject({ status: 400, body: { scimType: 'invalidCursor' } });
  });

  it('returns the requested attributes', async () => {
    const id = await idOf('dan');
    const [only, without] = [
      await directory.scim('GET', `/Users/${id}?attributes=userName`),
      await directory.scim('GET', `/Users/${id}?excludedAttributes=userName,meta`),
    ];
    expect(Object.keys(only.body).sort()).toEqual(['id', 'schemas', 'userName']);
    expect(without.body).toMatchObject({ id, title: 'T0' });
    expect(without.body).not.toHaveProperty('meta');
  });

  it('searches by POST, in one type and in all', async () => {
    await directory.scim('POST', '/Groups', { displayName: 'Staff' });
    const search = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], startIndex: 5, count: 3 };
    const everything = await directory.scim('POST', '/.search', search);
    expect(names(everything)).toEqual(['Cleo', 'Staff']);
    expect(everything.body.totalResults).toBe(6);
    const users = await directory.scim('POST', '/Users/.search', {
      ...search,
      startIndex: 1,
      filter: 'userName sw "D"',
      attributes: ['userName'],
    });
    expect(names(users)).toEqual(['dan']);
    const found: (string | undefined)[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const page = await directory.scim('POST', '/.search', { schemas: search.schemas, count: 5, cursor });
      found.push(...names(page));
      cursor = page.body.nextCursor;
    }
    expect(found).toEqual(['dan', 'Ada', 'eve', 'ben', 'Cleo', 'Staff']);
  });
});

it('returns each resource once in a search of all types, also when a page ends early', async () => {
  const large = await service.createDirectory();
  for (let index = 0; index < 13; index += 1)
    await large.scim('POST', '/Users', { userName: `u${index}`, a: 'x'.repeat(240_000), b: 'x'.repeat(240_000), c: 'x'.repeat(240_000) });
  for (const displayName of ['g0', 'g1']) await large.scim('POST', '/Groups', { displayName });
  const found: (string | undefined)[] = [];
  while (found.length < 15) {
    const search = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], startIndex: found.length + 1 };
    found.push(...names(await large.scim('POST', '/.search', search)));
  }
  expect(found).toEqual([...Array.from({ length: 13 }, (_, index) => `u${index}`), 'g0', 'g1']);
});

describe('versions', () => {
  it('increases the version only when something changes', async () => {
    const id = await idOf('eve');
    const first = await directory.scim('GET', `/Users/${id}`);
    const changed = await directory.scim('PATCH', `/Users/${id}`, patchOf({ active: 'False' }));
    const again = await directory.scim('PATCH', `/Users/${id}`, patchOf({ active: 'False' }));
    expect([first, changed, again].map(({ headers }) => headers.get('etag'))).toEqual(['W/"1"', 'W/"2"', 'W/"2"']);
    expect(again.body.meta).toEqual(changed.body.meta);
    const events = await service.db('events').where({ directory_id: directory.id, type: 'user.updated' }).pluck('data');
    expect(events.map(({ id: about, active }) => [about, active])).toEqual([[id, false]]);
  });

  it('responds with 304 to If-None-Match, and with 412 to an If-Match that fails', async () => {
    const id = await idOf('ben');
    expect((await directory.scim('GET', `/Users/${id}`, undefined, { 'if-none-match': 'W/"1"' })).status).toBe(304);
    expect((await directory.scim('GET', `/Users/${id}`, undefined, { 'if-none-match': 'W/"7"' })).status).toBe(200);
    for (const [method, body] of [
      ['PATCH', patchOf({ title: 'x' })],
      ['PUT', { userName: 'ben' }],
      ['DELETE', undefined],
    ] as const)
      expect((await directory.scim(method, `/Users/${id}`, body, { 'if-match': 'W/"9"' })).status).toBe(412);
    expect((await directory.scim('PATCH', `/Users/${id}`, patchOf({ title: 'x' }), { 'if-match': '"8", W/"1"' })).status).toBe(200);
    expect((await directory.scim('PUT', `/Users/${id}`, { userName: 'ben' }, { 'if-match': '*' })).status).toBe(200);
    expect((await directory.scim('GET', `/Users/${id}`)).body).not.toHaveProperty('title');
  });

  it('accepts two PUTs with the same If-Match if SCIM shows no difference, and keeps the form of the last one', async () => {
    const { id } = (await directory.scim('POST', '/Users', { userName: 'cem' })).body;
    const put = async (active: unknown) => {
      const { status, headers } = await directory.scim('PUT', `/Users/${id}`, { userName: 'cem', active }, { 'if-match': 'W/"1"' });
      return [status, headers.get('etag')];
    };
    expect([await put('true'), await put('True')]).toEqual([
      [200, 'W/"1"'],
      [200, 'W/"1"'],
    ]);
    const { data } = (await service.api('GET', `/api/v1/directory-sync/users/${id}?directoryId=${directory.id}`)).body;
    expect(data.raw).toMatchObject({ userName: 'cem', active: 'True' });
    expect(await put(false)).toEqual([200, 'W/"2"']);
    expect(await put(true)).toEqual([412, null]);
  });
});

describe('a user', () => {
  it('that is inactive stays in its groups and in lists', async () => {
    const id = await idOf('Ada');
    const group = await directory.scim('POST', '/Groups', { displayName: 'Crew', members: [{ value: id }] });
    await directory.scim('PATCH', `/Users/${id}`, patchOf({ active: false }));
    expect((await list('filter=active eq false and userName eq "ada"')).body.totalResults).toBe(1);
    expect((await directory.scim('GET', `/Users/${id}`)).body).toMatchObject({
      active: false,
      groups: [{ value: group.body.id, display: 'Crew', type: 'direct', $ref: group.body.meta.location }],
    });
    expect((await list(`filter=groups.value eq "${group.body.id}"`)).body.totalResults).toBe(1);
    expect(names(await directory.scim('GET', `/Groups?filter=members.value eq "${id}"`))).toEqual(['Crew']);
  });

  it('is not activated by leaving active out', async () => {
    const made = await directory.scim('POST', '/Users', { userName: 'gone', active: false });
    const patched = await directory.scim('PATCH', `/Users/${made.body.id}`, patchOf({ active: null }));
    const replaced = await directory.scim('PUT', `/Users/${made.body.id}`, { userName: 'gone', title: 'x' });
    expect([patched.body.active, replaced.body.active]).toEqual([false, false]);
    await directory.scim('DELETE', `/Users/${made.body.id}`);
  });

  it('has no password anywhere', async () => {
    const made = await directory.scim('POST', '/Users', { userName: 'secret', password: 'hunter2!' });
    await directory.scim('PATCH', `/Users/${made.body.id}`, patchOf({ password: 'hunter3!', title: 'x' }));
    await directory.scim('PATCH', `/Users/${made.body.id}`, {
      ...patchOf({}),
      Operations: [{ op: 'replace', path: 'password', value: 'hunter4!' }],
    });
    const shown = await directory.scim('PUT', `/Users/${made.body.id}`, { userName: 'secret', password: 'hunter5!' });
    const extension = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
    await directory.scim('PATCH', `/Users/${made.body.id}`, patchOf({ [extension]: { Password: 'hunter6!', department: 'D' } }));
    await directory.scim('PATCH', `/Users/${made.body.id}`, patchOf({ [`${extension}:password`]: 'hunter7!', 'password ': 'hunter8!' }));
    const tables = await Promise.all(['users', 'events', 'mutations'].map((table) => service.db(table).select('*')));
    expect(JSON.stringify([shown.body, made.body, tables])).not.toContain('hunter');
    await directory.scim('DELETE', `/Users/${made.body.id}`);
    expect((await directory.scim('POST', '/Users', { userName: 'SECRET' })).status).toBe(201);
  });
});

describe('discovery', () => {
  it.each([
    '/ServiceProviderConfig',
    '/ServiceProviderConfigs',
    '/ResourceTypes',
    '/ResourceTypes/Group',
    '/Schemas',
    '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User',
  ])('%s is served, with all of its parts', async (path) => {
    expect((await directory.scim('GET', path)).status).toBe(200);
    expect((await directory.scim('GET', `${path}?filter=id pr`)).status).toBe(403);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(await directory.scim(method, path, method === 'DELETE' ? undefined : {})).toMatchObject({
        status: 405,
        body: { status: '405', schemas: [expect.stringContaining('Error')] },
      });
  });

  it('supports no Me, and nothing at other paths', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) expect((await directory.scim(method, '/Me')).status).toBe(501);
    for (const path of ['/Schemas/urn:x', '/ResourceTypes/Robot', '/Robots', '/Users/x/y'])
      expect(await directory.scim('GET', path)).toMatchObject({ status: 404, body: { status: '404' } });
  });

  it('requires the secret', async () => {
    expect((await directory.scim('GET', '/ServiceProviderConfig', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
  });
});

it('fails for a deactivated directory', async () => {
  const closed = await service.createDirectory();
  await service.api('PATCH', `/api/v1/directory-sync/${closed.id}`, { deactivated: true });
  for (const [method, path] of [
    ['POST', '/Users'],
    ['GET', '/Users'],
    ['POST', '/Bulk'],
    ['GET', '/Schemas'],
    ['POST', '/.search'],
  ] as const)
    expect(await closed.scim(method, path, method === 'POST' ? {} : undefined)).toMatchObject({ status: 403, body: { status: '403' } });
  expect((await closed.scim('GET', '/Users', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import {
  attributesOf,
  createMapped,
  enterprise,
  mappingPath,
  schemasPath,
  setMapping,
  setSchema,
  untilComputed,
} from '../support/attributes.ts';
import { patch, push, readEvents } from '../support/inactive-users.ts';
import { ada, shareTestService, type TestService } from '../support/service.ts';
import { readSnapshot } from '../support/snapshots.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const engineer = { ...ada, title: 'Engineer', [enterprise]: { department: 'Engines', manager: { value: 'byron@acme.example' } } };

it('shows the predefined attributes in lists, single users, events and snapshots, if the product asks for them', async () => {
  const directory = await createMapped(service, [
    { name: 'job_title' },
    { name: 'department_name' },
    { name: 'manager_email' },
    { name: 'username' },
  ]);
  const id = await push(directory, '/Users', engineer);
  const expected = { job_title: 'Engineer', department_name: 'Engines', manager_email: 'byron@acme.example', username: ada.userName };
  expect(await attributesOf(service, directory.id, id)).toEqual(expected);
  const { body } = await service.api('GET', `/api/v1/directory-sync/users?directory_id=${directory.id}`);
  expect(body.data[0].custom_attributes).toEqual(expected);
  const [created] = await readEvents(service, directory.id);
  expect(created!.data.custom_attributes).toEqual(expected);
  const user = (await readSnapshot(service, directory.id)).find(({ type }) => type === 'user');
  expect(user!.data.custom_attributes).toEqual(expected);
});

it('shows nothing new in a product without a schema', async () => {
  const directory = await createMapped(service);
  const id = await push(directory, '/Users', engineer);
  expect(await attributesOf(service, directory.id, id)).toBeUndefined();
  expect(Object.keys((await readEvents(service, directory.id))[0]!.data)).not.toContain('custom_attributes');
});

it('tells what changed of an attribute, and what a member of a group has', async () => {
  const directory = await createMapped(service, [{ name: 'job_title' }, { name: 'username' }]);
  const id = await push(directory, '/Users', engineer);
  await patch(directory, `/Users/${id}`, { op: 'replace', path: 'title', value: 'Countess' });
  await push(directory, '/Groups', { displayName: 'Team', members: [{ value: id }] });
  const events = (await readEvents(service, directory.id)) as unknown as {
    event: string;
    changes?: string[];
    previous_attributes?: object;
    data: { custom_attributes: object };
  }[];
  expect(events[1]).toMatchObject({
    event: 'user.updated',
    reason: 'scim',
    changes: ['custom_attributes', 'raw'],
    previous_attributes: { custom_attributes: { job_title: 'Engineer' }, raw: { title: 'Engineer' } },
  });
  const added = events.find(({ event }) => event === 'group.user_added');
  expect(added!.data.custom_attributes).toEqual({ job_title: 'Countess', username: ada.userName });
});

it('tells each user whose attributes a mapping changes once, with the reason mapping', async () => {
  const directory = await createMapped(service, [{ name: 'job_title' }, { name: 'level', type: 'number' }]);
  const ids = [];
  for (const name of ['ada', 'bob', 'cy'])
    ids.push(await push(directory, '/Users', { userName: `${name}@acme.example`, nickName: name, ...(name !== 'cy' && { title: 'T' }) }));
  const { meta } = (await directory.scim('GET', `/Users/${ids[0]}`)).body;
  await setMapping(service, directory.id, { job_title: { first_of: [{ path: 'title' }, { constant: 'none' }], case: 'lower' } });
  const told = (await readEvents(service, directory.id)).slice(3);
  expect(told.map(({ event, reason, data }) => [event, reason, data.id, data.custom_attributes])).toEqual([
    ['user.updated', 'mapping', ids[0], { job_title: 't' }],
    ['user.updated', 'mapping', ids[1], { job_title: 't' }],
    ['user.updated', 'mapping', ids[2], { job_title: 'none' }],
  ]);
  expect(told[2]).toMatchObject({ changes: ['custom_attributes'], previous_attributes: { custom_attributes: { job_title: null } } });
  // The resource that the identity provider knows is the same.
  expect((await directory.scim('GET', `/Users/${ids[0]}`)).body.meta).toEqual(meta);
  await setMapping(service, directory.id, { job_title: { first_of: [{ path: 'title' }, { constant: 'none' }], case: 'lower' } });
  expect(await readEvents(service, directory.id)).toHaveLength(6);
});

it('does not compute again what a mapping or a schema has computed, unless it is asked to, and then stores no outcome', async () => {
  const schema = [{ name: 'job_title' }];
  const directory = await createMapped(service, schema);
  await push(directory, '/Users', engineer);
  const idOf = async () => (await service.api('GET', mappingPath(directory.id))).body.data.recompute.id;
  const outcomes = async () => (await service.db('mutations').where({ directory_id: directory.id })).length;
  const mapping = { job_title: { path: 'title', case: 'upper' } };
  await setMapping(service, directory.id, mapping);
  const [first, before] = [await idOf(), await outcomes()];
  await setMapping(service, directory.id, mapping);
  await setSchema(service, directory.product, schema);
  expect(await idOf()).toBe(first);
  expect((await service.api('PUT', mappingPath(directory.id), { attributes: mapping, recompute: true })).status).toBe(200);
  await untilComputed(service, directory.id);
  const second = await idOf();
  expect(second).not.toBe(first);
  expect((await service.api('PUT', schemasPath, { product: directory.product, attributes: schema, recompute: true })).status).toBe(200);
  await untilComputed(service, directory.id);
  expect(await idOf()).not.toBe(second);
  expect(await outcomes()).toBe(before);
});

it('accepts a user with very many names, however many places a mapping looks at', async () => {
  const schema = Array.from({ length: 50 }, (_, index) => ({ name: `it_${index}`, type: 'string', required: true }));
  const directory = await createMapped(service, schema);
  const places = Array.from({ length: 10 }, (_, index) => ({ path: `big.absent_${index}` }));
  await setMapping(service, directory.id, Object.fromEntries(schema.map(({ name }) => [name, { first_of: places }])));
  const big = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`name_${index}`, index]));
  const id = await push(directory, '/Users', { ...ada, big });
  expect(await attributesOf(service, directory.id, id)).toEqual({});
});

it('says in the audit log which paths and types changed, and no constant', async () => {
  const directory = await createMapped(service, [{ name: 'job_title' }]);
  await setSchema(service, directory.product, [{ name: 'job_title' }, { name: 'team', type: 'string', multi_valued: true }]);
  await setMapping(service, directory.id, { team: { first_of: [{ path: 'roles.value' }, { constant: 'secret' }] }, job_title: null });
  const changesOf = async (action: string, target: string) =>
    (await service.api('GET', `/api/v1/audit-log?action=${action}&target=${target}`)).body.data[0].changes.attributes;
  expect(await changesOf('attribute_schema.updated', directory.product)).toEqual({
    from: { job_title: 'string' },
    to: { job_title: 'string', team: 'string[]' },
  });
  expect(await changesOf('directory.mapping_updated', directory.id)).toEqual({
    from: {},
    to: { job_title: null, team: ['roles.value', '(constant)'] },
  });
});

it('waits only shortly for a directory that is in use, and says so', async () => {
  const directory = await createMapped(service, [{ name: 'job_title' }]);
  const trx = await service.db.transaction();
  try {
    await trx.raw('select from all_directories where id = ? for update', [directory.id]);
    const { status, body } = await service.api('PUT', schemasPath, { product: directory.product, attributes: [] });
    expect([status, body.error.message]).toEqual([503, expect.stringContaining('The attributes of this product are in use')]);
  } finally {
    await trx.rollback();
  }
  expect((await service.api('GET', `${schemasPath}?product=${directory.product}`)).body.data.attributes).toHaveLength(1);
});

it('computes all directories of a product when its schema changes, and forgets what is removed', async () => {
  const directory = await createMapped(service);
  const other = await service.createDirectory({ product: directory.product, tenant: 'other' });
  const ids = [await push(directory, '/Users', engineer), await push(other, '/Users', engineer)];
  await setSchema(service, directory.product, [{ name: 'job_title' }]);
  for (const [index, { id }] of [directory, other].entries()) {
    await untilComputed(service, id);
    expect(await attributesOf(service, id, ids[index]!)).toEqual({ job_title: 'Engineer' });
  }
  await setSchema(service, directory.product, []);
  await untilComputed(service, directory.id);
  expect(await attributesOf(service, directory.id, ids[0]!)).toBeUndefined();
  const reasons = (await readEvents(service, directory.id)).map(({ event, reason }) => `${event} ${reason}`);
  expect(reasons).toEqual(['user.created scim', 'user.updated mapping', 'user.updated mapping']);
});

it('counts users without a required attribute in the health of the directory, and refuses none', async () => {
  const directory = await createMapped(service, [{ name: 'job_title', required: true }]);
  const health = async () => (await service.api('GET', `/api/v1/directory-sync/${directory.id}`)).body.data.health.users_missing_attributes;
  const id = await push(directory, '/Users', ada);
  await push(directory, '/Users', { userName: 'bob@acme.example', title: 'B' });
  expect(await health()).toBe(1);
  await patch(directory, `/Users/${id}`, { op: 'replace', path: 'title', value: 'Countess' });
  expect(await health()).toBe(0);
  await setMapping(service, directory.id, { job_title: null });
  expect(await health()).toBe(2);
});

it('previews a mapping without storing anything', async () => {
  const directory = await createMapped(service, [{ name: 'job_title' }, { name: 'department_name' }]);
  const id = await push(directory, '/Users', engineer);
  await push(directory, '/Users', { userName: 'bob@acme.example' });
  const { body } = await service.api('POST', `${mappingPath(directory.id)}/preview`, {
    attributes: { job_title: { path: 'title', case: 'upper' } },
    limit: 20,
  });
  expect(body.data).toMatchObject({
    users: 2,
    checked: 2,
    is_partial: false,
    would_update: 1,
    estimated_updates: 1,
    missing: { job_title: 1, department_name: 1 },
  });
  expect(body.data.samples[1]).toEqual({
    id,
    custom_attributes: { job_title: 'ENGINEER', department_name: 'Engines' },
    present_attributes: { job_title: 'Engineer', department_name: 'Engines' },
  });
  expect(await attributesOf(service, directory.id, id)).toEqual({ job_title: 'Engineer', department_name: 'Engines' });
  expect((await service.api('POST', `${mappingPath(directory.id)}/preview`)).body.data.would_update).toBe(0);
  expect(await readEvents(service, directory.id)).toHaveLength(2);
});

it('previews the removal of a mapping, which an empty one is', async () => {
  const directory = await createMapped(service, [{ name: 'job_title' }]);
  await push(directory, '/Users', engineer);
  await push(directory, '/Users', { userName: 'bob@acme.example' });
  await setMapping(service, directory.id, { job_title: null });
  const { body } = await service.api('POST', `${mappingPath(directory.id)}/preview`, { attributes: {} });
  expect(body.data).toMatchObject({ checked: 2, would_update: 1, missing: { job_title: 1 } });
  expect(body.data.samples[1]).toMatchObject({ custom_attributes: { job_title: 'Engineer' }, present_attributes: {} });
});

it('shows the sources of a directory, its own and the default ones', async () => {
  const directory = await createMapped(service, [{ name: 'job_title' }, { name: 'team', type: 'string', multi_valued: true }]);
  const own = { team: { path: 'roles[type eq "team"].value' } };
  await setMapping(service, directory.id, own);
  const { data } = (await service.api('GET', mappingPath(directory.id))).body;
  expect(data.attributes).toEqual(own);
  expect(data.effective).toEqual([
    { name: 'job_title', type: 'string', multi_valued: false, required: false, source: { path: 'title' }, is_default: true },
    { name: 'team', type: 'string', multi_valued: true, required: false, source: own.team, is_default: false },
  ]);
  expect(data.recompute).toMatchObject({ state: 'done', done: 0, total: 0 });
  const id = await push(directory, '/Users', {
    ...ada,
    roles: [
      { value: 'a', type: 'team' },
      { value: 'b', type: 'other' },
      { value: 'c', type: 'team' },
    ],
  });
  expect(await attributesOf(service, directory.id, id)).toEqual({ team: ['a', 'c'] });
});

it('tells nothing of a user that is hidden, and has its attributes when it comes back', async () => {
  const directory = await createMapped(service, [{ name: 'job_title' }], { inactive_users: 'delete' });
  const id = await push(directory, '/Users', { ...engineer, active: false });
  await setMapping(service, directory.id, { job_title: { path: 'title', case: 'upper' } });
  expect(await readEvents(service, directory.id)).toEqual([]);
  expect(await attributesOf(service, directory.id, id)).toEqual({ job_title: 'ENGINEER' });
  await patch(directory, `/Users/${id}`, { op: 'replace', path: 'active', value: true });
  const [created] = await readEvents(service, directory.id);
  expect(created).toMatchObject({ event: 'user.created', data: { custom_attributes: { job_title: 'ENGINEER' } } });
});

it('a key of a tenant reads the schema of its products, and changes none', async () => {
  const directory = await createMapped(service, [{ name: 'job_title' }]);
  const key = await createKey(service, { name: 'a', scopes: ['directories:read', 'directories:write'], directory_id: directory.id });
  const read = (product: string) => key.api('GET', `${schemasPath}?product=${product}`);
  expect((await read(directory.product)).body.data.attributes).toHaveLength(1);
  const other = await createMapped(service, [{ name: 'job_title' }]);
  expect((await read(other.product)).body.data.attributes).toEqual([]);
  for (const product of [directory.product, other.product]) {
    const { status, body } = await key.api('PUT', schemasPath, { product, attributes: [] });
    expect([status, body.error.code]).toEqual([403, 'key_narrowed']);
  }
  expect((await service.api('GET', `${schemasPath}?product=${directory.product}`)).body.data.attributes).toHaveLength(1);
});

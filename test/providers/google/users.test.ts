import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readBody, toResource } from '../../../src/scim/resource/read-resource.ts';
import { userType } from '../../../src/scim/schema/resource-types.ts';
import { startFakeGoogle, type FakeGoogle } from '../../support/google/fake-google.ts';
import { createGoogleUser } from '../../support/google/google-data.ts';
import { never, openGoogle, readPages } from '../../support/google/open-google.ts';

let google: FakeGoogle;
beforeEach(async () => {
  google = await startFakeGoogle();
});
afterEach(async () => google.stop());

const list = () => openGoogle(google).listUsers({ signal: never });
const listOne = async () => (await list()).items[0]!;
const response = (users: unknown, more: object = {}) =>
  google.failNext('users', { body: { kind: 'admin#directory#users', users, ...more } });

describe('list of users', () => {
  it('is requested in full, in pages of 500, in the order of addresses', async () => {
    await openGoogle(google).listUsers({ pageToken: undefined, signal: never });
    expect(google.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /admin/directory/v1/users']);
    expect(Object.fromEntries(google.requests[0]!.query)).toEqual({
      customer: 'my_customer',
      maxResults: '500',
      projection: 'full',
      orderBy: 'email',
    });
  });

  it('comes page by page, each user once', async () => {
    google.preset({ users: Array.from({ length: 1201 }, () => createGoogleUser()) });
    const source = openGoogle(google);
    const pages = await readPages(source.listUsers);
    expect(pages.map(({ items, listed }) => [items.length, listed])).toEqual([
      [500, 500],
      [500, 500],
      [201, 201],
    ]);
    expect(pages.at(-1)).not.toHaveProperty('nextPageToken');
    const ids = pages.flatMap(({ items }) => items.map(({ externalId }) => externalId));
    expect(new Set(ids)).toEqual(new Set(google.users.keys()));
  });

  it('continues where it was if the directory changes in between', async () => {
    google.preset({
      users: Array.from({ length: 501 }, (_, at) => createGoogleUser({ primaryEmail: `${String(at).padStart(4, '0')}@example.com` })),
    });
    const source = openGoogle(google);
    const { nextPageToken, items } = await source.listUsers({ signal: never });
    google.removeUser(items[0]!.externalId);
    google.addUser({ primaryEmail: '0000a@example.com' });
    const rest = await source.listUsers({ pageToken: nextPageToken, signal: never });
    expect(rest.items.map(({ resource }) => resource['userName'])).toEqual(['0500@example.com']);
  });

  it.each([
    ['bytes', { notes: 'x'.repeat(40_000) }],
    ['values', { notes: Array.from({ length: 2_500 }, () => ({})) }],
  ])('requests smaller pages if a page has too many %s', async (_, large) => {
    google.preset({ users: Array.from({ length: 400 }, () => createGoogleUser(large)) });
    const pages = await readPages(openGoogle(google).listUsers);
    expect(google.requests.map(({ query }) => query.get('maxResults'))).toEqual(['500', ...pages.map(() => '63')]);
    expect(new Set(pages.flatMap(({ items }) => items.map(({ externalId }) => externalId)))).toEqual(new Set(google.users.keys()));
  });

  it('is empty if Google omits it', async () => {
    expect(await list()).toEqual({ items: [], listed: 0 });
  });

  it('has no further page after an empty token', async () => {
    response([], { nextPageToken: '' });
    expect(await list()).toEqual({ items: [], listed: 0 });
  });

  it('keeps the last of those with the same ID', async () => {
    const user = createGoogleUser();
    response([user, createGoogleUser({ id: '2' }), { ...user, primaryEmail: 'new@example.com' }]);
    const { items, listed } = await list();
    expect(items.map(({ resource }) => resource['userName'])).toEqual(['new@example.com', expect.any(String)]);
    expect(listed).toBe(3);
  });
});

describe('user', () => {
  it("is Google's record with SCIM names, without fields that change by themselves", async () => {
    google.addUser({
      id: '100',
      primaryEmail: 'ada@example.com',
      name: { givenName: 'Ada', familyName: 'Lovelace', fullName: 'Ada Lovelace' },
      emails: [
        { address: 'ada@example.com', primary: true },
        { address: 'ada@home.example', type: 'home', customType: '' },
        { type: 'custom', customType: 'odd' },
      ],
      phones: [{ value: '1', type: 'work' }],
      customSchemas: { Staff: { badge: 7 } },
      orgUnitPath: '/Sales',
      password: 'secret',
      hashFunction: 'SHA-1',
    });
    const { externalId, resource, raw } = await listOne();
    expect(externalId).toBe('100');
    const { id: _id, password: _password, hashFunction: _hashFunction, ...returned } = google.users.get('100')!;
    expect(raw).toEqual({ ...returned, externalId: '100' });
    expect(resource).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'ada@example.com',
      externalId: '100',
      active: true,
      displayName: 'Ada Lovelace',
      name: { givenName: 'Ada', familyName: 'Lovelace', fullName: 'Ada Lovelace' },
      emails: [
        { address: 'ada@example.com', value: 'ada@example.com', primary: true },
        { address: 'ada@home.example', value: 'ada@home.example', type: 'home', customType: '' },
        { type: 'custom', customType: 'odd' },
      ],
      phones: [{ value: '1', type: 'work' }],
      customSchemas: { Staff: { badge: 7 } },
      orgUnitPath: '/Sales',
      primaryEmail: 'ada@example.com',
      isAdmin: false,
      isDelegatedAdmin: false,
      creationTime: '2025-01-31T12:00:00.000Z',
      agreedToTerms: true,
      suspended: false,
      archived: false,
      changePasswordAtNextLogin: false,
      ipWhitelisted: false,
      languages: [{ languageCode: 'en', preference: 'preferred' }],
      organizations: [{ title: 'Engineer', primary: true, department: 'Research', customType: '' }],
      customerId: 'C01fake',
      isMailboxSetup: true,
      isEnrolledIn2Sv: false,
      isEnforcedIn2Sv: false,
      includeInGlobalAddressList: true,
    });
  });

  it.each([
    [{ suspended: true }, false],
    [{ archived: true }, false],
    [{ suspended: undefined, archived: undefined }, true],
  ])('with %j is active: %s', async (given, active) => {
    google.addUser(given);
    expect((await listOne()).resource['active']).toBe(active);
  });

  it.each([[{}], [{ fullName: '' }]])('with the name %j has no display name', async (name) => {
    google.addUser({ name });
    const { resource } = await listOne();
    expect(resource).not.toHaveProperty('displayName');
    expect(resource['name']).toEqual(name);
  });

  it('has no characters that Postgres cannot store, however deep they are', async () => {
    response([createGoogleUser({ notes: { value: 'a\0b', ['k\0ey']: [['\ud800', '\u{1f600}']] } })]);
    expect((await listOne()).resource['notes']).toEqual({ value: 'ab', key: [['\ufffd', '\u{1f600}']] });
  });

  it('may have any field names', async () => {
    const user = JSON.stringify(createGoogleUser()).replace('{', '{"__proto__":{"isAdmin":true},"constructor":1,');
    google.failNext('users', { body: `{"kind":"admin#directory#users","users":[${user}]}` });
    const { resource } = await listOne();
    expect(Object.getPrototypeOf(resource)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptor(resource, '__proto__')?.value).toEqual({ isAdmin: true });
    expect(resource['isAdmin']).toBe(false);
    expect(resource['constructor']).toBe(1);
  });

  it('is accepted by SCIM as it is', async () => {
    google.addUser({
      addresses: [{ type: 'home', formatted: 'Here', streetAddress: 'A 1', countryCode: 'GB', primary: true }],
      ims: [{ type: 'home', protocol: 'gtalk', im: 'ada', primary: true }],
      externalIds: [{ value: '7', type: 'organization' }],
      relations: [{ value: 'boss@example.com', type: 'manager' }],
    });
    const { resource } = await listOne();
    expect(toResource(readBody(resource, userType), userType)).toEqual(resource);
  });
});

const findIn = async (orgUnits: string[]) => {
  const { items, listed } = await openGoogle(google, { connection: { orgUnits } }).listUsers({ signal: never });
  expect(listed).toBe(5);
  return items.map(({ resource }) => resource['orgUnitPath']);
};

describe('organizational units', () => {
  beforeEach(() => {
    for (const orgUnitPath of ['/', '/Sales', '/Sales/North', '/Salesmen', undefined]) google.addUser({ orgUnitPath });
  });

  it.each([
    [['/Sales'], ['/Sales', '/Sales/North']],
    [['/sales/'], ['/Sales', '/Sales/North']],
    [
      ['Sales/NORTH', '/Salesmen'],
      ['/Sales/North', '/Salesmen'],
    ],
    [['/North'], []],
  ])('%j select these', async (orgUnits, expected) => {
    expect(new Set(await findIn(orgUnits))).toEqual(new Set(expected));
  });

  it.each([[[]], [['/']], [['/Sales', ' / ']]])('%j select everybody', async (orgUnits) => {
    expect(await findIn(orgUnits)).toHaveLength(5);
  });

  it('drop a user who is first in one of them and then in none', async () => {
    const user = createGoogleUser({ orgUnitPath: '/Sales' });
    response([user, { ...user, orgUnitPath: '/Research' }]);
    const source = openGoogle(google, { connection: { orgUnits: ['/Sales'] } });
    expect(await source.listUsers({ signal: never })).toEqual({ items: [], listed: 2 });
  });
});

it('keeps the digits of numbers that JavaScript would round, as text', async () => {
  const numbers =
    '[9007199254740993,-12345678901234567890,1e21,9007199254740992,100000000000000000000,-1.5,0.1,"say \\"9007199254740993\\""]';
  const user = { ...createGoogleUser(), badges: 'numbers' };
  const body = JSON.stringify({ kind: 'admin#directory#users', users: [user] }).replace('"numbers"', numbers);
  google.failNext('users', { body });
  expect((await listOne()).resource).toMatchObject({
    badges: ['9007199254740993', '-12345678901234567890', '1e21', 2 ** 53, 1e20, -1.5, 0.1, 'say "9007199254740993"'],
  });
});

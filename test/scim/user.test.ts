import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/scim/json.ts';
import { newUser, readUser, replaceUser } from '../../src/scim/user.ts';
import { errorOf } from './error-of.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const schemas = [core];

describe('body of a POST', () => {
  it.each<[string, object, object]>([
    [
      'Entra',
      {
        schemas: [core, enterprise],
        externalId: '0a21f0f2',
        userName: 'x@contoso.com',
        active: true,
        addresses: null,
        displayName: null,
        emails: [{ primary: true, type: 'work', value: 'x@contoso.com' }],
        meta: { resourceType: 'User' },
        name: { formatted: 'g f', familyName: 'f', givenName: 'g' },
        roles: [],
        manager: null,
      },
      {
        schemas,
        externalId: '0a21f0f2',
        userName: 'x@contoso.com',
        active: true,
        emails: [{ primary: true, type: 'work', value: 'x@contoso.com' }],
        name: { formatted: 'g f', familyName: 'f', givenName: 'g' },
      },
    ],
    [
      "Entra's app roles, which are JSON within text",
      { userName: 'x', roles: [{ primary: 'True', type: 'WindowsAzureActiveDirectoryRole', value: '{"id":"1","value":"Admin"}' }] },
      { schemas, userName: 'x', roles: [{ primary: true, type: 'WindowsAzureActiveDirectoryRole', value: '{"id":"1","value":"Admin"}' }] },
    ],
    [
      'Okta',
      {
        schemas,
        userName: 'x@acme.com',
        password: 'hunter2',
        groups: [],
        locale: 'en-US',
        externalId: '00u1',
        emails: [{ primary: true, type: 'work', value: 'X@acme.com' }],
        displayName: 'X',
        active: true,
        [enterprise]: { manager: { value: '26118915', displayName: 'John Smith' }, costCenter: '4130' },
      },
      {
        schemas: [core, enterprise],
        userName: 'x@acme.com',
        locale: 'en-US',
        externalId: '00u1',
        emails: [{ primary: true, type: 'work', value: 'X@acme.com' }],
        displayName: 'X',
        active: true,
        [enterprise]: { manager: { value: '26118915', displayName: 'John Smith' }, costCenter: '4130' },
      },
    ],
    [
      'OneLogin',
      {
        schemas: ['urn:scim:schemas:core:1.0', 'urn:scim:schemas:extension:enterprise:1.0'],
        userName: 'x',
        emails: { value: 'x@acme.com' },
        phoneNumbers: null,
        name: { givenName: 'Ada', familyName: null },
        'urn:scim:schemas:extension:enterprise:1.0': { department: 'R&D' },
        externalId: '',
      },
      {
        schemas: [core, enterprise],
        userName: 'x',
        emails: [{ value: 'x@acme.com' }],
        name: { givenName: 'Ada' },
        [enterprise]: { department: 'R&D' },
      },
    ],
    [
      'names in another case',
      { USERNAME: 'x', Schemas: schemas, Active: 'FALSE', NAME: { GIVENNAME: 'Ada' }, Emails: [{ Value: 'A@b', PRIMARY: 'true' }] },
      { schemas, userName: 'x', active: false, name: { givenName: 'Ada' }, emails: [{ value: 'A@b', primary: true }] },
    ],
    [
      'names that are paths',
      {
        userName: 'x',
        'name.givenName': 'Ada',
        'name.FAMILYNAME': 'Lovelace',
        [`${enterprise}:department`]: 'R&D',
        [`${enterprise}:manager.value`]: '7',
        'emails[type eq "work"].value': 'a@b',
        'emails[type eq "work"].primary': 'True',
        [`${core}:title`]: 'Countess',
      },
      {
        schemas: [core, enterprise],
        userName: 'x',
        title: 'Countess',
        name: { givenName: 'Ada', familyName: 'Lovelace' },
        emails: [{ type: 'work', value: 'a@b', primary: true }],
        [enterprise]: { department: 'R&D', manager: { value: '7' } },
      },
    ],
    [
      'an unknown extension, in both forms',
      { userName: 'x', 'urn:example:shop:2.0:User': { tier: 'gold' }, 'urn:example:shop:2.0:User:Points': 7 },
      { schemas: [core, 'urn:example:shop:2.0:User'], userName: 'x', 'urn:example:shop:2.0:User': { tier: 'gold', Points: 7 } },
    ],
    [
      'core attributes under their URN',
      { schemas, [core.toLowerCase()]: { userName: 'x', title: 'Countess' } },
      { schemas, userName: 'x', title: 'Countess' },
    ],
    [
      'attributes of the extension without its URN',
      { userName: 'x', department: 'R&D', Manager: '7' },
      { schemas: [core, enterprise], userName: 'x', [enterprise]: { department: 'R&D', manager: { value: '7' } } },
    ],
    [
      'unknown attributes',
      {
        userName: 'x',
        shoe: { size: [42, null], Colour: null },
        ShoeLace: null,
        'shoe.lace': [],
        'what is that?': 1,
        name: { nick: null },
        'urn:example:shop:2.0:User': { Tier: null },
        'urn:example:crm:1.0:User:level': 3,
        [enterprise]: { shoe: null },
      },
      {
        schemas: [core, 'urn:example:shop:2.0:User', enterprise, 'urn:example:crm:1.0:User'],
        userName: 'x',
        shoe: { size: [42, null], Colour: null },
        ShoeLace: null,
        'shoe.lace': [],
        'what is that?': 1,
        name: { nick: null },
        'urn:example:shop:2.0:User': { Tier: null },
        'urn:example:crm:1.0:User': { level: 3 },
        [enterprise]: { shoe: null },
      },
    ],
    [
      'unknown schemas, or a single string',
      { schemas: ['http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group', core.toUpperCase()], userName: 'x' },
      { schemas, userName: 'x' },
    ],
    ['schemas as a single string', { schemas: core, userName: 'x' }, { schemas, userName: 'x' }],
    ['no schemas', { schemas: null, userName: 'x' }, { schemas, userName: 'x' }],
    [
      'what is not set, in every way',
      {
        userName: 'x',
        name: {},
        emails: [null, {}, { value: null }],
        title: null,
        roles: '',
        [enterprise]: { manager: { value: '' }, division: null },
        phoneNumbers: [{ value: '1', type: null }],
      },
      { schemas, userName: 'x', phoneNumbers: [{ value: '1' }] },
    ],
    ['an extension that is null', { userName: 'x', [enterprise]: null }, { schemas, userName: 'x' }],
    [
      'a manager on either side',
      { userName: 'x', manager: null, [enterprise]: { manager: [{ value: '7' }] } },
      { schemas: [core, enterprise], userName: 'x', [enterprise]: { manager: { value: '7' } } },
    ],
    [
      'values that are not canonical, kept to the letter',
      {
        userName: ' X ',
        roles: ['Admin', { value: 'a', type: '88c2' }],
        timezone: 'Mars/Olympus',
        x509Certificates: [{ value: 'MIIDQzCCAqygAwIBAgICEAAw+/==' }],
        emails: [{ value: '', primary: true }, { primary: true }],
        title: '',
      },
      {
        schemas,
        userName: ' X ',
        roles: [{ value: 'Admin' }, { value: 'a', type: '88c2' }],
        timezone: 'Mars/Olympus',
        x509Certificates: [{ value: 'MIIDQzCCAqygAwIBAgICEAAw+/==' }],
        emails: [{ value: '', primary: true }, { primary: true }],
        title: '',
      },
    ],
    ['flags in lists and in text', { userName: 'x', active: [false] }, { schemas, userName: 'x', active: false }],
  ])('with %s', (_title, body, resource) => {
    const before = structuredClone(body);
    expect(readUser(body)).toEqual(resource);
    expect(body).toEqual(before);
  });

  it('is read the same when it is read twice', () => {
    const body = { USERNAME: 'x', manager: '7', emails: 'a@b', 'name.givenName': 'Ada', active: 'True', shoe: null };
    const resource = readUser(body);
    expect(readUser(resource)).toEqual(resource);
  });
});

describe('invalid body', () => {
  it.each<[string, unknown, string]>([
    ['not an object', [], 'invalidSyntax'],
    ['null', null, 'invalidSyntax'],
    ['the schema of a group', { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], userName: 'x' }, 'invalidSyntax'],
    ['an extension alone', { schemas: [enterprise], userName: 'x' }, 'invalidSyntax'],
    ['schemas that are not text', { schemas: [7], userName: 'x' }, 'invalidValue'],
    ['a name twice', { userName: 'x', USERNAME: 'x' }, 'invalidSyntax'],
    ['a part twice', { userName: 'x', name: { givenName: 'a', GivenName: 'b' } }, 'invalidSyntax'],
    ['one attribute in two ways', { userName: 'x', department: 'a', [enterprise]: { department: 'b' } }, 'invalidSyntax'],
    ['one unknown attribute in two ways', { userName: 'x', Shoe: 1, [core]: { shoe: 2 } }, 'invalidSyntax'],
    ['a name that is a number', { userName: 7 }, 'invalidValue'],
    ['an empty name', { userName: ' ' }, 'invalidValue'],
    ['a long name', { userName: 'x'.repeat(501) }, 'invalidValue'],
    ['a long external id', { userName: 'x', externalId: 'x'.repeat(501) }, 'invalidValue'],
    ['a long display name', { userName: 'x', displayName: 'x'.repeat(501) }, 'invalidValue'],
    ['a long address', { userName: 'x', emails: ['x'.repeat(501)] }, 'invalidValue'],
    ['a long path', { userName: 'x', [`emails[value co "${'x'.repeat(500)}"].type`]: 'a' }, 'invalidValue'],
    ['long text', { userName: 'x', title: 'x'.repeat(262_145) }, 'invalidValue'],
    ['long text somewhere', { userName: 'x', shoe: [{ a: 'x'.repeat(262_145) }] }, 'invalidValue'],
    ['an invalid boolean', { userName: 'x', active: 'yes' }, 'invalidValue'],
    ['a flag that is a number', { userName: 'x', active: 1 }, 'invalidValue'],
    ['two flags', { userName: 'x', active: [true, false] }, 'invalidValue'],
    ['a name that is text', { userName: 'x', name: 'Ada' }, 'invalidValue'],
    ['a given name that is a number', { userName: 'x', name: { givenName: 7 } }, 'invalidValue'],
    ['addresses that are text', { userName: 'x', addresses: 'here' }, 'invalidValue'],
    ['e-mail that is a number', { userName: 'x', emails: [7] }, 'invalidValue'],
    ['an address that is an object', { userName: 'x', emails: [{ value: {} }] }, 'invalidValue'],
    ['an invalid primary', { userName: 'x', emails: [{ primary: 'no' }] }, 'invalidValue'],
    ['a title that is a list', { userName: 'x', title: ['a'] }, 'invalidValue'],
    ['two managers', { userName: 'x', manager: ['a', 'b'] }, 'invalidValue'],
    ['an invalid certificate', { userName: 'x', x509Certificates: [{ value: 'é' }] }, 'invalidValue'],
    ['an extension that is text', { userName: 'x', [enterprise]: 'R&D' }, 'invalidValue'],
  ])('for %s', (_title, body, scimType) => {
    const error = errorOf(() => newUser(readUser(body)));
    expect(error).toMatchObject({ status: 400, scimType });
  });

  it('for being too large', () => {
    const entitlements = Array.from({ length: 9 }, (_, index) => ({ value: `${index}`.repeat(130_000) }));
    expect(errorOf(() => readUser({ userName: 'x', entitlements }))).toMatchObject({
      status: 413,
      detail: expect.stringContaining('1048576 bytes'),
    });
    expect(errorOf(() => readUser({ userName: 'x', entitlements: entitlements.slice(1) }))).toBeUndefined();
    expect(errorOf(() => readUser({ userName: 'x', shoe: 'é'.repeat(262_144), lace: 'é'.repeat(262_144) }))).toMatchObject({
      status: 413,
    });
  });

  it('for being too deep', () => {
    let shoe: unknown = 1;
    for (let depth = 0; depth < 10_000; depth++) shoe = [shoe];
    for (const name of ['shoe', 'emails', 'urn:example:1.0', enterprise])
      expect(errorOf(() => readUser({ userName: 'x', [name]: name === enterprise ? { shoe } : shoe }))).toMatchObject({ status: 400 });
    let nested: object = { title: 'x' };
    for (let depth = 0; depth < 10_000; depth++) nested = { [core]: nested };
    expect(readUser({ userName: 'x', ...nested })).toEqual({ schemas, userName: 'x' });
  });

  it('without quoting the value', () => {
    const secret = 'hunter2';
    const body = { userName: 'x', name: secret, active: secret, addresses: secret };
    for (const name of Object.keys(body).slice(1)) {
      const error = errorOf(() => readUser({ userName: 'x', [name]: body[name as keyof typeof body] }));
      expect(error?.detail).not.toContain(secret);
    }
  });
});

describe('new user', () => {
  it('is active by default', () => {
    expect(newUser({ userName: 'x' })).toEqual({
      userName: 'x',
      externalId: undefined,
      active: true,
      resource: { userName: 'x', active: true },
    });
    expect(newUser({ userName: 'x', externalId: 'e', active: false })).toMatchObject({ externalId: 'e', active: false });
  });

  it('has a name', () => {
    expect(errorOf(() => newUser({ active: true }))).toMatchObject({
      scimType: 'invalidValue',
    });
  });
});

describe('PUT', () => {
  const current: JsonObject = { schemas, userName: 'x', externalId: 'e', active: false, title: 'Countess' };

  it('keeps `active` and the external id if it omits them', () => {
    expect(replaceUser(current, readUser({ userName: 'y', emails: null }))).toEqual({
      userName: 'y',
      externalId: 'e',
      active: false,
      resource: { schemas, userName: 'y', externalId: 'e', active: false },
    });
    expect(replaceUser(current, readUser({ userName: 'y', active: true, externalId: 'f' }))).toMatchObject({
      externalId: 'f',
      active: true,
    });
    expect(current).toEqual({ schemas, userName: 'x', externalId: 'e', active: false, title: 'Countess' });
  });

  it('of what Okta has read changes nothing', () => {
    const shown = { ...current, id: '1', meta: { version: 'W/"1"' }, groups: [{ value: 'g' }] };
    expect(replaceUser(current, readUser(shown)).resource).toEqual(current);
  });

  it('requires the name', () => {
    expect(errorOf(() => replaceUser(current, readUser({ title: 'x' })))).toMatchObject({ scimType: 'invalidValue' });
  });
});

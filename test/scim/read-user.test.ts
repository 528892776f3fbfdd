import { describe, expect, it } from '@jest/globals';
import { readUser } from '../../src/scim/user.ts';

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
  ])('is read with %s', (_title, body, resource) => {
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

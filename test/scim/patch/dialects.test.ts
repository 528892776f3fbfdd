import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/scim/json.ts';
import { patchUser } from '../../../src/scim/user.ts';
import { core, enterprise, operationsOf, patch } from './patch.ts';

const ada: JsonObject = {
  schemas: [core],
  userName: 'ada',
  active: true,
  name: { givenName: 'Ada', familyName: 'Byron' },
  emails: [{ type: 'work', value: 'a@old', primary: true }],
};
const withManager: JsonObject = {
  ...ada,
  schemas: [core, enterprise],
  [enterprise]: { department: 'R&D', manager: { value: '1', $ref: '../Users/1', displayName: 'Babbage' } },
};
const withoutManager = { ...withManager, [enterprise]: { department: 'R&D' } };
const managedBy = (manager: object) => ({ ...withManager, [enterprise]: { department: 'R&D', manager } });

const without = (resource: JsonObject, name: string) => Object.fromEntries(Object.entries(resource).filter(([key]) => key !== name));

describe('dialects of identity providers', () => {
  it.each<[string, JsonObject, unknown[], JsonObject]>([
    ['Entra, deactivating', ada, [{ op: 'Replace', path: 'active', value: 'False' }], { ...ada, active: false }],
    ['Entra, with the flag', ada, [{ op: 'replace', path: 'active', value: false }], { ...ada, active: false }],
    [
      'Entra, changing an address',
      ada,
      [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'A@New' }],
      { ...ada, emails: [{ type: 'work', value: 'A@New', primary: true }] },
    ],
    [
      'Entra, adding an address of a kind that is not there',
      ada,
      [{ op: 'Add', path: 'emails[type eq "other"].value', value: 'a@b' }],
      { ...ada, emails: [...(ada['emails'] as []), { type: 'other', value: 'a@b' }] },
    ],
    [
      'Entra, adding the first telephone number',
      ada,
      [
        { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '1' },
        { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '2' },
      ],
      {
        ...ada,
        phoneNumbers: [
          { type: 'work', value: '1' },
          { type: 'mobile', value: '2' },
        ],
      },
    ],
    [
      'Entra, replacing an address that was never there',
      ada,
      [{ op: 'Replace', path: 'addresses[type eq "work"].country', value: 'GB' }],
      { ...ada, addresses: [{ type: 'work', country: 'GB' }] },
    ],
    [
      'Entra, its names that are paths',
      ada,
      [{ op: 'replace', value: { displayName: 'x', 'name.givenName': 'y', [`${enterprise}:employeeNumber`]: '1' } }],
      {
        ...ada,
        schemas: [core, enterprise],
        displayName: 'x',
        name: { givenName: 'y', familyName: 'Byron' },
        [enterprise]: { employeeNumber: '1' },
      },
    ],
    [
      'a name with a filter',
      ada,
      [{ op: 'replace', value: { 'emails[type eq "work"].value': 'a@new', 'emails[type eq "home"].value': 'h@new' } }],
      {
        ...ada,
        emails: [
          { type: 'work', value: 'a@new', primary: true },
          { type: 'home', value: 'h@new' },
        ],
      },
    ],
    [
      'Entra, app roles',
      ada,
      [{ op: 'Add', path: 'roles', value: [{ value: '{"id":"1","value":"Admin"}', primary: 'True' }] }],
      { ...ada, roles: [{ value: '{"id":"1","value":"Admin"}', primary: true }] },
    ],
    ['Entra, removing', { ...ada, title: 'x' }, [{ op: 'Remove', path: 'title' }], ada],
    [
      'Entra, a manager in a list',
      withoutManager,
      [{ op: 'Add', path: 'manager', value: [{ $ref: '../2', value: '2' }] }],
      managedBy({ $ref: '../2', value: '2' }),
    ],
    ['Entra, a manager as text', withManager, [{ op: 'Replace', path: `${enterprise}:manager`, value: '2' }], managedBy({ value: '2' })],
    ['a manager as an object', withManager, [{ op: 'replace', path: 'manager', value: { value: '2' } }], managedBy({ value: '2' })],
    ['the same manager', withManager, [{ op: 'replace', path: 'manager', value: '1' }], withManager],
    [
      'the name of the manager',
      withManager,
      [{ op: 'replace', path: 'manager', value: { displayName: 'B' } }],
      managedBy({ value: '1', $ref: '../Users/1', displayName: 'B' }),
    ],
    ...['', null, { value: '' }, [{ value: '' }], [], { value: null, $ref: null }, {}].map(
      (value): [string, JsonObject, unknown[], JsonObject] => [
        `no manager: ${JSON.stringify(value)}`,
        withManager,
        [{ op: 'Replace', path: `${enterprise}:manager`, value }],
        withoutManager,
      ],
    ),
    [
      'parts that are null',
      ada,
      [{ op: 'replace', value: { name: { givenName: null, middleName: 'K' } } }],
      { ...ada, name: { familyName: 'Byron', middleName: 'K' } },
    ],
    ['a part that is null', ada, [{ op: 'replace', path: 'name', value: { GivenName: null } }], { ...ada, name: { familyName: 'Byron' } }],
    [
      'a part of a value that is null',
      ada,
      [{ op: 'replace', path: 'emails[type eq "work"]', value: { primary: null } }],
      { ...ada, emails: [{ type: 'work', value: 'a@old' }] },
    ],
    ['all parts that are null', ada, [{ op: 'replace', value: { name: { givenName: null, familyName: [] } } }], without(ada, 'name')],
    ...['', null].map((value): [string, JsonObject, unknown[], JsonObject] => [
      `a manager whose value is ${JSON.stringify(value)}`,
      withManager,
      [{ op: 'replace', path: 'manager.value', value }],
      withoutManager,
    ]),
    ['a manager without path', withManager, [{ op: 'replace', value: { manager: null, [`${enterprise}:department`]: null } }], ada],
    [
      'Entra, removing the manager it names',
      withManager,
      [{ op: 'Remove', path: `${enterprise}:manager`, value: [{ value: '1' }] }],
      withoutManager,
    ],
    ['Okta, deactivating', ada, [{ op: 'replace', value: { active: false } }], { ...ada, active: false }],
    ['Okta, an inactive user in a list', ada, [{ op: 'replace', value: { active: [false] } }], { ...ada, active: false }],
    ['Okta, a password', ada, [{ op: 'replace', value: { password: 'hunter2' } }], ada],
    [
      'Okta, the whole user',
      ada,
      [{ op: 'replace', value: { id: '7', ...ada, groups: [{ value: 'g' }], meta: { version: 'W/"1"' }, title: 'Countess' } }],
      { ...ada, title: 'Countess' },
    ],
    [
      'JumpCloud, an operation for each attribute',
      ada,
      [
        { op: 'replace', path: 'name.familyName', value: 'Lovelace' },
        { op: 'replace', path: 'active', value: true },
        { op: 'add', path: `${enterprise}:costCenter`, value: '7' },
      ],
      { ...ada, schemas: [core, enterprise], name: { givenName: 'Ada', familyName: 'Lovelace' }, [enterprise]: { costCenter: '7' } },
    ],
    [
      'OneLogin, an address that is not a list',
      ada,
      [{ op: 'replace', path: 'emails', value: { value: 'o@b' } }],
      { ...ada, emails: [{ value: 'o@b' }] },
    ],
    ['OneLogin, an address that is text', ada, [{ op: 'replace', path: 'emails', value: 'o@b' }], { ...ada, emails: [{ value: 'o@b' }] }],
    [
      'JumpCloud, removing some values',
      { ...ada, roles: [{ value: 'a' }, { value: 'b', type: 'x' }] },
      [{ op: 'remove', path: 'roles', value: [{ value: 'a' }, { value: 'c' }] }],
      { ...ada, roles: [{ value: 'b', type: 'x' }] },
    ],
    [
      'Salesforce, removing without a path',
      { ...ada, title: 'x', roles: [{ value: 'a' }, { value: 'b' }] },
      [{ op: 'remove', value: { roles: [{ value: 'a' }], title: 'x' } }],
      { ...ada, roles: [{ value: 'b' }] },
    ],
    [
      'Ping, its merge',
      ada,
      [{ op: 'add', value: { emails: [{ value: 'p@b', type: 'home' }], name: { middleName: 'K' } } }],
      {
        ...ada,
        name: { givenName: 'Ada', familyName: 'Byron', middleName: 'K' },
        emails: [...(ada['emails'] as []), { value: 'p@b', type: 'home' }],
      },
    ],
    ['Google, suspending', ada, [{ op: 'replace', path: 'active', value: 'false' }], { ...ada, active: false }],
    ['SCIM 1.1 names', ada, [{ op: 'replace', path: 'urn:scim:schemas:core:1.0:title', value: 'x' }], { ...ada, title: 'x' }],
    [
      'names in another case',
      ada,
      [{ OP: 'REPLACE', Path: 'NAME.GIVENNAME', VALUE: 'A' }],
      { ...ada, name: { givenName: 'A', familyName: 'Byron' } },
    ],
    ['a path that is empty', ada, [{ op: 'replace', path: '', value: { title: 'x' } }], { ...ada, title: 'x' }],
    ['a path that is null', ada, [{ op: 'replace', path: null, value: { title: 'x' } }], { ...ada, title: 'x' }],
    [
      'the core URN as a name',
      ada,
      [{ op: 'replace', value: { [core]: { title: 'x' }, [`${core}:nickName`]: 'y' } }],
      { ...ada, title: 'x', nickName: 'y' },
    ],
    ['an external id that is empty', { ...ada, externalId: 'e' }, [{ op: 'replace', path: 'externalId', value: '' }], ada],
    [
      'what is assigned',
      ada,
      [
        { op: 'replace', path: 'id', value: '1' },
        { op: 'remove', path: 'groups' },
        { op: 'add', path: 'meta.version', value: 1 },
        { op: 'remove', path: 'schemas' },
        { op: 'add', path: 'password' },
      ],
      ada,
    ],
  ])('are understood: %s', (_title, resource, operations, expected) => {
    const before = structuredClone({ resource, operations });
    const patched = patch(resource, ...operations);
    expect(patched).toEqual(expected);
    expect(patch(patched, ...operations)).toEqual(expected);
    expect({ resource, operations }).toEqual(before);
  });

  it('result in a valid user', () => {
    expect(patchUser(ada, operationsOf([{ op: 'Replace', value: { userName: 'B', active: 'False', externalId: 'e' } }]))).toEqual({
      userName: 'B',
      externalId: 'e',
      active: false,
      resource: { ...ada, userName: 'B', active: false, externalId: 'e' },
    });
  });

  it('keep an inactive user inactive whatever else changes', () => {
    expect(patchUser({ ...ada, active: false }, operationsOf([{ op: 'replace', path: 'title', value: 'x' }]))).toMatchObject({
      active: false,
    });
  });
});

it.each([core, ` ${core.toUpperCase()}`])('treat the URN of the core schema as the resource itself: %s', (path) => {
  const value = { active: false, 'name.givenName': 'Ada', [enterprise]: { department: 'R&D' } };
  const before = { userName: 'x', active: true, title: 'Dr' };
  for (const op of ['add', 'replace']) expect(patch(before, { op, path, value })).toEqual(patch(before, { op, value }));
  expect(patch(before, { op: 'replace', path, value })).toMatchObject({ active: false, title: 'Dr', [enterprise]: { department: 'R&D' } });
});

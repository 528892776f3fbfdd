import { describe, expect, it } from '@jest/globals';
import { createBudget } from '../../src/scim/budget.ts';
import type { JsonObject } from '../../src/scim/json.ts';
import { patchPushed, toPushedOperation } from '../../src/scim/patch/patch-pushed.ts';
import { comparePushed, isSamePushed, readPushed, toRaw, withoutPasswords } from '../../src/scim/pushed.ts';
import { groupType, userType } from '../../src/scim/schema/resource-types.ts';
import { newUser, readUser } from '../../src/scim/user.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const whole = { schemas: [core], userName: 'ada', active: true };

describe('what is kept beside a resource', () => {
  it.each<[title: string, body: JsonObject, pushed: object]>([
    ['nothing, for a document in the form of its schema', whole, {}],
    ['what the service assigns', { ...whole, groups: [], meta: { version: 'x' } }, { set: { groups: [], meta: { version: 'x' } } }],
    ['a single object', { ...whole, emails: { value: 'a@b' } }, { set: { emails: { value: 'a@b' } } }],
    ['text', { ...whole, active: 'True', roles: 'a,b', entitlements: 'x' }, { set: { active: 'True', roles: 'a,b', entitlements: 'x' } }],
    ['other names', { schemas: [core], USERNAME: 'ada', active: true }, { set: { USERNAME: 'ada' }, unset: ['userName'] }],
    ['null', { ...whole, title: null }, { set: { title: null } }],
    ['what was not sent', { userName: 'ada', active: true }, { unset: ['schemas'] }],
    ['no ID', { ...whole, id: 'theirs' }, {}],
    ['no password', { ...whole, password: 'x', [`${enterprise}:password`]: 'x' }, {}],
  ])('%s', (_title, body, pushed) => {
    const resource = readUser(body);
    expect(readPushed(body, resource, userType)).toEqual(pushed);
    const { id: _id, password: _password, [`${enterprise}:password`]: _other, ...raw } = body;
    expect(toRaw(resource, pushed)).toEqual(raw);
  });

  it('are no members of a group', () => {
    const resource = { schemas: [], displayName: 'Team' };
    expect(readPushed({ ...resource, members: [{ value: 'x' }], Members: [] }, resource, groupType)).toEqual({});
  });

  it('is not what the service assigns, where that is too large', () => {
    const groups = Array.from({ length: 20_000 }, () => 'x');
    expect(readPushed({ ...whole, groups, title: null }, readUser(whole), userType)).toEqual({ set: { title: null } });
    expect(() => readPushed({ ...whole, emails: groups.map(() => null) }, readUser(whole), userType)).toThrow(/JSON values/);
  });

  it('is undefined if the document is the resource', () => {
    const { resource } = newUser(readUser(whole));
    expect(comparePushed(resource, toRaw(resource, { set: { title: 'x' } }))).toEqual({ set: { title: 'x' } });
    expect(comparePushed(resource, toRaw(resource, undefined))).toBeUndefined();
  });

  it('is the same with another meta', () => {
    expect(isSamePushed({ set: { meta: 1 } }, { set: { meta: 2 } })).toBe(true);
    expect(isSamePushed({ set: { meta: 1 } }, undefined)).toBe(true);
    expect(isSamePushed({ set: { title: null } }, { unset: ['title'] })).toBe(false);
  });
});

it('keeps no password at any depth, and copies only what has one', () => {
  const clean = { a: [{ b: 'password' }] };
  expect(withoutPasswords(clean)).toBe(clean);
  expect(withoutPasswords({ Password: 1, a: [{ password: 1, b: 2 }], 'name.password': 1, 'emails[password eq "x"].value': 2 })).toEqual({
    a: [{ b: 2 }],
    'emails[password eq "x"].value': 2,
  });
});

describe('a PATCH of the pushed document', () => {
  const raw = { userName: 'ada', roles: 'a,b', name: { givenName: 'Ada' }, emails: [{ type: 'work', value: 'a@b' }], groups: [] };
  it.each<[op: string, path: string, value: unknown, changed: JsonObject]>([
    ['replace', 'active', 'False', { active: 'False' }],
    ['add', 'roles', 'c,d', { roles: 'c,d' }],
    ['replace', 'ROLES', ['c'], { roles: ['c'] }],
    ['replace', 'name.givenName', 'Eve', { name: { givenName: 'Eve' } }],
    ['add', 'name.familyName', 'L', { name: { givenName: 'Ada', familyName: 'L' } }],
    ['add', 'emails', [{ value: 'new' }], { emails: [{ value: 'new' }] }],
    ['replace', 'emails[type eq "work"].value', 'c@d', { emails: [{ type: 'work', value: 'c@d' }] }],
    ['add', 'phoneNumbers[type eq "mobile"].value', '1', { phoneNumbers: [{ type: 'mobile', value: '1' }] }],
    ['add', `${enterprise}:department`, 'D', { [enterprise]: { department: 'D' } }],
    ['add', `${enterprise}:manager.value`, 'M', { [enterprise]: { manager: { value: 'M' } } }],
    ['add', `${core}:title`, 'T', { title: 'T' }],
    ['add', enterprise, { division: 'X' }, { [enterprise]: { division: 'X' } }],
    ['replace', '', { title: 'T', 'name.givenName': 'Eve' }, { title: 'T', name: { givenName: 'Eve' } }],
    ['replace', '', { title: null }, { title: null }],
    ['add', 'groups', ['x'], { groups: ['x'] }],
    // Polis has no rule for these: the attribute is as in the resource.
    ['replace', 'emails.value', 'x', { emails: 'as in the resource' }],
    ['replace', 'emails[type eq "work" and primary eq true].value', 'x', { emails: 'as in the resource' }],
    ['remove', 'emails[type eq "work"]', undefined, { emails: 'as in the resource' }],
    ['remove', 'roles', [{ value: 'a' }], { roles: undefined }],
  ])('%s of %s with %j', (op, path, value, changed) => {
    const resource = { emails: 'as in the resource' };
    const patched = patchPushed(raw, toPushedOperation(op, path, value, userType), { resource, type: userType, budget: createBudget() });
    expect(patched).toEqual({ ...raw, ...changed });
    expect(raw.name).toEqual({ givenName: 'Ada' });
    expect(raw.emails).toEqual([{ type: 'work', value: 'a@b' }]);
  });

  it.each([
    ['roles', 'roles'],
    ['name.givenName', 'name.givenName'],
    ['name', 'name'],
  ])('removes %s', (path, gone) => {
    const patched = patchPushed(raw, toPushedOperation('remove', path, undefined, userType), {
      resource: {},
      type: userType,
      budget: createBudget(),
    });
    expect(patched).not.toHaveProperty(gone);
  });

  it('treats __proto__ like any other name', () => {
    const operation = toPushedOperation('add', '__proto__.polluted', true, userType);
    const patched = patchPushed(raw, operation, { resource: {}, type: userType, budget: createBudget() });
    expect(JSON.stringify(patched)).toContain('"__proto__":{"polluted":true}');
    expect({}).not.toHaveProperty('polluted');
  });

  it('ignores passwords, members of groups and IDs', () => {
    const patch = (path: string, value: unknown, type = userType) =>
      patchPushed(raw, toPushedOperation('add', path, value, type), { resource: {}, type, budget: createBudget() });
    expect(patch('password', 'x')).toEqual(raw);
    expect(patch('', { password: 'x', id: 'x' })).toEqual(raw);
    expect(patch('', { members: [], displayName: 'Team' }, groupType)).toEqual({ ...raw, displayName: 'Team' });
    expect(patch('members', [{ value: 'x' }], groupType)).toEqual(raw);
    expect(toPushedOperation('add', '', { members: [{ value: 'x' }] }, groupType)).toEqual([{ op: 'set', value: {} }]);
  });

  it('is limited in size and work', () => {
    const operations = Array.from({ length: 1_000 }, (_, index) =>
      toPushedOperation('add', `emails[type eq "${index}"].value`, 'x', userType),
    ).flat();
    const emails = Array.from({ length: 5_000 }, (_, index) => ({ type: `old ${index}`, value: 'x' }));
    expect(() => patchPushed({ emails }, operations, { resource: {}, type: userType, budget: createBudget() })).toThrow(
      /MAX_MUTATION_STEPS/,
    );
    const large = toPushedOperation(
      'add',
      'notes',
      Array.from({ length: 30_000 }, () => 1),
      userType,
    );
    expect(() => patchPushed({}, large, { resource: {}, type: userType, budget: createBudget() })).toThrow(/20000 JSON values/);
  });
});

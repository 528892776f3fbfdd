import { describe, expect, it } from '@jest/globals';
import { project, readProjection, includesAttribute } from '../../src/scim/projection.ts';
import { groupType, userType } from '../../src/scim/schema/resource-types.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const unknown = 'urn:example:Badge:1.0';
const always = { schemas: [core, enterprise], id: 'u-1' };
const ada = {
  ...always,
  externalId: 'x-1',
  userName: 'ada',
  password: 'secret',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  active: true,
  emails: [{ value: 'ada@a.test', type: 'work', primary: true }, { value: 'ada@b.test' }],
  roles: [],
  addresses: [{}],
  favouriteColour: { shade: 'green', tone: 1 },
  [unknown]: { 'badge.no': 7, colour: 'red' },
  [enterprise]: { department: 'Engines', manager: { value: 'u-2', displayName: 'Charles' } },
  meta: { resourceType: 'User', version: 'W/"1"', location: 'https://a.test/Users/u-1' },
};
const { password: _password, ...shown } = ada;
const { userName, name, active, emails, meta, externalId, favouriteColour, roles, addresses } = ada;
const extension = ada[enterprise];

const show = (query: object) => project(ada, readProjection(query, userType), userType);

describe('attributes', () => {
  it.each<[unknown, object]>([
    [undefined, shown],
    ['', shown],
    [' , ,', shown],
    [[], shown],
    ['userName', { ...always, userName }],
    ['USERNAME, Active', { ...always, userName, active }],
    [['userName', 'active'], { ...always, userName, active }],
    [['userName,active'], { ...always, userName, active }],
    ['id', always],
    ['doesNotExist', always],
    ['userName,doesNotExist', { ...always, userName }],
    ['meta', { ...always, meta }],
    ['meta.version', { ...always, meta: { version: meta.version } }],
    ['externalId', { ...always, externalId }],
    ['name', { ...always, name }],
    ['name.givenName', { ...always, name: { givenName: 'Ada' } }],
    ['NAME.GIVENNAME,name.FamilyName', { ...always, name }],
    ['name,name.givenName', { ...always, name }],
    ['name.givenName,name', { ...always, name }],
    ['name.middleName', always],
    ['emails', { ...always, emails }],
    ['emails.value', { ...always, emails: [{ value: 'ada@a.test' }, { value: 'ada@b.test' }] }],
    ['emails.type', { ...always, emails: [{ type: 'work' }] }],
    ['emails.display', always],
    ['roles', { ...always, roles }],
    ['favouriteColour', { ...always, favouriteColour }],
    ['favouriteColour.shade', { ...always, favouriteColour: { shade: 'green' } }],
    ['userName.part', always],
    [`${core}:userName`, { ...always, userName }],
    [`${core.toUpperCase()}:name.givenName`, { ...always, name: { givenName: 'Ada' } }],
    [enterprise, { ...always, [enterprise]: extension }],
    [enterprise.toUpperCase(), { ...always, [enterprise]: extension }],
    [`${enterprise}:department`, { ...always, [enterprise]: { department: 'Engines' } }],
    [`${enterprise}:manager.value`, { ...always, [enterprise]: { manager: { value: 'u-2' } } }],
    [`${enterprise}:costCenter`, always],
    ['manager.value', { ...always, [enterprise]: { manager: { value: 'u-2' } } }],
    [unknown.toUpperCase(), { ...always, [unknown]: ada[unknown] }],
    [`${unknown}:colour`, { ...always, [unknown]: { colour: 'red' } }],
    ['urn:example:Nothing:1.0', always],
    [core, { ...always, userName, name, active, emails, roles, addresses }],
    ['password', always],
    ['__proto__', always],
    ['constructor,toString', always],
    ['a b,"userName",\0', shown],
  ])('%j are returned', (attributes, expected) => {
    expect(show({ attributes })).toEqual(expected);
  });
});

describe('excluded attributes', () => {
  it.each<[unknown, object]>([
    ['', shown],
    ['doesNotExist', shown],
    ['id,schemas', shown],
    ['userName', { ...shown, userName: undefined }],
    ['META,userName', { ...shown, userName: undefined, meta: undefined }],
    ['name.givenName', { ...shown, name: { familyName: 'Lovelace' } }],
    ['name.givenName,name.familyName', { ...shown, name: undefined }],
    ['name,name.givenName', { ...shown, name: undefined }],
    ['name.givenName,name', { ...shown, name: undefined }],
    ['emails.value', { ...shown, emails: [{ type: 'work', primary: true }] }],
    ['roles', { ...shown, roles: undefined }],
    [`${enterprise}:manager`, { ...shown, [enterprise]: { department: 'Engines' } }],
    [`${enterprise}:manager.displayName`, { ...shown, [enterprise]: { department: 'Engines', manager: { value: 'u-2' } } }],
    [enterprise, { ...shown, [enterprise]: undefined }],
    [unknown, { ...shown, [unknown]: undefined }],
    [core, { ...always, externalId, favouriteColour, [unknown]: ada[unknown], [enterprise]: extension, meta }],
    [`${core}:active`, { ...shown, active: undefined }],
    ['favouriteColour.tone', { ...shown, favouriteColour: { shade: 'green' } }],
  ])('%j are not returned', (excludedAttributes, expected) => {
    expect(show({ excludedAttributes })).toEqual(JSON.parse(JSON.stringify(expected)));
  });
});

it('uses attributes if both lists are given', () => {
  expect(show({ attributes: 'userName', excludedAttributes: 'userName,active' })).toEqual({ ...always, userName });
  expect(show({ attributes: '', excludedAttributes: 'userName' })).not.toHaveProperty('userName');
});

it('reads the parameters in any case', () => {
  expect(show({ Attributes: 'userName' })).toEqual({ ...always, userName });
  expect(show({ excludedattributes: 'userName' })).not.toHaveProperty('userName');
});

it('never returns a password, however it is spelled', () => {
  const stored = { ...ada, PASSWORD: 'secret' };
  for (const query of [
    {},
    { attributes: 'password' },
    { attributes: 'PassWord' },
    { attributes: `${core}:password` },
    { excludedAttributes: 'id' },
  ])
    expect(JSON.stringify(project(stored, readProjection(query, userType), userType))).not.toContain('secret');
});

it('returns attributes on request only if they are named', () => {
  const [first, ...others] = userType.schema.attributes;
  const type = { ...userType, schema: { ...userType.schema, attributes: [{ ...first!, returned: 'request' as const }, ...others] } };
  const showAs = (query: object) => project(ada, readProjection(query, type), type);
  expect(showAs({})).not.toHaveProperty('userName');
  expect(showAs({ attributes: 'userName' })).toEqual({ ...always, userName });
});

it('returns unknown attributes, however deep', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 50_000; level++) deep = { deep };
  expect(project({ deep }, readProjection({}, userType), userType)['deep'] === deep).toBe(true);
});

it('does not change its input', () => {
  const before = structuredClone(ada);
  show({ attributes: 'name.givenName,emails.value' });
  show({ excludedAttributes: 'name.givenName,emails.value' });
  expect(ada).toEqual(before);
});

it('treats names of prototypes as names', () => {
  const stored = JSON.parse('{"id":"u-1","__proto__":{"isAdmin":true},"name":{"__proto__":{"isAdmin":true},"givenName":"Ada"}}') as object;
  const projection = readProjection({ excludedAttributes: 'name.familyName' }, userType);
  const shownOf = project(stored as Record<string, unknown>, projection, userType);
  expect(JSON.stringify(shownOf)).toBe(JSON.stringify(stored));
  expect((shownOf as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

it.each([[{ attributes: 1 }], [{ attributes: [{}] }], [{ excludedAttributes: {} }], [{ attributes: true }]])('rejects %j', (query) => {
  expect(() => readProjection(query, userType)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ status: 400, scimType: 'invalidSyntax' }) }),
  );
});

describe('whether members must be read', () => {
  const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';
  it.each<[object, boolean]>([
    [{}, true],
    [{ excludedAttributes: 'displayName' }, true],
    [{ excludedAttributes: 'members.display' }, true],
    [{ excludedAttributes: 'members' }, false],
    [{ excludedAttributes: 'MEMBERS' }, false],
    [{ excludedAttributes: ['displayName', 'members'] }, false],
    [{ excludedAttributes: `${groupUrn}:members` }, false],
    [{ attributes: 'members' }, true],
    [{ attributes: 'members.value' }, true],
    [{ attributes: `displayName,${groupUrn}:members.value` }, true],
    [{ attributes: 'displayName' }, false],
    [{ attributes: 'doesNotExist' }, false],
    [{ attributes: 'members', excludedAttributes: 'members' }, true],
  ])('depends on the attributes %j: %s', (query, isWanted) => {
    expect(includesAttribute(readProjection(query, groupType), 'members')).toBe(isWanted);
  });
});

it('accepts at most a thousand names, in one text or in several', () => {
  expect(show({ attributes: Array.from({ length: 1_000 }, () => 'userName').join(',') })).toMatchObject({ userName: ada['userName'] });
  for (const excludedAttributes of ['a,'.repeat(32_000), ['a,'.repeat(600), 'b,'.repeat(600)]])
    expect(() => show({ excludedAttributes })).toThrow(
      'attributes and excludedAttributes must name at most 1000 attributes (fixed limit).',
    );
});

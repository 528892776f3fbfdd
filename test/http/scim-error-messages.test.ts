import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type ServiceResponse, type TestDirectory, type TestService } from '../support/service.ts';

/** The error messages of SCIM. Other tests compare the status and `scimType`. */

let service: TestService;
let directory: TestDirectory;
const ids: Record<string, string> = { unknown: '01a1fd46-beef-7978-b244-a1855f394770' };
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const urn = (name: string) => `urn:ietf:params:scim:api:messages:2.0:${name}`;
const long = (characters: number) => 'x'.repeat(characters);
beforeAll(async () => {
  service = await startTestService({ MAX_BODY_BYTES: '400000', MAX_BODY_VALUES: '3000' }, { deliver: false });
  directory = await service.createDirectory();
  const user = { userName: 'ada', externalId: 'a', name: { givenName: 'Ada' }, emails: [{ type: 'work', value: 'w@x' }], shoe: 'red' };
  ids['user'] = (await directory.scim('POST', '/Users', user)).body.id;
  ids['group'] = (await directory.scim('POST', '/Groups', { displayName: 'Team', externalId: 'g' })).body.id;
});
afterAll(() => service.stop());

const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!);
const send = (line: string, body?: unknown, headers?: Record<string, string>) => {
  const [method, path] = fill(line).split(' ') as [string, string];
  return directory.scim(method, path, body, headers);
};

/** The request, its body if it has one, the status with `scimType`, and the message. */
type Row = [request: string, body: unknown, error: string, message: string];
const check = async ([line, body, error, message]: Row) => compare(await send(line, body), error, message);

function compare({ body: { status, scimType, detail } }: ServiceResponse, error: string, message: string) {
  expect([[status, scimType].filter(Boolean).join(' '), detail]).toEqual([error, message]);
}

describe('of the body', () => {
  it.each<Row>([
    ['POST /Users', ' ', '', ''],
    ['POST /Users', '{"userName":', '', ''],
    ['POST /Users', [], '', ''],
    ['POST /Groups', [], '', ''],
    ['POST /Users', { userName: 'x', note: long(400_000) }, '', ''],
    ['POST /Users', { userName: 'x', list: Array.from({ length: 3_001 }, () => 1) }, '', ''],
    ['POST /Users', `{"userName":"x","y":${'['.repeat(70)}${']'.repeat(70)}}`, '', ''],
    ['POST /Users', '{"userName":"x","userName":"x"}', '', ''],
    ['POST /Users', '{"userName":"x","USERNAME":"y"}', '', ''],
    ['POST /Users', '{"userName":"x\\u0000"}', '', ''],
    ['POST /Users', '{"userName":"x","y":1e400}', '', ''],
    ['POST /Users', '{"userName":"x","y":[{"badge":12345678901234567890}]}', '', ''],
  ])('%s %j', (...row) => check(row));

  it.each<[Record<string, string>, string, string]>([
    [{ 'content-type': 'application/xml' }, '', ''],
    [{ 'content-encoding': 'gzip' }, '', ''],
    [{ authorization: '' }, '', ''],
    [{ authorization: 'Bearer wrong' }, '', ''],
  ])('%j', async (headers, error, message) => compare(await send('POST /Users', '{}', headers), error, message));
});

describe('of the address', () => {
  it.each<Row>([
    ['GET /Nothing', undefined, '', ''],
    ['PUT /Users', {}, '', ''],
    ['GET /Users/{unknown}', undefined, '', ''],
    ['GET /Groups/{unknown}', undefined, '', ''],
    ['DELETE /Users/x', undefined, '', ''],
    ['GET /Me', undefined, '', ''],
    ['GET /Schemas/urn:x', undefined, '', ''],
    ['GET /ResourceTypes/X', undefined, '', ''],
    ['GET /Schemas?filter=id', undefined, '', ''],
  ])('%s', (...row) => check(row));
});

describe('of a list', () => {
  it.each<Row>([
    ['GET /Users?sortBy=userName.x.y', undefined, '', ''],
    ['GET /Users?sortBy=' + enterprise, undefined, '', ''],
    ['GET /Users?sortBy=userName&sortOrder=up', undefined, '', ''],
    ['GET /Users?count=many', undefined, '', ''],
    ['GET /Users?startIndex=x', undefined, '', ''],
    ['GET /Users?count=1&count=2', undefined, '', ''],
    ['GET /Users?cursor=x', undefined, '', ''],
    [`GET /Users?attributes=${'a,'.repeat(2_000)}`, undefined, '', ''],
    ['POST /Users/.search', {}, '', ''],
    ['POST /Users/.search', { schemas: [urn('SearchRequest')], filter: 7 }, '', ''],
    ['POST /Users/.search', { schemas: [urn('SearchRequest')], attributes: 7 }, '', ''],
    ['POST /Users/.search', { schemas: [urn('SearchRequest')], count: 1, Count: 2 }, '', ''],
  ])('%.90s %j', (...row) => check(row));
});

describe('of a user', () => {
  const user = (fields: object): [string, unknown] => ['POST /Users', { userName: 'x', ...fields }];
  it.each<Row>([
    ['POST /Users', {}, '', ''],
    [...user({ userName: ' ' }), '', ''],
    [...user({ userName: 7 }), '', ''],
    [...user({ userName: 'ADA' }), '', ''],
    [...user({ externalId: 'a' }), '', ''],
    [...user({ userName: long(501) }), '', ''],
    [...user({ externalId: long(501) }), '', ''],
    [...user({ emails: [long(501)] }), '', ''],
    [...user({ title: long(262_145) }), '', ''],
    [...user({ shoe: [{ a: long(262_145) }] }), '', ''],
    [...user({ [`emails[value co "${long(500)}"].type`]: 'a' }), '', ''],
    [...user({ displayName: `e${'\u0301'.repeat(100)}` }), '', ''],
    [...user({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'] }), '', ''],
    [...user({ schemas: [7] }), '', ''],
    [...user({ name: { givenName: 'a', GivenName: 'b' } }), '', ''],
    [...user({ department: 'a', [enterprise]: { department: 'b' } }), '', ''],
    [...user({ Shoe: 1, [core]: { shoe: 2 } }), '', ''],
    [...user({ active: 'yes' }), '', ''],
    [...user({ name: 'Ada' }), '', ''],
    [...user({ name: { givenName: 7 } }), '', ''],
    [...user({ addresses: 'here' }), '', ''],
    [...user({ emails: [7] }), '', ''],
    [...user({ emails: [{ value: {} }] }), '', ''],
    [...user({ emails: [{ primary: 'no' }] }), '', ''],
    [...user({ manager: ['a', 'b'] }), '', ''],
    [...user({ x509Certificates: [{ value: 'é' }] }), '', ''],
    [...user({ [enterprise]: 'R&D' }), '', ''],
  ])('%s %.120j', (...row) => check(row));
});

describe('of a group', () => {
  const group = (fields: object): [string, unknown] => ['POST /Groups', { displayName: 'x', ...fields }];
  const members = (change: object): [string, unknown] => ['PATCH /Groups/{group}', { Operations: [{ path: 'members', ...change }] }];
  it.each<Row>([
    ['POST /Groups', {}, '', ''],
    [...group({ displayName: '' }), '', ''],
    [...group({ displayName: 'TEAM' }), '', ''],
    [...group({ externalId: 'g' }), '', ''],
    [...group({ displayName: long(501) }), '', ''],
    [...group({ schemas: [core] }), '', ''],
    [...group({ members: [{ $ref: 'x' }] }), '', ''],
    [...group({ members: [long(501)] }), '', ''],
    [...group({ members: [7] }), '', ''],
    [...group({ members: [{ value: '1', display: 7 }] }), '', ''],
    [...group({ members: [{ value: '1', display: long(501) }] }), '', ''],
    [...members({ op: 'add' }), '', ''],
    [...members({ op: 'add', value: 7 }), '', ''],
    [...members({ op: 'add', value: [{ value: '' }] }), '', ''],
    [...members({ op: 'add', value: [{ value: 'g' }] }), '', ''],
  ])('%s %.120j', (...row) => check(row));
});

describe('of a PATCH', () => {
  const operation = { op: 'replace', path: 'title', value: 'x' };
  it.each<Row>([
    ['PATCH /Users/{user}', [operation], '', ''],
    ['PATCH /Users/{user}', { schemas: ['urn:x'], Operations: [operation] }, '', ''],
    ['PATCH /Users/{user}', {}, '', ''],
    ['PATCH /Users/{user}', { Operations: [operation], operations: [] }, '', ''],
    ['PATCH /Users/{user}', { Operations: Array.from({ length: 1_001 }, () => 1) }, '', ''],
    ['PATCH /Users/{unknown}', { Operations: [operation] }, '', ''],
  ])('%s %.90j', (...row) => check(row));

  it.each<[unknown, string, string]>([
    ['replace', '', ''],
    [{ path: 'title', value: 'x' }, '', ''],
    [{ ...operation, op: 'move' }, '', ''],
    [{ ...operation, path: ['title'] }, '', ''],
    [{ op: 'add', path: 'title' }, '', ''],
    [{ op: 'replace', path: enterprise }, '', ''],
    [{ op: 'replace' }, '', ''],
    [{ op: 'add', value: 'x' }, '', ''],
    [{ op: 'add', path: core, value: 'x' }, '', ''],
    [{ op: 'remove', path: core }, '', ''],
    [{ op: 'remove' }, '', ''],
    [{ op: 'remove', path: 'userName' }, '', ''],
    [{ op: 'replace', value: { UserName: null } }, '', ''],
    [{ op: 'replace', path: 'userName', value: '' }, '', ''],
    [{ op: 'replace', path: 'userName', value: long(501) }, '', ''],
    [{ op: 'replace', path: 'active', value: 'no' }, '', ''],
    [{ op: 'replace', path: 'name.givenName', value: 7 }, '', ''],
    [{ op: 'replace', path: 'title', value: ['x'] }, '', ''],
    [{ op: 'replace', path: 'name', value: 'Ada' }, '', ''],
    [{ op: 'add', path: 'emails', value: 7 }, '', ''],
    [{ op: 'add', path: 'emails[type eq "home"].value', value: 7 }, '', ''],
    [{ op: 'add', path: 'emails[type eq "home"]', value: ['a', 'b'] }, '', ''],
    [{ op: 'add', path: enterprise, value: 'x' }, '', ''],
    [{ op: 'add', path: enterprise, value: { department: 7 } }, '', ''],
    [{ op: 'replace', path: 'emails[type ne "work"].value', value: 'x' }, '', ''],
    [{ op: 'add', path: 'emails[type eq "a" or type eq "b"].value', value: 'x' }, '', ''],
    [{ op: 'replace', path: 'name[givenName eq "Eve"].familyName', value: 'x' }, '', ''],
    [{ op: 'replace', path: 'shoe.size', value: 1 }, '', ''],
    [{ op: 'add', path: `emails[value eq "${long(501)}"].type`, value: 'x' }, '', ''],
    [{ ...operation, path: '' }, '', ''],
    [{ ...operation, path: 'a b' }, '', ''],
    [{ ...operation, path: 'emails type' }, '', ''],
    [{ ...operation, path: 'emails[type eq "work"]value' }, '', ''],
    [{ ...operation, path: 'emails[type eq "work"].' }, '', ''],
    [{ ...operation, path: 'emails[type eq "work"].value.x' }, '', ''],
    [{ ...operation, path: 'emails[type eq "work"' }, '', ''],
    [{ ...operation, path: 'emails[type is "work"]' }, '', ''],
    [{ ...operation, path: 'emails[]' }, '', ''],
    [{ ...operation, path: 'userName[value eq "x"]' }, '', ''],
    [{ ...operation, path: 'name.givenName.x' }, '', ''],
    [{ ...operation, path: 'title.x' }, '', ''],
    [{ ...operation, path: `${enterprise}[value eq "x"]` }, '', ''],
    [{ ...operation, path: 'emails]' }, '', ''],
    [{ ...operation, path: 'user"Name' }, '', ''],
    [{ ...operation, path: long(8_001) }, '', ''],
    [{ ...operation, path: `emails[${'('.repeat(7_900)}` }, '', ''],
  ])('with %.120j', async (wrong, error, message) =>
    compare(await send('PATCH /Users/{user}', { Operations: [operation, wrong] }), error, message),
  );

  it('with If-Match', async () => {
    const response = await send('PATCH /Users/{user}', { Operations: [operation] }, { 'if-match': 'W/"7"' });
    compare(response, '', '');
  });
});

describe('of a filter', () => {
  it.each<[string, string, string]>([
    ['   ', '', ''],
    ['userName', '', ''],
    ['userName is "x"', '', ''],
    ['userName eq', '', ''],
    ["userName eq 'ada'", '', ''],
    ['userName eq "ada', '', ''],
    ['userName eq "ada\\"', '', ''],
    ['userName eq "a\\x"', '', ''],
    ['userName eq "\\u0000"', '', ''],
    ['userName eq "\\ud800"', '', ''],
    ['userName eq a\0b', '', ''],
    ['userName eq "a" title eq "b"', '', ''],
    ['userName eq "a")', '', ''],
    ['userName eq "a" and', '', ''],
    ['userName eq "a" and or active pr', '', ''],
    ['(userName eq "a"', '', ''],
    ['emails[type eq "work"', '', ''],
    ['emails[type eq "work")', '', ''],
    ['emails[]', '', ''],
    ['emails[type[value eq "x"]]', '', ''],
    ['emails[name.value eq "x"]', '', ''],
    ['emails.value[type eq "x"]', '', ''],
    ['custom.part[type eq "x"]', '', ''],
    ['userName[value eq "x"]', '', ''],
    ['not userName pr', '', ''],
    ['userName.first eq "x"', '', ''],
    ['name eq "Ada"', '', ''],
    [`${enterprise} eq "x"`, '', ''],
    ['password eq "x"', '', ''],
    ['PassWord pr', '', ''],
    ['groups.$ref pr', '', ''],
    ['groups[$ref eq "x"]', '', ''],
    ['meta.location pr', '', ''],
    ['active eq "yes"', '', ''],
    ['active gt true', '', ''],
    ['active co "t"', '', ''],
    ['shoe le false', '', ''],
    ['userName gt null', '', ''],
    ['x509Certificates.value gt "x"', '', ''],
    ['meta.created sw "2020"', '', ''],
    ['meta.created co "2020-01-01"', '', ''],
    ['meta.created gt "2020-02-30"', '', ''],
    ['"userName" eq "x"', '', ''],
    ['user!name eq "x"', '', ''],
    ['('.repeat(8_001), '', ''],
    [`${'('.repeat(33)}userName pr${')'.repeat(33)}`, '', ''],
    [Array.from({ length: 101 }, () => 'a pr').join(' or '), '', ''],
  ])('%.120s', async (filter, error, message) =>
    compare(await send('POST /Users/.search', { schemas: [urn('SearchRequest')], filter }), error, message),
  );
});

describe('of a Bulk request', () => {
  const bulk = (operations: unknown, more: object = {}): [string, unknown] => [
    'POST /Bulk',
    { schemas: [urn('BulkRequest')], Operations: operations, ...more },
  ];
  const post = { method: 'POST', path: '/Users', bulkId: 'a', data: { userName: 'x' } };
  it.each<Row>([
    ['POST /Bulk', [], '', ''],
    ['POST /Bulk', {}, '', ''],
    [...bulk(7), '', ''],
    [...bulk([], { failOnErrors: 0 }), '', ''],
    [...bulk([post, post]), '', ''],
    [...bulk(Array.from({ length: 1_001 }, () => 1)), '', ''],
  ])('%s %.90j', (...row) => check(row));

  it.each<[unknown, string, string]>([
    [7, '', ''],
    [{}, '', ''],
    [{ ...post, path: undefined }, '', ''],
    [{ ...post, path: '/Things' }, '', ''],
    [{ ...post, path: '/Users/x' }, '', ''],
    [{ ...post, path: '/Users/%E0%A4' }, '', ''],
    [{ ...post, path: `/Users${'/a'.repeat(1_000)}` }, '', ''],
    [{ ...post, bulkId: undefined }, '', ''],
    [{ ...post, bulkId: long(201) }, '', ''],
    [{ ...post, data: undefined }, '', ''],
    [{ method: 'DELETE', path: '/Users' }, '', ''],
    [{ method: 'DELETE', path: '/Users/x' }, '', ''],
    [{ method: 'DELETE', path: '/Users/bulkId:none' }, '', ''],
    [{ method: 'DELETE', path: '/Users/x', version: {} }, '', ''],
    [{ method: 'DELETE', path: '/Users/x', version: '1,'.repeat(251) }, '', ''],
    [{ ...post, path: '/Groups', data: { displayName: 'x', members: [{ value: 'bulkId:none' }] } }, '', ''],
    [{ ...post, path: '/Groups', data: { displayName: 'x', members: [{ value: 'bulkId:a' }] } }, '', ''],
  ])('with the operation %.120j', async (operation, error, message) => {
    const { body } = await send(...bulk([operation]));
    const [{ status, response }] = body.Operations;
    expect(response.status).toBe(status);
    compare({ body: response } as ServiceResponse, error, message);
  });

  it('with an operation that another one depends on', async () => {
    const group = { method: 'POST', path: '/Groups', bulkId: 'g', data: { displayName: 'x', members: [{ value: 'bulkId:a' }] } };
    const { body } = await send(...bulk([{ ...post, data: {} }, group]));
    compare({ body: body.Operations[1].response } as ServiceResponse, '', '');
  });
});

describe('of the limits of a directory', () => {
  const member = { displayName: 'y', members: [{ value: '1' }] };
  it.each<[quotas: object, request: string, body: unknown, error: string, message: string]>([
    [{ users: 0 }, 'POST /Users', { userName: 'x' }, '', ''],
    [{ groups: 0 }, 'POST /Groups', { displayName: 'x' }, '', ''],
    [{ group_members: 0 }, 'POST /Groups', member, '', ''],
    [{ groups_per_member: 0 }, 'POST /Groups', member, '', ''],
    [{ memberships: 0 }, 'POST /Groups', member, '', ''],
    [{ resource_bytes: 0 }, 'POST /Users', { userName: 'x' }, '', ''],
    [{ undelivered_bytes: 0 }, 'POST /Users', { userName: 'x' }, '', ''],
    [{ searches: 0 }, 'GET /Users?filter=title%20co%20%22x%22', undefined, '', ''],
  ])('%j', async (quotas, line, body, error, message) => {
    const limited = await service.createDirectory({ quotas });
    const [method, path] = line.split(' ') as [string, string];
    compare(await limited.scim(method, path, body), error, message);
  });

  it('that is deactivated', async () => {
    const off = await service.createDirectory({ deactivated: true });
    compare(await off.scim('GET', '/Users'), '', '');
  });
});

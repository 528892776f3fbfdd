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

const errorOf = ({ body: { status, scimType, detail } }: Pick<ServiceResponse, 'body'>) => {
  // What exceeds a limit learns which setting it has, or that there is none.
  if (status === '413' || scimType === 'tooMany') expect(detail).toMatch(/[A-Z]+(_[A-Z]+)+|fixed limit/);
  return [[status, scimType].filter(Boolean).join(' '), detail];
};

describe('a request with an invalid body', () => {
  it.each<Row>([
    ['POST /Users', ' ', '400 invalidSyntax', 'The body is empty; it must be JSON.'],
    ['POST /Users', '{"userName":', '400 invalidSyntax', 'The body is not valid JSON.'],
    ['POST /Users', [], '400 invalidSyntax', 'The body must be a JSON object: a SCIM user.'],
    ['POST /Groups', [], '400 invalidSyntax', 'The body must be a JSON object: a SCIM group.'],
    ['POST /Users', { userName: 'x', note: long(400_000) }, '413', 'The body is larger than 400000 bytes (MAX_BODY_BYTES).'],
    [
      'POST /Users',
      { userName: 'x', list: Array.from({ length: 3_001 }, () => 1) },
      '413',
      'The body holds more than 3000 JSON values (MAX_BODY_VALUES).',
    ],
    [
      'POST /Users',
      `{"userName":"x","y":${'['.repeat(70)}${']'.repeat(70)}}`,
      '400 invalidSyntax',
      'The body is nested deeper than 64 levels (fixed limit).',
    ],
    ['POST /Users', '{"userName":"x","userName":"x"}', '400 invalidSyntax', 'userName is a duplicate key.'],
    [
      'POST /Users',
      '{"userName":"x","USERNAME":"y"}',
      '400 invalidSyntax',
      'USERNAME is a duplicate key; attribute names are case-insensitive.',
    ],
    ['POST /Users', '{"userName":"x\\u0000"}', '400 invalidSyntax', 'userName must not contain NUL characters or lone surrogates.'],
    ['POST /Users', '{"userName":"x","y":1e400}', '400 invalidSyntax', 'y must be 0 or a number from 1e-21 to 1e21, of either sign.'],
    [
      'POST /Users',
      '{"userName":"x","y":[{"badge":12345678901234567890}]}',
      '400 invalidValue',
      'y.0.badge is a number that loses digits in JavaScript: send it as a string.',
    ],
  ])('fails with its message: %s %j', async (line, body, error, message) => {
    expect(errorOf(await send(line, body))).toEqual([error, message]);
  });

  it.each<[Record<string, string>, string, string]>([
    [{ 'content-type': 'application/xml' }, '415', 'The body must be application/json or application/scim+json.'],
    [{ 'content-encoding': 'gzip' }, '415', 'The body must not be compressed.'],
    [
      { authorization: '' },
      '401',
      'Unknown directory or invalid bearer token. Send the secret of the directory: `Authorization: Bearer <secret>`.',
    ],
    [
      { authorization: 'Bearer wrong' },
      '401',
      'Unknown directory or invalid bearer token. Send the secret of the directory: `Authorization: Bearer <secret>`.',
    ],
  ])('fails with its message: %j', async (headers, error, message) => {
    expect(errorOf(await send('POST /Users', '{}', headers))).toEqual([error, message]);
  });
});

describe('a request to a wrong address', () => {
  it.each<Row>([
    [
      'GET /Nothing',
      undefined,
      '404',
      'Nothing is served at this path. The paths below a directory are /Users, /Groups, /Bulk, /.search, /ServiceProviderConfig, /ResourceTypes and /Schemas. A query must be at the end.',
    ],
    ['PUT /Users', {}, '405', 'PUT is not allowed here. Allowed methods: GET, HEAD, POST.'],
    ['GET /Users/{unknown}', undefined, '404', 'There is no user with this ID.'],
    ['GET /Groups/{unknown}', undefined, '404', 'There is no group with this ID.'],
    ['DELETE /Users/x', undefined, '404', 'There is no user with this ID.'],
    ['GET /Me', undefined, '501', 'Me is not supported: the secret of a directory belongs to its identity provider, which is not a user.'],
    ['GET /Schemas/urn:x', undefined, '404', 'Unknown schema.'],
    ['GET /ResourceTypes/X', undefined, '404', 'Unknown resource type.'],
    ['GET /Schemas?filter=id', undefined, '403', 'A filter is not allowed here (RFC 7644, section 4).'],
  ])('fails with its message: %s', async (line, body, error, message) => {
    expect(errorOf(await send(line, body))).toEqual([error, message]);
  });
});

describe('a list', () => {
  it.each<Row>([
    ['GET /Users?sortBy=userName.x.y', undefined, '400 invalidValue', 'sortBy must name an attribute, like userName or name.familyName.'],
    ['GET /Users?sortBy=' + enterprise, undefined, '400 invalidValue', 'sortBy must name an attribute, like userName or name.familyName.'],
    ['GET /Users?sortBy=userName&sortOrder=up', undefined, '400 invalidValue', 'sortOrder must be ascending or descending.'],
    ['GET /Users?count=1&count=2', undefined, '400 invalidSyntax', 'count is given twice with different values.'],
    [
      'GET /Users?cursor=x',
      undefined,
      '400 invalidCursor',
      'The cursor does not belong to this list: send nextCursor unchanged, with the same parameters as in the first request.',
    ],
    [
      `GET /Users?attributes=${'a,'.repeat(2_000)}`,
      undefined,
      '400 invalidSyntax',
      'attributes and excludedAttributes must name at most 1000 attributes (fixed limit).',
    ],
    ['POST /Users/.search', {}, '400 invalidSyntax', 'schemas must contain urn:ietf:params:scim:api:messages:2.0:SearchRequest.'],
    ['POST /Users/.search', { schemas: [urn('SearchRequest')], filter: 7 }, '400 invalidSyntax', 'filter must be a string.'],
    [
      'POST /Users/.search',
      { schemas: [urn('SearchRequest')], attributes: 7 },
      '400 invalidSyntax',
      'attributes and excludedAttributes must be lists of names.',
    ],
    [
      'POST /Users/.search',
      { schemas: [urn('SearchRequest')], count: 1, Count: 2 },
      '400 invalidSyntax',
      'Duplicate key count; names are case-insensitive.',
    ],
  ])('fails with its message: %.90s %j', async (line, body, error, message) => {
    expect(errorOf(await send(line, body))).toEqual([error, message]);
  });
});

const user = (fields: object): [string, unknown] => ['POST /Users', { userName: 'x', ...fields }];

describe('a request about a user', () => {
  it.each<Row>([
    ['POST /Users', {}, '400 invalidValue', 'userName is required and must be a non-empty string.'],
    [...user({ userName: ' ' }), '400 invalidValue', 'userName is required and must be a non-empty string.'],
    [...user({ userName: 7 }), '400 invalidValue', 'userName must be a string.'],
    [...user({ userName: 'ADA' }), '409 uniqueness', 'A user with this userName exists already.'],
    [...user({ externalId: 'a' }), '409 uniqueness', 'A user with this externalId exists already.'],
    [...user({ userName: long(501) }), '400 invalidValue', 'userName must have at most 500 characters (fixed limit).'],
    [...user({ externalId: long(501) }), '400 invalidValue', 'externalId must have at most 500 characters (fixed limit).'],
    [...user({ emails: [long(501)] }), '400 invalidValue', 'emails.value must have at most 500 characters (fixed limit).'],
    [...user({ title: long(262_145) }), '400 invalidValue', 'title must have at most 262144 characters (fixed limit).'],
    [...user({ shoe: [{ a: long(262_145) }] }), '400 invalidValue', 'shoe must have at most 262144 characters (fixed limit).'],
    [
      ...user({ [`emails[value co "${long(500)}"].type`]: 'a' }),
      '400 invalidValue',
      'emails[value co "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…: a path as the name of an attribute must have at most 500 characters (fixed limit).',
    ],
    [
      ...user({ displayName: `e${'\u0301'.repeat(100)}` }),
      '400 invalidValue',
      'displayName must have at most 64 combining marks in a row.',
    ],
    [
      ...user({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'] }),
      '400 invalidSyntax',
      'schemas must be an array that contains urn:ietf:params:scim:schemas:core:2.0:User.',
    ],
    [...user({ schemas: [7] }), '400 invalidValue', 'schemas must be an array of strings.'],
    [
      ...user({ name: { givenName: 'a', GivenName: 'b' } }),
      '400 invalidSyntax',
      'GivenName is a duplicate key; attribute names are case-insensitive.',
    ],
    [
      ...user({ department: 'a', [enterprise]: { department: 'b' } }),
      '400 invalidSyntax',
      'department is a duplicate key; attribute names are case-insensitive.',
    ],
    [...user({ Shoe: 1, [core]: { shoe: 2 } }), '400 invalidSyntax', 'shoe is a duplicate key; attribute names are case-insensitive.'],
    [...user({ active: 'yes' }), '400 invalidValue', 'active must be true or false.'],
    [...user({ name: 'Ada' }), '400 invalidValue', 'name must be an object, like {"formatted": "…"}.'],
    [...user({ name: { givenName: 7 } }), '400 invalidValue', 'name.givenName must be a string.'],
    [...user({ addresses: 'here' }), '400 invalidValue', 'addresses must be an array of objects, like [{"formatted": "…"}].'],
    [...user({ emails: [7] }), '400 invalidValue', 'emails must be an array of objects, like [{"value": "…"}].'],
    [...user({ emails: [{ value: {} }] }), '400 invalidValue', 'emails.value must be a string.'],
    [...user({ emails: [{ primary: 'no' }] }), '400 invalidValue', 'emails.primary must be true or false.'],
    [
      ...user({ manager: ['a', 'b'] }),
      '400 invalidValue',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager must be an object, like {"value": "…"}.',
    ],
    [...user({ x509Certificates: [{ value: 'é' }] }), '400 invalidValue', 'x509Certificates.value must be a string in base64.'],
    [
      ...user({ [enterprise]: 'R&D' }),
      '400 invalidValue',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User must be an object with the attributes of the extension.',
    ],
  ])('fails with its message: %s %.120j', async (line, body, error, message) => {
    expect(errorOf(await send(line, body))).toEqual([error, message]);
  });
});

const group = (fields: object): [string, unknown] => ['POST /Groups', { displayName: 'x', ...fields }];

const members = (change: object): [string, unknown] => ['PATCH /Groups/{group}', { Operations: [{ path: 'members', ...change }] }];

describe('a request about a group', () => {
  it.each<Row>([
    ['POST /Groups', {}, '400 invalidValue', 'displayName is required and must be a non-empty string.'],
    [...group({ displayName: '' }), '400 invalidValue', 'displayName is required and must be a non-empty string.'],
    [...group({ displayName: 'TEAM' }), '409 uniqueness', 'A group with this displayName exists already.'],
    [...group({ externalId: 'g' }), '409 uniqueness', 'A group with this externalId exists already.'],
    [...group({ displayName: long(501) }), '400 invalidValue', 'displayName must have at most 500 characters (fixed limit).'],
    [
      ...group({ schemas: [core] }),
      '400 invalidSyntax',
      'schemas must be an array that contains urn:ietf:params:scim:schemas:core:2.0:Group.',
    ],
    [...group({ members: [{ $ref: 'x' }] }), '400 invalidValue', "members.value must be a string with the member's ID."],
    [...group({ members: [long(501)] }), '400 invalidValue', 'members.value must have at most 500 characters (fixed limit).'],
    [...group({ members: [7] }), '400 invalidValue', 'members must be an array of objects, like [{"value": "<id of the member>"}].'],
    [...group({ members: [{ value: '1', display: 7 }] }), '400 invalidValue', 'members.display must be a string.'],
    [
      ...group({ members: [{ value: '1', display: long(501) }] }),
      '400 invalidValue',
      'members.display must have at most 500 characters (fixed limit).',
    ],
    [...members({ op: 'add' }), '400 invalidValue', 'add of members requires a value.'],
    [...members({ op: 'replace' }), '400 invalidValue', 'replace of members requires a value.'],
    [
      ...members({ op: 'remove', path: 'displayName' }),
      '400 mutability',
      'displayName is required and cannot be removed; replace it instead.',
    ],
    [
      ...members({ op: 'add', value: 7 }),
      '400 invalidValue',
      'members must be an array of objects, like [{"value": "<id of the member>"}].',
    ],
    [...members({ op: 'add', value: [{ value: '' }] }), '400 invalidValue', "members.value must be a string with the member's ID."],
    [
      ...members({ op: 'add', value: [{ value: 'g' }] }),
      '400 invalidValue',
      'A group cannot be a member of itself: leave its own id and externalId (in a bulk request, its own bulkId) out of members.',
    ],
  ])('fails with its message: %s %.120j', async (line, body, error, message) => {
    expect(errorOf(await send(line, body))).toEqual([error, message]);
  });
});

describe('a PATCH', () => {
  const operation = { op: 'replace', path: 'title', value: 'x' };
  it.each<Row>([
    ['PATCH /Users/{user}', [operation], '400 invalidSyntax', 'The body must be a JSON object: a SCIM PATCH.'],
    [
      'PATCH /Users/{user}',
      { schemas: ['urn:x'], Operations: [operation] },
      '400 invalidSyntax',
      'schemas must be an array that contains urn:ietf:params:scim:api:messages:2.0:PatchOp.',
    ],
    [
      'PATCH /Users/{user}',
      {},
      '400 invalidSyntax',
      'Operations must be an array of operations, like [{"op": "replace", "path": "active", "value": false}].',
    ],
    [
      'PATCH /Users/{user}',
      { Operations: [operation], operations: [] },
      '400 invalidSyntax',
      'Duplicate key operations; names are case-insensitive.',
    ],
    [
      'PATCH /Users/{user}',
      { Operations: Array.from({ length: 1_001 }, () => 1) },
      '413',
      'A PATCH must have at most 1000 operations (fixed limit).',
    ],
    ['PATCH /Users/{unknown}', { Operations: [operation] }, '404', 'There is no user with this ID.'],
  ])('fails with its message: %s %.90j', async (line, body, error, message) => {
    expect(errorOf(await send(line, body))).toEqual([error, message]);
  });

  it.each<[unknown, string, string]>([
    ['replace', '400 invalidSyntax', 'Each operation must be an object, like {"op": "replace", "path": "active", "value": false}.'],
    [{ path: 'title', value: 'x' }, '400 invalidSyntax', 'op must be "add", "replace" or "remove".'],
    [{ ...operation, op: 'move' }, '400 invalidSyntax', 'op must be "add", "replace" or "remove".'],
    [{ ...operation, path: ['title'] }, '400 invalidPath', 'path must be a string, like "name.givenName".'],
    [{ op: 'add', path: 'title' }, '400 invalidValue', 'add of title requires a value.'],
    [
      { op: 'replace', path: enterprise },
      '400 invalidValue',
      'replace of urn:ietf:params:scim:schemas:extension:enterprise:2.0:User requires a value.',
    ],
    [{ op: 'replace' }, '400 invalidValue', 'replace without a path requires an object as the value, like {"active": false}.'],
    [{ op: 'add', value: 'x' }, '400 invalidValue', 'add without a path requires an object as the value, like {"active": false}.'],
    [
      { op: 'add', path: core, value: 'x' },
      '400 invalidValue',
      'add without a path requires an object as the value, like {"active": false}.',
    ],
    [{ op: 'remove', path: core }, '400 noTarget', 'remove requires a path.'],
    [{ op: 'remove' }, '400 noTarget', 'remove requires a path.'],
    [{ op: 'remove', path: 'userName' }, '400 mutability', 'userName is required and cannot be removed; replace it instead.'],
    [{ op: 'replace', value: { UserName: null } }, '400 mutability', 'userName is required and cannot be removed; replace it instead.'],
    [{ op: 'replace', path: 'userName', value: '' }, '400 invalidValue', 'userName is required and must be a non-empty string.'],
    [{ op: 'replace', path: 'userName', value: long(501) }, '400 invalidValue', 'userName must have at most 500 characters (fixed limit).'],
    [{ op: 'replace', path: 'active', value: 'no' }, '400 invalidValue', 'active must be true or false.'],
    [{ op: 'replace', path: 'name.givenName', value: 7 }, '400 invalidValue', 'name.givenName must be a string.'],
    [{ op: 'replace', path: 'title', value: ['x'] }, '400 invalidValue', 'title must be a string.'],
    [{ op: 'replace', path: 'name', value: 'Ada' }, '400 invalidValue', 'name must be an object, like {"formatted": "…"}.'],
    [{ op: 'add', path: 'emails', value: 7 }, '400 invalidValue', 'emails must be an array of objects, like [{"value": "…"}].'],
    [{ op: 'add', path: 'emails[type eq "home"].value', value: 7 }, '400 invalidValue', 'emails.value must be a string.'],
    [
      { op: 'add', path: 'emails[type eq "home"]', value: ['a', 'b'] },
      '400 invalidValue',
      'emails must be an array of objects, like [{"value": "…"}].',
    ],
    [
      { op: 'add', path: enterprise, value: 'x' },
      '400 invalidValue',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User must be an object.',
    ],
    [
      { op: 'add', path: enterprise, value: { department: 7 } },
      '400 invalidValue',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department must be a string.',
    ],
    [
      { op: 'replace', path: 'emails[type ne "work"].value', value: 'x' },
      '400 noTarget',
      'No value of emails matches the filter, and none can be created from it.',
    ],
    [
      { op: 'add', path: 'emails[type eq "a" or type eq "b"].value', value: 'x' },
      '400 noTarget',
      'No value of emails matches the filter, and none can be created from it.',
    ],
    [{ op: 'replace', path: 'name[givenName eq "Eve"].familyName', value: 'x' }, '400 noTarget', 'name does not match the filter.'],
    [{ op: 'replace', path: 'shoe.size', value: 1 }, '400 noTarget', 'size cannot be set: the current value has no sub-attributes.'],
    [
      { op: 'add', path: `emails[value eq "${long(501)}"].type`, value: 'x' },
      '400 invalidValue',
      'emails.value must have at most 500 characters (fixed limit).',
    ],
    [{ ...operation, path: '' }, '400 invalidValue', 'replace without a path requires an object as the value, like {"active": false}.'],
    [{ ...operation, path: 'a b' }, '400 invalidPath', 'At character 3 of the path: expected the end of the path.'],
    [{ ...operation, path: 'emails type' }, '400 invalidPath', 'At character 8 of the path: expected the end of the path.'],
    [
      { ...operation, path: 'emails[type eq "work"]value' },
      '400 invalidPath',
      'At character 23 of the path: expected the end of the path.',
    ],
    [
      { ...operation, path: 'emails[type eq "work"].' },
      '400 invalidPath',
      'At character 24 of the path: expected the name of a sub-attribute.',
    ],
    [
      { ...operation, path: 'emails[type eq "work"].value.x' },
      '400 invalidPath',
      'At character 24 of the path: expected the name of a sub-attribute.',
    ],
    [{ ...operation, path: 'emails[type eq "work"' }, '400 invalidFilter', 'At character 22 of the path: expected "and", "or" or ].'],
    [
      { ...operation, path: 'emails[type is "work"]' },
      '400 invalidFilter',
      'At character 13 of the path: expected one of eq, ne, co, sw, ew, gt, ge, lt, le or pr after type.',
    ],
    [{ ...operation, path: 'emails[]' }, '400 invalidFilter', 'At character 8 of the path: expected the name of a sub-attribute.'],
    [{ ...operation, path: 'userName[value eq "x"]' }, '400 invalidPath', 'At character 9 of the path: brackets cannot follow userName.'],
    [{ ...operation, path: 'name.givenName.x' }, '400 invalidPath', 'At character 1 of the path: expected the name of an attribute.'],
    [
      { ...operation, path: 'title.x' },
      '400 invalidPath',
      'At character 1 of the path: title.x does not exist: the attribute has no sub-attributes.',
    ],
    [
      { ...operation, path: `${enterprise}[value eq "x"]` },
      '400 invalidPath',
      'At character 59 of the path: brackets cannot follow urn:ietf:params:scim:schemas:extension:enterprise:2.0:User.',
    ],
    [{ ...operation, path: 'emails]' }, '400 invalidPath', 'At character 7 of the path: expected the end of the path.'],
    [{ ...operation, path: 'user"Name' }, '400 invalidPath', 'At character 5 of the path: expected the end of the path.'],
    [{ ...operation, path: long(8_001) }, '400 invalidPath', 'The path must have at most 8000 characters (fixed limit).'],
    [
      { ...operation, path: `emails[${'('.repeat(7_900)}` },
      '400 tooMany',
      'Parentheses and brackets in a filter must be nested at most 32 levels deep (fixed limit).',
    ],
  ])('fails with its message: %.120j', async (wrong, error, message) => {
    expect(errorOf(await send('PATCH /Users/{user}', { Operations: [operation, wrong] }))).toEqual([error, message]);
  });

  it('fails with If-Match', async () => {
    const response = await send('PATCH /Users/{user}', { Operations: [operation] }, { 'if-match': 'W/"7"' });
    expect(errorOf(response)).toEqual([
      '412',
      'The resource is at version W/"1", which If-Match does not name: read it again and repeat the change.',
    ]);
  });
});

describe('a filter', () => {
  it.each<[string, string, string]>([
    [
      'userName',
      '400 invalidFilter',
      'At character 9 of the filter: expected one of eq, ne, co, sw, ew, gt, ge, lt, le or pr after userName.',
    ],
    [
      'userName is "x"',
      '400 invalidFilter',
      'At character 10 of the filter: expected one of eq, ne, co, sw, ew, gt, ge, lt, le or pr after userName.',
    ],
    ['userName eq', '400 invalidFilter', 'At character 12 of the filter: expected a value; text must be in double quotation marks.'],
    ["userName eq 'ada'", '400 invalidFilter', 'At character 13 of the filter: expected a value; text must be in double quotation marks.'],
    ['userName eq "ada', '400 invalidFilter', 'At character 13 of the filter: the value has no closing quotation mark.'],
    ['userName eq "ada\\"', '400 invalidFilter', 'At character 13 of the filter: the value has no closing quotation mark.'],
    [
      'userName eq "a\\x"',
      '400 invalidFilter',
      'At character 13 of the filter: the value is not a valid JSON string; write a backslash or a quotation mark in it as \\\\ or \\".',
    ],
    [
      'userName eq "\\u0000"',
      '400 invalidFilter',
      'At character 13 of the filter: the value is not a valid JSON string; write a backslash or a quotation mark in it as \\\\ or \\".',
    ],
    [
      'userName eq "\\ud800"',
      '400 invalidFilter',
      'At character 13 of the filter: the value is not a valid JSON string; write a backslash or a quotation mark in it as \\\\ or \\".',
    ],
    ['userName eq a\0b', '400 invalidSyntax', 'filter must not contain NUL characters or lone surrogates.'],
    ['userName eq "a" title eq "b"', '400 invalidFilter', 'At character 17 of the filter: expected "and", "or" or the end.'],
    ['userName eq "a")', '400 invalidFilter', 'At character 16 of the filter: expected "and", "or" or the end.'],
    ['userName eq "a" and', '400 invalidFilter', 'At character 20 of the filter: expected the name of an attribute.'],
    [
      'userName eq "a" and or active pr',
      '400 invalidFilter',
      'At character 24 of the filter: expected one of eq, ne, co, sw, ew, gt, ge, lt, le or pr after or.',
    ],
    ['(userName eq "a"', '400 invalidFilter', 'At character 17 of the filter: expected "and", "or" or ).'],
    ['emails[type eq "work"', '400 invalidFilter', 'At character 22 of the filter: expected "and", "or" or ].'],
    ['emails[type eq "work")', '400 invalidFilter', 'At character 22 of the filter: expected "and", "or" or ].'],
    ['emails[]', '400 invalidFilter', 'At character 8 of the filter: expected the name of a sub-attribute.'],
    ['emails[type[value eq "x"]]', '400 invalidFilter', 'At character 12 of the filter: brackets cannot be nested.'],
    ['emails[name.value eq "x"]', '400 invalidFilter', 'At character 8 of the filter: expected the name of a sub-attribute.'],
    ['emails.value[type eq "x"]', '400 invalidFilter', 'At character 13 of the filter: brackets cannot follow emails.value.'],
    ['custom.part[type eq "x"]', '400 invalidFilter', 'At character 12 of the filter: brackets cannot follow custom.part.'],
    ['userName[value eq "x"]', '400 invalidFilter', 'At character 9 of the filter: brackets cannot follow userName.'],
    ['not userName pr', '400 invalidFilter', 'At character 5 of the filter: expected ( after not.'],
    [
      'userName.first eq "x"',
      '400 invalidFilter',
      'At character 1 of the filter: userName.first does not exist: the attribute has no sub-attributes.',
    ],
    ['name eq "Ada"', '400 invalidFilter', 'At character 9 of the filter: name is complex: specify the sub-attribute to compare.'],
    [
      `${enterprise} eq "x"`,
      '400 invalidFilter',
      'At character 63 of the filter: urn:ietf:params:scim:schemas:extension:enterprise:2.0:User is complex: specify the sub-attribute to compare.',
    ],
    ['password eq "x"', '400 invalidFilter', 'At character 10 of the filter: password cannot be used in a filter.'],
    ['PassWord pr', '400 invalidFilter', 'At character 10 of the filter: PassWord cannot be used in a filter.'],
    ['groups.$ref pr', '400 invalidFilter', 'At character 13 of the filter: groups.$ref cannot be used in a filter.'],
    ['groups[$ref eq "x"]', '400 invalidFilter', 'At character 13 of the filter: $ref cannot be used in a filter.'],
    ['meta.location pr', '400 invalidFilter', 'At character 15 of the filter: meta.location cannot be used in a filter.'],
    ['active eq "yes"', '400 invalidFilter', 'At character 11 of the filter: active must be compared with true or false.'],
    ['active gt true', '400 invalidFilter', 'At character 11 of the filter: gt cannot compare active with this value.'],
    ['active co "t"', '400 invalidFilter', 'At character 11 of the filter: active must be compared with true or false.'],
    ['shoe le false', '400 invalidFilter', 'At character 9 of the filter: le cannot compare shoe with this value.'],
    ['userName gt null', '400 invalidFilter', 'At character 13 of the filter: gt cannot compare with null.'],
    [
      'x509Certificates.value gt "x"',
      '400 invalidFilter',
      'At character 27 of the filter: gt cannot compare x509Certificates.value with this value.',
    ],
    [
      'meta.created sw "2020"',
      '400 invalidFilter',
      'At character 17 of the filter: meta.created must be compared with a date and time, like "2026-01-31T12:00:00Z".',
    ],
    ['meta.created co "2020-01-01"', '400 invalidFilter', 'At character 17 of the filter: co cannot compare meta.created with this value.'],
    [
      'meta.created gt "2020-02-30"',
      '400 invalidFilter',
      'At character 17 of the filter: meta.created must be compared with a date and time, like "2026-01-31T12:00:00Z".',
    ],
    ['"userName" eq "x"', '400 invalidFilter', 'At character 1 of the filter: expected the name of an attribute.'],
    ['user!name eq "x"', '400 invalidFilter', 'At character 1 of the filter: expected the name of an attribute.'],
    ['('.repeat(8_001), '400 tooMany', 'The filter must have at most 8000 characters (fixed limit).'],
    [
      `${'('.repeat(33)}userName pr${')'.repeat(33)}`,
      '400 tooMany',
      'Parentheses and brackets in a filter must be nested at most 32 levels deep (fixed limit).',
    ],
    [Array.from({ length: 101 }, () => 'a pr').join(' or '), '400 tooMany', 'A filter must have at most 100 comparisons (fixed limit).'],
  ])('fails with its message: %.120s', async (filter, error, message) => {
    expect(errorOf(await send('POST /Users/.search', { schemas: [urn('SearchRequest')], filter }))).toEqual([error, message]);
  });
});

const bulk = (operations: unknown, more: object = {}): [string, unknown] => [
  'POST /Bulk',
  { schemas: [urn('BulkRequest')], Operations: operations, ...more },
];

describe('a Bulk request', () => {
  const post = { method: 'POST', path: '/Users', bulkId: 'a', data: { userName: 'x' } };
  it.each<Row>([
    ['POST /Bulk', [], '400 invalidSyntax', 'The body must be a JSON object: a BulkRequest.'],
    ['POST /Bulk', {}, '400 invalidSyntax', 'schemas must contain urn:ietf:params:scim:api:messages:2.0:BulkRequest.'],
    [...bulk(7), '400 invalidSyntax', 'Operations must be an array.'],
    [...bulk([], { failOnErrors: 0 }), '400 invalidValue', 'failOnErrors must be a whole number of at least 1.'],
    [...bulk([post, post]), '400 invalidSyntax', 'Duplicate bulkId: each bulkId must identify one new resource.'],
    [
      ...bulk(Array.from({ length: 1_001 }, () => 1)),
      '413',
      'A Bulk request must contain at most 1000 operations (maxOperations, a fixed limit).',
    ],
  ])('fails with its message: %s %.90j', async (line, body, error, message) => {
    expect(errorOf(await send(line, body))).toEqual([error, message]);
  });

  it.each<[unknown, string, string]>([
    [7, '400 invalidSyntax', 'An operation must be a JSON object.'],
    [{}, '400 invalidSyntax', 'method must be one of POST, PUT, PATCH, DELETE.'],
    [{ ...post, path: undefined }, '400 invalidSyntax', 'path must be a string like /Users or /Users/<id>.'],
    [{ ...post, path: '/Things' }, '404', 'Invalid path: a Bulk request can change /Users and /Groups.'],
    [{ ...post, path: '/Users/x' }, '405', 'POST requires the path /Users, without an ID.'],
    [{ ...post, path: '/Users/%E0%A4' }, '400 invalidSyntax', 'path is not a valid address: it contains an invalid percent-encoding.'],
    [{ ...post, path: `/Users${'/a'.repeat(1_000)}` }, '400 invalidValue', 'A path must have at most 2000 characters (fixed limit).'],
    [{ ...post, bulkId: undefined }, '400 invalidValue', 'POST requires a bulkId: a non-empty string.'],
    [{ ...post, bulkId: long(201) }, '400 invalidValue', 'A bulkId must have at most 200 characters (fixed limit).'],
    [{ ...post, data: undefined }, '400 invalidSyntax', 'POST requires data: a JSON object.'],
    [{ method: 'DELETE', path: '/Users' }, '405', 'DELETE requires the path of one resource: /Users/<id>.'],
    [{ method: 'DELETE', path: '/Users/x' }, '404', 'There is no user with this ID.'],
    [
      { method: 'DELETE', path: '/Users/bulkId:none' },
      '400 invalidValue',
      'No POST in this request has the bulkId that this operation refers to.',
    ],
    [{ method: 'DELETE', path: '/Users/x', version: {} }, '400 invalidSyntax', 'version must be a string, as in meta.version.'],
    [
      { method: 'DELETE', path: '/Users/x', version: '1,'.repeat(251) },
      '400 invalidValue',
      'A version must have at most 500 characters (fixed limit).',
    ],
    [
      { ...post, path: '/Groups', data: { displayName: 'x', members: [{ value: 'bulkId:none' }] } },
      '400 invalidValue',
      'No POST in this request has the bulkId that this operation refers to.',
    ],
    [
      { ...post, path: '/Groups', data: { displayName: 'x', members: [{ value: 'bulkId:a' }] } },
      '400 invalidValue',
      'A group cannot be a member of itself: leave its own id and externalId (in a bulk request, its own bulkId) out of members.',
    ],
  ])('fails with its message for the operation %.120j', async (operation, error, message) => {
    const { body } = await send(...bulk([operation]));
    const [{ status, response }] = body.Operations;
    expect(response.status).toBe(status);
    expect(errorOf({ body: response })).toEqual([error, message]);
  });

  it('fails if another operation depends on a failed one', async () => {
    const dependent = { method: 'POST', path: '/Groups', bulkId: 'g', data: { displayName: 'x', members: [{ value: 'bulkId:a' }] } };
    const { body } = await send(...bulk([{ ...post, data: {} }, dependent]));
    expect(errorOf({ body: body.Operations[1].response })).toEqual([
      '400 invalidValue',
      'A resource that this operation refers to by bulkId was not created: see the response to that operation.',
    ]);
  });
});

describe('a directory at its limits', () => {
  const member = { displayName: 'y', members: [{ value: '1' }] };
  it.each<[quotas: object, request: string, body: unknown, error: string, message: string]>([
    [
      { users: 0 },
      'POST /Users',
      { userName: 'x' },
      '403',
      'The directory may have at most 0 users (quotas.users of this directory). Remove some, or ask the operator of this service for a higher limit.',
    ],
    [
      { groups: 0 },
      'POST /Groups',
      { displayName: 'x' },
      '403',
      'The directory may have at most 0 groups (quotas.groups of this directory). Remove some, or ask the operator of this service for a higher limit.',
    ],
    [
      { group_members: 0 },
      'POST /Groups',
      member,
      '403',
      'The directory may have at most 0 members in a group (quotas.group_members of this directory). Remove some, or ask the operator of this service for a higher limit.',
    ],
    [
      { memberships: 0 },
      'POST /Groups',
      member,
      '403',
      'The directory may have at most 0 memberships in all groups together (quotas.memberships of this directory). Remove some, or ask the operator of this service for a higher limit.',
    ],
    [
      { resource_bytes: 0 },
      'POST /Users',
      { userName: 'x' },
      '403',
      'The directory may have at most 0 bytes of users and groups (quotas.resource_bytes of this directory). Remove some, or ask the operator of this service for a higher limit.',
    ],
    [
      { undelivered_bytes: 0 },
      'POST /Users',
      { userName: 'x' },
      '503',
      'The directory may have at most 0 bytes of undelivered events (quotas.undelivered_bytes of this directory), and its webhook has not accepted them yet. Nothing was changed; try again later.',
    ],
    [
      { searches: 0 },
      'GET /Users?filter=title%20co%20%22x%22',
      undefined,
      '403',
      'The directory may have at most 0 concurrent searches (quotas.searches of this directory).',
    ],
  ])('fails with its message: %j', async (quotas, line, body, error, message) => {
    const limited = await service.createDirectory({ quotas });
    const [method, path] = line.split(' ') as [string, string];
    expect(errorOf(await limited.scim(method, path, body))).toEqual([error, message]);
  });

  it('rejects requests while it is deactivated', async () => {
    const off = await service.createDirectory({ deactivated: true });
    expect(errorOf(await off.scim('GET', '/Users'))).toEqual(['403', 'This directory is deactivated; nothing was changed.']);
  });
});

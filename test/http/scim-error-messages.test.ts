import { describe, expect, it } from '@jest/globals';
import { coreUrn as core, enterpriseUrn as enterprise, errorOf, type ScimMessageRow, useScimErrors } from '../support/scim-errors.ts';

/** The error messages of SCIM. Other tests compare the status and `scimType`. */

const errors = useScimErrors();
const { send } = errors;
const urn = (name: string) => `urn:ietf:params:scim:api:messages:2.0:${name}`;
const long = (characters: number) => 'x'.repeat(characters);

describe('a request with an invalid body', () => {
  it.each<ScimMessageRow>([
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
  it.each<ScimMessageRow>([
    [
      'GET /Nothing',
      undefined,
      '404',
      'This path does not exist. The paths below a directory are /Users, /Groups, /Bulk, /.search, /ServiceProviderConfig, /ResourceTypes and /Schemas. A query must be at the end.',
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
  it.each<ScimMessageRow>([
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
  it.each<ScimMessageRow>([
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
      'displayName must have at most 64 combining marks in a row (fixed limit).',
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
  it.each<ScimMessageRow>([
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

const bulk = (operations: unknown, more: object = {}): [string, unknown] => [
  'POST /Bulk',
  { schemas: [urn('BulkRequest')], Operations: operations, ...more },
];

describe('a Bulk request', () => {
  const post = { method: 'POST', path: '/Users', bulkId: 'a', data: { userName: 'x' } };
  it.each<ScimMessageRow>([
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
    const limited = await errors.service.createDirectory({ quotas });
    const [method, path] = line.split(' ') as [string, string];
    expect(errorOf(await limited.scim(method, path, body))).toEqual([error, message]);
  });

  it('rejects requests while it is deactivated', async () => {
    const off = await errors.service.createDirectory({ deactivated: true });
    expect(errorOf(await off.scim('GET', '/Users'))).toEqual(['403', 'This directory is deactivated; nothing was changed.']);
  });
});

import { describe, expect, it } from '@jest/globals';
import { includesAttribute } from '../../src/scim/projection.ts';
import { groupType, userType } from '../../src/scim/schema/resource-types.ts';
import { readListRequest, readSearchRequest, toCursorScope } from '../../src/scim/list.ts';

const urn = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
const search = (body: object) => readSearchRequest({ schemas: [urn], ...body }, userType);
const errorWith = (scimType: string) => expect.objectContaining({ details: expect.objectContaining({ status: 400, scimType }) });

const nothing = {
  sortOrder: 'ascending',
  page: { kind: 'index', startIndex: 1, count: 100 },
  projection: { kind: 'without', names: new Map() },
};
const byUserName = { kind: 'compare', path: { attribute: 'userName' }, operator: 'eq', value: 'ada' };

describe.each([
  ['a query', (query: object) => readListRequest(query, userType)],
  ['a search', search],
])('%s', (_kind, read) => {
  it('selects the first page of everything by default', () => {
    expect(read({})).toEqual(nothing);
  });

  it('is read as a whole', () => {
    const request = read({
      filter: 'userName eq "ada"',
      sortBy: 'name.familyName',
      sortOrder: 'descending',
      startIndex: '3',
      count: '7',
      attributes: 'userName,emails.value',
    });
    expect(request).toMatchObject({
      filter: byUserName,
      sortBy: { attribute: 'name', sub: 'familyName' },
      sortOrder: 'descending',
      page: { kind: 'index', startIndex: 3, count: 7 },
    });
    expect(['userName', 'emails', 'title'].map((name) => includesAttribute(request.projection, name))).toEqual([true, true, false]);
  });

  it.each<[object, object]>([
    [{ aadOptscim062020: '' }, {}],
    [
      { SORTBY: 'USERNAME', SortOrder: 'Descending' },
      { sortBy: { attribute: 'userName' }, sortOrder: 'descending' },
    ],
    [{ Filter: 'USERNAME EQ "ada"' }, { filter: byUserName }],
    [{ sortBy: 'urn:ietf:params:scim:schemas:core:2.0:User:userName' }, { sortBy: { attribute: 'userName' } }],
    [{ sortBy: ' emails.value ' }, { sortBy: { attribute: 'emails', sub: 'value' } }],
    [{ sortBy: 'favouriteColour' }, { sortBy: { attribute: 'favouriteColour' } }],
    [{ sortBy: '', sortOrder: '', filter: '' }, { sortOrder: 'ascending' }],
    [{ filter: '  ' }, {}],
    [{ cursor: '', startIndex: '3' }, { page: { kind: 'cursor', cursor: '', count: 100 } }],
    [{ cursor: 'abc', count: '5' }, { page: { kind: 'cursor', cursor: 'abc', count: 5 } }],
    [{ startIndex: 'first', count: 'all' }, { page: { kind: 'index', startIndex: 1, count: 100 } }],
  ])('accepts %j', (query, understood) => {
    expect(read(query)).toEqual({ ...nothing, ...understood });
  });

  it.each<[object, string]>([
    [{ filter: 'userName' }, 'invalidFilter'],
    [{ filter: 'userName eq "\0"' }, 'invalidFilter'],
    [{ sortBy: 'not a name' }, 'invalidValue'],
    [{ sortBy: '"userName"' }, 'invalidValue'],
    [{ sortBy: 'userName;drop' }, 'invalidValue'],
    [{ sortBy: '\0' }, 'invalidValue'],
    [{ sortBy: '1' }, 'invalidValue'],
    [{ sortBy: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User' }, 'invalidValue'],
    [{ sortOrder: 'up' }, 'invalidValue'],
    [{ sortOrder: 'constructor' }, 'invalidValue'],
    [{ cursor: '', count: 'all' }, 'invalidCount'],
  ])('rejects %j with %s', (query, scimType) => {
    expect(() => read(query)).toThrow(errorWith(scimType));
  });
});

describe('query', () => {
  it.each([
    [{ filter: ['userName eq "ada"', 'userName eq "bo"'] }],
    [{ count: ['1', '2'] }],
    [{ count: '1', Count: '2' }],
    [{ sortBy: ['userName', 'title'] }],
  ])('is rejected if it is contradictory: %j', (query) => {
    expect(() => readListRequest(query, userType)).toThrow(errorWith('invalidSyntax'));
  });

  it('may repeat a value, and name attributes in several places', () => {
    const request = readListRequest({ count: ['5', '5'], filter: [], attributes: ['userName', 'title'], Attributes: 'active' }, userType);
    expect(request.page.count).toBe(5);
    expect(['userName', 'title', 'active', 'name'].map((name) => includesAttribute(request.projection, name))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('search', () => {
  it('accepts numbers and lists', () => {
    const request = search({ startIndex: 3, count: 7, attributes: ['userName', 'title'], excludedAttributes: null });
    expect(request.page).toEqual({ kind: 'index', startIndex: 3, count: 7 });
    expect(['userName', 'title', 'name'].map((name) => includesAttribute(request.projection, name))).toEqual([true, true, false]);
  });

  it.each([
    ['not an object', []],
    ['null', null],
    ['no schemas', {}],
    ['another schema', { schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'] }],
    ['a filter that is an object', { schemas: [urn], filter: {} }],
    ['a filter that is a list', { schemas: [urn], filter: ['userName pr'] }],
    ['a sortBy that is a number', { schemas: [urn], sortBy: 7 }],
    ['attributes that are numbers', { schemas: [urn], attributes: [1] }],
    ['attributes that are an object', { schemas: [urn], attributes: {} }],
    ['one name twice', { schemas: [urn], count: 1, COUNT: 1 }],
  ])('with %s is rejected', (_title, body) => {
    expect(() => readSearchRequest(body, userType)).toThrow(errorWith('invalidSyntax'));
  });

  it('is rejected with a numeric cursor', () => {
    expect(() => search({ cursor: 1 })).toThrow(errorWith('invalidCursor'));
  });

  it('at the root is read for each resource type', () => {
    const body = { schemas: [urn], filter: 'displayName eq "x"', attributes: ['members', 'userName'] };
    expect(readSearchRequest(body, groupType).filter).toEqual(readSearchRequest(body, userType).filter);
  });
});

const scope = (query: object, directoryId = 'd-1', type: 'User' | 'all' = 'User') =>
  toCursorScope(directoryId, type, readListRequest(query, userType));

describe('cursor scope', () => {
  const first = { cursor: '', filter: 'userName eq "ada"', sortBy: 'title' };

  it.each<[string, object]>([
    ['the cursor', { ...first, cursor: 'abc' }],
    ['the size of a page', { ...first, count: '7' }],
    ['what is shown', { ...first, attributes: 'id' }],
    ['spaces and case', { cursor: '', filter: ' USERNAME  eq "ada"', sortBy: 'Title', sortOrder: 'ASCENDING' }],
  ])('stays the same whatever %s', (_title, query) => {
    expect(scope(query)).toBe(scope(first));
  });

  it('differs for another list', () => {
    const scopes = [
      scope(first),
      scope(first, 'd-2'),
      scope(first, 'd-1', 'all'),
      scope({ ...first, filter: 'userName eq "Ada"' }),
      scope({ ...first, filter: '' }),
      scope({ ...first, sortBy: 'userName' }),
      scope({ ...first, sortBy: '' }),
      scope({ ...first, sortOrder: 'descending' }),
    ];
    expect(new Set(scopes).size).toBe(scopes.length);
  });
});

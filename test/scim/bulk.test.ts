import { describe, expect, it } from '@jest/globals';
import type { BulkOperation } from '../../src/scim/bulk/operation.ts';
import { readBulk } from '../../src/scim/bulk/read-bulk.ts';

const urn = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

function read(operations: unknown, rest: object = {}, maxOperations = 1000) {
  let count = 0;
  return readBulk({ schemas: [urn], Operations: operations, ...rest }, { newId: () => `id-${++count}`, maxOperations });
}
const readOne = (operation: unknown) => read([operation]).operations[0]!;
const post = (bulkId: string, data: object = {}, path = '/Users') => ({ method: 'POST', path, bulkId, data });
const errorWith = (status: number, scimType?: string) =>
  expect.objectContaining({ details: expect.objectContaining({ status, ...(scimType && { scimType }), detail: expect.any(String) }) });

describe('Bulk request', () => {
  it.each([
    ['not an object', []],
    ['null', null],
    ['text', 'POST /Users'],
    ['no schemas', { Operations: [] }],
    ['schemas that are text', { schemas: urn, Operations: [] }],
    ['another schema', { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [] }],
    ['no operations', { schemas: [urn] }],
    ['operations that are null', { schemas: [urn], Operations: null }],
    ['operations that are an object', { schemas: [urn], Operations: { 0: post('a'), length: 1 } }],
    ['operations twice', { schemas: [urn], Operations: [], operations: [] }],
    ['one bulkId twice', { schemas: [urn], Operations: [post('a'), post('a')] }],
    ['one bulkId for a user and a group', { schemas: [urn], Operations: [post('a'), post('a', {}, '/Groups')] }],
  ])('with %s is rejected as a whole', (_title, body) => {
    expect(() => readBulk(body, { newId: () => 'id' })).toThrow(errorWith(400, 'invalidSyntax'));
  });

  it.each([[0], [-1], [1.5], ['many'], ['0'], [''], [true], [[1]], [{}]])('is rejected if failOnErrors is %j', (failOnErrors) => {
    expect(() => read([], { failOnErrors })).toThrow(errorWith(400, 'invalidValue'));
  });

  it('may set failOnErrors', () => {
    expect(read([], { failOnErrors: 2 })).toMatchObject({ failOnErrors: 2 });
    expect(read([], { failonerrors: '2' })).toMatchObject({ failOnErrors: 2 });
    expect(read([], { failOnErrors: null })).toEqual({ operations: [], order: [] });
  });

  it('has a maximum number of operations, which the error names', () => {
    expect(read([post('a'), post('b')], {}, 2).operations).toHaveLength(2);
    expect(() => read([post('a'), post('b'), post('c')], {}, 2)).toThrow(errorWith(413));
    expect(() => read([post('a'), post('b'), post('c')], {}, 2)).toThrow(/\b2\b.*maxOperations/);
  });

  it('is read without regard to the case of names', () => {
    const body = { SCHEMAS: [urn.toUpperCase()], operations: [{ METHOD: 'post', Path: '/users', BulkID: 'a', Data: { x: 1 } }] };
    expect(readBulk(body, { newId: () => 'id-1' }).operations).toEqual([
      { index: 0, method: 'POST', bulkId: 'a', resourceType: 'User', resourceId: 'id-1', isNew: true, data: { x: 1 }, dependsOn: [] },
    ]);
  });
});

describe('operation', () => {
  it.each<[string, object, Partial<BulkOperation>]>([
    ['a creation', post('a'), { method: 'POST', bulkId: 'a', resourceType: 'User', resourceId: 'id-1', isNew: true }],
    ['a group', post('a', {}, '/Groups'), { resourceType: 'Group', isNew: true }],
    ['a path without its slash', post('a', {}, 'Users'), { resourceType: 'User' }],
    ['a path with one too many', post('a', {}, '//Users/'), { resourceType: 'User' }],
    ['a path with a query', post('a', {}, '/Users?attributes=id'), { resourceType: 'User' }],
    ['a whole address', post('a', {}, 'https://a.test/api/scim/v2.0/d/Groups'), { resourceType: 'Group' }],
    ['a PUT', { method: 'PUT', path: '/Users/u-7', data: { a: 1 } }, { resourceId: 'u-7', isNew: false, data: { a: 1 } }],
    ['a PATCH', { method: 'Patch', path: '/groups/g-7', data: {} }, { method: 'PATCH', resourceType: 'Group', resourceId: 'g-7' }],
    ['a DELETE', { method: 'delete', path: '/Users/u-7', data: null }, { method: 'DELETE', resourceId: 'u-7', isNew: false }],
    ['the address of one', { method: 'DELETE', path: 'http://a.test/v2/Users/u%2D7' }, { resourceType: 'User', resourceId: 'u-7' }],
    ['one called Users', { method: 'DELETE', path: '/Users/Users' }, { resourceType: 'User', resourceId: 'Users' }],
    ['a bulkId that is not needed', { method: 'DELETE', path: '/Users/u-7', bulkId: 'x' }, { bulkId: 'x' }],
    ['a version', { method: 'DELETE', path: '/Users/u-7', version: 'W/"3"' }, { ifMatch: [3] }],
    ['a version that is a number', { method: 'DELETE', path: '/Users/u-7', version: 3 }, { ifMatch: [3] }],
    ['a version in another format', { method: 'DELETE', path: '/Users/u-7', version: 'W/"abc"' }, { ifMatch: [] }],
  ])('is accepted: %s', (_title, operation, understood) => {
    expect(readOne(operation)).toMatchObject(understood);
    expect(readOne(operation).error).toBeUndefined();
  });

  it.each<[string, unknown, number, string | undefined]>([
    ['not an object', 'POST /Users', 400, 'invalidSyntax'],
    ['null', null, 400, 'invalidSyntax'],
    ['a list', [post('a')], 400, 'invalidSyntax'],
    ['one name twice', { ...post('a'), Method: 'PUT' }, 400, 'invalidSyntax'],
    ['no method', { path: '/Users/u-7' }, 400, 'invalidSyntax'],
    ['a method that is a number', { method: 1, path: '/Users/u-7' }, 400, 'invalidSyntax'],
    ['GET', { method: 'GET', path: '/Users/u-7' }, 400, 'invalidSyntax'],
    ['the name of a property of all objects', { method: 'constructor', path: '/Users/u-7' }, 400, 'invalidSyntax'],
    ['no path', { method: 'DELETE' }, 400, 'invalidSyntax'],
    ['an empty path', { method: 'DELETE', path: ' ' }, 400, 'invalidSyntax'],
    ['a path that is a number', { method: 'DELETE', path: 7 }, 400, 'invalidSyntax'],
    ['a broken path', { method: 'DELETE', path: '/Users/%E0%A4%A' }, 400, 'invalidSyntax'],
    ['the root', { method: 'DELETE', path: '/' }, 404, undefined],
    ['a bulk request within', post('a', {}, '/Bulk'), 404, undefined],
    ['a search', post('a', {}, '/Users/.search/x'), 404, undefined],
    ['what is called Users elsewhere', post('a', {}, '/Schemas/Users'), 404, undefined],
    ['the schemas', { method: 'PUT', path: '/Schemas/x', data: {} }, 404, undefined],
    ['the configuration', { method: 'PATCH', path: '/ServiceProviderConfig', data: {} }, 404, undefined],
    ['a path too long', { method: 'DELETE', path: '/Users/u-7/emails' }, 404, undefined],
    ['a path of somewhere else', { method: 'DELETE', path: 'https://a.test/other/u-7' }, 404, undefined],
    ['a POST to one', post('a', {}, '/Users/u-7'), 405, undefined],
    ['a DELETE of all', { method: 'DELETE', path: '/Users' }, 405, undefined],
    ['a PUT of all', { method: 'PUT', path: '/Groups/', data: {} }, 405, undefined],
    ['a POST without a bulkId', { method: 'POST', path: '/Users', data: {} }, 400, 'invalidValue'],
    ['a POST with an empty bulkId', post(''), 400, 'invalidValue'],
    ['a POST with a number for a bulkId', { ...post('a'), bulkId: 1 }, 400, 'invalidValue'],
    ['a POST without data', { method: 'POST', path: '/Users', bulkId: 'a' }, 400, 'invalidSyntax'],
    ['data that is text', { ...post('a'), data: '{}' }, 400, 'invalidSyntax'],
    ['data that is a list', { method: 'PATCH', path: '/Users/u-7', data: [] }, 400, 'invalidSyntax'],
    ['a version that is an object', { method: 'DELETE', path: '/Users/u-7', version: {} }, 400, 'invalidSyntax'],
    ['a reference to nothing', post('a', { manager: 'bulkId:b' }), 400, 'invalidValue'],
    ['a reference to a PUT', { method: 'PUT', path: '/Users/bulkId:a', bulkId: 'a', data: {} }, 400, 'invalidValue'],
    ['a reference without a name', post('a', { manager: 'bulkId:' }), 400, 'invalidValue'],
    ['a reference to the name of a property', post('a', { manager: 'bulkId:__proto__' }), 400, 'invalidValue'],
    ['data that is nested too deeply', post('a', { x: nested(50_000) }), 400, 'invalidSyntax'],
  ])('is rejected alone: %s', (_title, operation, status, scimType) => {
    const { operations, order } = read([post('before'), operation, post('after')]);
    expect(operations).toEqual([
      expect.objectContaining({ resourceId: 'id-1' }),
      expect.objectContaining({ index: 1, error: expect.objectContaining({ status, detail: expect.any(String) }) }),
      expect.objectContaining({ isNew: true }),
    ]);
    expect(operations[1]!.error?.scimType).toBe(scimType);
    expect(order).toEqual([0, 1, 2]);
  });

  it('that creates a resource ignores the version', () => {
    expect(readOne({ ...post('a'), version: 'W/"3"' })).not.toHaveProperty('ifMatch');
  });

  it('keeps what could be read of it for the response', () => {
    expect(readOne({ method: 'get', path: '/Users/u-7', bulkId: 'x' })).toMatchObject({ index: 0, method: 'GET', bulkId: 'x' });
    expect(readOne({ method: 'PUT', path: '/Users/u-7' })).toMatchObject({ resourceType: 'User', resourceId: 'u-7' });
  });
});

const patch = (path: unknown, value?: unknown) => ({
  method: 'PATCH',
  path: '/Groups/g-7',
  data: { Operations: [{ op: 'remove', path, ...(value !== undefined && { value }) }] },
});

describe('reference', () => {
  const dataOf = (operation: object) => {
    const [, understood] = read([post('ada'), operation]).operations;
    return (understood as BulkOperation).data;
  };

  it.each<[string, object, unknown]>([
    ['in a value', post('x', { manager: 'bulkId:ada' }), { manager: 'id-1' }],
    ['somewhere deep', post('x', { a: [{ b: { c: ['bulkId:ada', 1, null, true] } }] }), { a: [{ b: { c: ['id-1', 1, null, true] } }] }],
    ['of a member', post('x', { members: [{ value: 'bulkId:ada', type: 'User' }] }), { members: [{ value: 'id-1', type: 'User' }] }],
    ['to itself', post('x', { manager: 'bulkId:x' }), { manager: 'id-2' }],
    ['that is only part of a text', post('x', { a: 'see bulkId:ada', b: 'BULKID' }), { a: 'see bulkId:ada', b: 'BULKID' }],
    ['in the value of a patch', patch('members', [{ value: 'bulkId:ada' }]), ops('members', [{ value: 'id-1' }])],
    ['in a filter of a path', patch('members[value eq "bulkId:ada"]'), ops('members[value eq "id-1"]')],
    ['in one of a few', patch('members[value eq "b" or value eq "bulkId:ada"]'), ops('members[value eq "b" or value eq "id-1"]')],
    ['without quotation marks', patch('members[value eq bulkId:ada]'), ops('members[value eq "id-1"]')],
    ['spelled with an escape', patch('members[value eq "bulk\\u0049d:ada"]'), ops('members[value eq "id-1"]')],
    ['within another string', patch('members[value eq "not \\"bulkId:ada\\""]'), ops('members[value eq "not \\"bulkId:ada\\""]')],
    ['in a string that never ends', patch('members[value eq "bulkId:ada'), ops('members[value eq "bulkId:ada')],
    ['where a path is not text', patch(7), ops(7)],
    ['in a path of something that is not a PATCH', post('x', ops('a "bulkId:ada"')), ops('a "bulkId:ada"')],
    ['within a word', patch('members[value eq xbulkId:ada]'), ops('members[value eq xbulkId:ada]')],
  ])('is resolved: %s', (_title, operation, data) => {
    expect(dataOf(operation)).toEqual(data);
  });

  it('in the path is resolved, and adds a dependency', () => {
    const { operations } = read([
      post('ada'),
      { method: 'DELETE', path: '/Users/bulkId:ada' },
      { method: 'DELETE', path: '/Users/bulkId%3Aada' },
    ]);
    expect(operations.slice(1)).toEqual([
      expect.objectContaining({ resourceId: 'id-1', isNew: false, dependsOn: [0] }),
      expect.objectContaining({ resourceId: 'id-1', isNew: false, dependsOn: [0] }),
    ]);
  });

  it('to itself adds no dependency', () => {
    expect(readOne(post('x', { manager: 'bulkId:x' }))).toMatchObject({ data: { manager: 'id-1' }, dependsOn: [] });
  });

  it('may refer to an invalid create', () => {
    const { operations } = read([{ method: 'POST', path: '/Users', bulkId: 'ada' }, post('x', { manager: 'bulkId:ada' })]);
    expect(operations).toEqual([expect.objectContaining({ error: expect.anything() }), expect.objectContaining({ dependsOn: [0] })]);
  });

  it('treats names of prototypes as names', () => {
    const given = JSON.parse('{"__proto__":{"isAdmin":"bulkId:ada"},"constructor":{"prototype":1}}') as object;
    const data = dataOf(post('x', given)) as object;
    expect(JSON.stringify(data)).toBe('{"__proto__":{"isAdmin":"id-1"},"constructor":{"prototype":1}}');
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  });
});

const change = (id: string, ...members: string[]) => ({
  method: 'PATCH',
  path: `/Groups/${id}`,
  data: { Operations: [{ op: 'add', path: 'members', value: members.map((name) => ({ value: `bulkId:${name}` })) }] },
});

describe('order', () => {
  const group = (bulkId: string, ...members: string[]) =>
    post(bulkId, { members: members.map((name) => ({ value: `bulkId:${name}` })) }, '/Groups');

  it.each<[string, object[], number[]]>([
    ['is that of the request', [post('a'), group('b', 'a'), change('g-7', 'a')], [0, 1, 2]],
    ['has creates before operations that refer to them', [group('g', 'a', 'b'), post('b'), post('a')], [2, 1, 0]],
    ['has creates before changes of what they create', [change('bulkId:g'), group('g')], [1, 0]],
    ['keeps changes of one resource as they were', [change('g-7', 'a'), change('g-7'), post('a')], [2, 0, 1]],
    ['follows a chain', [group('a', 'b'), group('b', 'c'), group('c', 'd'), post('d')], [3, 2, 1, 0]],
    ['keeps a cycle in its order', [group('a', 'b'), group('b', 'c'), group('c', 'a')], [0, 1, 2]],
    [
      'has the dependencies of a cycle before it, and its dependents after it',
      [change('bulkId:a'), group('b', 'a'), group('a', 'b', 'u'), post('u')],
      [3, 1, 2, 0],
    ],
    ['handles two cycles', [group('a', 'b'), group('c', 'd'), group('b', 'a'), group('d', 'c', 'a')], [0, 2, 1, 3]],
    ['accepts one that refers to itself', [group('a', 'a'), post('b')], [0, 1]],
  ])('%s', (_title, operations, order) => {
    expect(read(operations).order).toEqual(order);
  });

  it('is found quickly for the longest chain, and for a web', () => {
    const started = process.cpuUsage();
    const chain = Array.from({ length: 1000 }, (_, index) => group(`${index}`, ...(index < 999 ? [`${index + 1}`] : [])));
    expect(read(chain).order[0]).toBe(999);
    const names = Array.from({ length: 300 }, (_, index) => `${index}`);
    expect(read(names.map((name) => group(name, ...names))).order).toEqual(names.map(Number));
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(3000);
  });

  it('contains each operation once, after its dependencies, in requests of any kind', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const next = random(seed);
      const count = 1 + Math.floor(next() * 12);
      const operations = Array.from({ length: count }, (_, index) => {
        // References only to earlier ones, in a shuffled order, so that there are no cycles.
        const members = Array.from({ length: count }, (_unused, other) => `${other}`).filter(
          (name) => Number(name) < index && next() < 0.3,
        );
        return group(`${index}`, ...members);
      }).sort(() => next() - 0.5);
      const request = read(operations);
      expect([...request.order].sort((one, other) => one - other)).toEqual(operations.map((_operation, index) => index));
      for (const operation of request.operations as BulkOperation[])
        for (const other of operation.dependsOn) expect(request.order.indexOf(other)).toBeLessThan(request.order.indexOf(operation.index));
    }
  });
});

it('reads paths full of quotation marks quickly', () => {
  const started = process.cpuUsage();
  for (const text of ['"', '\\"', '"\\', ' bulkId:', '"b\\"']) {
    const path = text.repeat(9_990 / text.length);
    const data = { Operations: Array.from({ length: 100 }, () => ({ op: 'remove', path })) };
    read([{ method: 'PATCH', path: '/Groups/g-7', data }]);
  }
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(3000);
});

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

function ops(path: unknown, value?: unknown) {
  return { Operations: [{ op: 'remove', path, ...(value !== undefined && { value }) }] };
}

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

import { expect, it } from '@jest/globals';
import { toBulkResponse } from '../../src/scim/bulk/bulk-response.ts';
import { readBulk } from '../../src/scim/bulk/read-bulk.ts';

const base = 'https://a.test/api/scim/v2.0/d-1';
const rejected = { status: 409, scimType: 'uniqueness', detail: 'The name is taken.' } as const;

const { operations } = readBulk(
  {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
    Operations: [
      { method: 'post', path: '/Users', bulkId: 'ada', data: {} },
      { method: 'PUT', path: '/Users/u 7', data: {} },
      { method: 'PATCH', path: '/Groups/g-7', data: {} },
      { method: 'DELETE', path: '/Users/u-8', bulkId: 'gone' },
      { method: 'POST', path: '/Users', bulkId: 'no data' },
      { method: 'GET', path: '/Users/u-7' },
      { path: '/Users/u-7' },
      { method: 'PUT', path: '/Users/u-7' },
    ],
  },
  { newId: () => 'id-1' },
);
const only = (index: number, outcome: { error?: typeof rejected; version?: number } = {}) =>
  toBulkResponse(base, [{ operation: operations[index]!, ...outcome }]).Operations[0];
const errorBody = (status: string) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status,
  detail: expect.any(String),
});

it.each([
  [
    'a creation',
    only(0, { version: 1 }),
    { method: 'POST', bulkId: 'ada', version: 'W/"1"', location: `${base}/Users/id-1`, status: '201' },
  ],
  ['a replacement', only(1, { version: 4 }), { method: 'PUT', version: 'W/"4"', location: `${base}/Users/u%207`, status: '200' }],
  ['a patch', only(2, { version: 9 }), { method: 'PATCH', version: 'W/"9"', location: `${base}/Groups/g-7`, status: '200' }],
  ['a deletion', only(3), { method: 'DELETE', bulkId: 'gone', location: `${base}/Users/u-8`, status: '204' }],
  [
    'a rejected create, which has no location',
    only(0, { error: rejected }),
    { method: 'POST', bulkId: 'ada', status: '409', response: { ...errorBody('409'), scimType: 'uniqueness' } },
  ],
  [
    'a rejected PATCH',
    only(2, { error: rejected, version: 9 }),
    {
      method: 'PATCH',
      location: `${base}/Groups/g-7`,
      status: '409',
      response: { ...errorBody('409'), scimType: 'uniqueness' },
    },
  ],
  [
    'a creation that could not be read',
    only(4),
    { method: 'POST', bulkId: 'no data', status: '400', response: { ...errorBody('400'), scimType: 'invalidSyntax' } },
  ],
  ['a method that does not exist', only(5), { method: 'GET', status: '400', response: { ...errorBody('400'), scimType: 'invalidSyntax' } }],
  ['no method', only(6), { status: '400', response: { ...errorBody('400'), scimType: 'invalidSyntax' } }],
  [
    'a replacement that could not be read',
    only(7),
    {
      method: 'PUT',
      location: `${base}/Users/u-7`,
      status: '400',
      response: { ...errorBody('400'), scimType: 'invalidSyntax' },
    },
  ],
])('contains %s', (_title, response, expected) => {
  expect(response).toEqual(expected);
  expect(JSON.stringify(response)).not.toContain('null');
});

it('is in the order of the request, and covers only what was started', () => {
  const response = toBulkResponse(
    base,
    [3, 0, 2].map((index) => ({ operation: operations[index]! })),
  );
  expect(response.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:BulkResponse']);
  expect(response.Operations.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'DELETE']);
});

import { expect, it } from '@jest/globals';
import { findDeviation, type HttpExchange } from '../support/find-deviation.ts';

const json = (body: unknown) => ({ contentType: 'application/json; charset=utf-8', text: JSON.stringify(body) });
const counts = { sso_connections: 0, dsync_connections: 1, identity_federation_apps: 0 };
const good: HttpExchange = { method: 'GET', path: '/api/v1/stats', status: 200, ...json({ data: counts, error: null }) };

it('accepts a response that matches the document', () => {
  expect(findDeviation(good)).toBeUndefined();
});

it.each<[string, Partial<HttpExchange>, string]>([
  ['an undocumented field', json({ data: { ...counts, more: 1 }, error: null }), 'must NOT have additional properties'],
  ['a field that is missing', json({ data: { sso_connections: 0 }, error: null }), "must have required property 'dsync_connections'"],
  [
    'a value of another type',
    json({ data: { ...counts, dsync_connections: '1' }, error: null }),
    '/data/dsync_connections must be integer',
  ],
  ['an undocumented status', { status: 418 }, 'stats.get does not document this status'],
  ['another content type', { contentType: 'text/plain' }, 'stats.get does not document the content type text/plain'],
  ['invalid JSON', { text: '{' }, 'it is not JSON'],
  ['an undocumented path', { path: '/api/v1/nothing' }, 'this path and method are not documented'],
  ['an unexpected body', { method: 'DELETE', path: '/api/scim/v2.0/one/Users/two', status: 204 }, 'does not document a body'],
  [
    'an error in the other format',
    { path: '/api/scim/v2.0/one/Users', status: 400, ...json({ data: null, error: { code: 'invalid_request', message: 'No.' } }) },
    'listUsers does not document the content type application/json',
  ],
  [
    'an accepted request that the document does not allow',
    { method: 'POST', path: '/api/v1/stats/product', sent: '{"products":"app"}' },
    'it accepted an undocumented request: /products must be array',
  ],
])('names %s', (_, change, said) => {
  expect(findDeviation({ ...good, ...change })).toContain(said);
});

it('knows the aliases of paths', () => {
  const listed = { ...good, ...json({ data: [], error: null, next_cursor: null }) };
  const paths = ['/api/v1/dsync/all', '/api/v1/dsync/one/scim-requests', '/API/V1/directory-sync/', '/api/v1/limits/decision/a/b'];
  expect(paths.map((path) => findDeviation({ ...listed, path })).map((wrong) => wrong?.includes('are not documented'))).toEqual([
    undefined,
    undefined,
    undefined,
    false,
  ]);
});

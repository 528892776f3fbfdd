import { describe, expect, it } from '@jest/globals';
import { expandPath } from '../../src/limits/path-pattern.ts';
import { createTestLimits } from '../support/limits.ts';

it.each([
  ['/scim/v2/Users', '/scim/v2/users'],
  ['/scim/v2/Users?count=1#x', '/scim/v2/users'],
  ['//scim///v2/Users/', '/scim/v2/users'],
  ['https://example.com/scim/v2/Users', '/scim/v2/users'],
  ['/', '/'],
  ['', '/'],
])('reads %s only as %s', (path, read) => {
  expect(expandPath(path)).toEqual([read]);
});

const ways: [string, string][] = [
  ['in capitals', '/Admin/IDENTITIES'],
  ['with a slash at its end', '/admin/identities/'],
  ['with slashes that are doubled', '//admin///identities//'],
  ['with a dot', '/admin/./identities'],
  ['with two dots', '/admin/x/../identities'],
  ['with two dots at its beginning', '/../admin/identities'],
  ['with an encoded slash', '/admin%2Fidentities'],
  ['with a slash that is encoded twice', '/admin%252fidentities'],
  ['with a slash that is encoded five times', '/admin%252525252fidentities'],
  ['with encoded letters', '/%61dmin/identit%69es'],
  ['with encoded dots', '/admin/x/%2e%2E/identities'],
  ['with a backslash', String.raw`/admin\identities`],
  ['with an encoded backslash', '/admin%5cidentities'],
  ['with parameters', '/admin;a=b/identities;jsessionid=1'],
  ['with a query', '/admin/identities?page=1'],
  ['with an encoded question mark', '/admin/identities%3Fpage=1'],
  ['with full-width letters', `/${encodeURIComponent('ａdmin')}/identities`],
  ['as a whole address', 'http://example.com/admin/identities'],
  ['with a broken encoding behind it', '/admin/identities/%zz/..'],
];

describe('bucket', () => {
  it.each(ways)('is not bypassed by a path %s', async (_, path) => {
    const limits = createTestLimits({ plan: 'developer' });
    expect(await limits.ask({ method: 'GET', path: '/admin/identities' })).toMatchObject({ isAllowed: true });
    expect(await limits.ask({ method: 'GET', path })).toMatchObject({ isAllowed: false, bucket: 'GET /admin/identities' });
  });

  it.each(ways)('is also used up by a path %s', async (_, path) => {
    const limits = createTestLimits({ plan: 'developer' });
    expect(await limits.ask({ method: 'GET', path })).toMatchObject({ isAllowed: true });
    expect(await limits.ask({ method: 'GET', path: '/admin/identities' })).toMatchObject({ isAllowed: false });
  });

  it('is not replaced by a larger one through a path that only some servers resolve', async () => {
    const limits = createTestLimits({ plan: 'developer' });
    for (const path of ['/scim/v2/..%2f..%2fsessions/whoami', '/scim/v2/../../sessions/whoami', '/scim/v2/%2e%2e/%2e%2e/sessions/whoami']) {
      expect(await limits.ask({ path })).toMatchObject({ isAllowed: true });
      expect(await limits.ask({ path: '/scim/v2/Users' })).toMatchObject({ isAllowed: false, bucket: '/scim/**' });
      limits.passMs(1_000);
    }
  });

  it('is the same for HEAD and GET', async () => {
    const limits = createTestLimits({ plan: 'developer' });
    expect(await limits.ask({ method: 'HEAD', path: '/admin/identities' })).toMatchObject({ bucket: 'GET /admin/identities' });
    expect(await limits.ask({ method: 'GET', path: '/admin/identities' })).toMatchObject({ isAllowed: false });
  });

  it('of SCIM applies to the SCIM addresses of this service', async () => {
    const limits = createTestLimits({ plan: 'developer' });
    const path = '/api/scim/v2.0/6f6a5b5e-0000-7000-8000-000000000000/Users';
    expect(await limits.ask({ path })).toMatchObject({ isAllowed: true, bucket: '/scim/**' });
    expect(await limits.ask({ path: '/scim/v2/Users' })).toMatchObject({ isAllowed: false });
    expect(await limits.ask({ isOwn: true, path: '/API//scim%2fv2.0/x' })).toMatchObject({ isAllowed: false, bucket: '/scim/**' });
    expect(await limits.ask({ isOwn: true, path: '/sessions/whoami' })).toMatchObject({ isAllowed: true, bucket: '*' });
  });
});

it.each(['/admin//../identities', '/a%2fb/%2e%2e/admin/identities', '/a/%252e%252e/admin/identities'])(
  'counts %s for /admin/identities too',
  (path) => {
    expect(expandPath(path)).toContain('/admin/identities');
  },
);

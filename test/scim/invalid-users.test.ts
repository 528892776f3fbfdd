import { describe, expect, it } from '@jest/globals';
import { newUser, readUser } from '../../src/scim/user.ts';
import { errorOf } from './error-of.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const schemas = [core];

describe('invalid body', () => {
  it.each<[string, unknown, string]>([
    ['not an object', [], 'invalidSyntax'],
    ['null', null, 'invalidSyntax'],
    ['the schema of a group', { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], userName: 'x' }, 'invalidSyntax'],
    ['an extension alone', { schemas: [enterprise], userName: 'x' }, 'invalidSyntax'],
    ['schemas that are not text', { schemas: [7], userName: 'x' }, 'invalidValue'],
    ['a name twice', { userName: 'x', USERNAME: 'x' }, 'invalidSyntax'],
    ['a part twice', { userName: 'x', name: { givenName: 'a', GivenName: 'b' } }, 'invalidSyntax'],
    ['one attribute in two ways', { userName: 'x', department: 'a', [enterprise]: { department: 'b' } }, 'invalidSyntax'],
    ['one unknown attribute in two ways', { userName: 'x', Shoe: 1, [core]: { shoe: 2 } }, 'invalidSyntax'],
    ['a name that is a number', { userName: 7 }, 'invalidValue'],
    ['an empty name', { userName: ' ' }, 'invalidValue'],
    ['a long name', { userName: 'x'.repeat(501) }, 'invalidValue'],
    ['a long external id', { userName: 'x', externalId: 'x'.repeat(501) }, 'invalidValue'],
    ['a long display name', { userName: 'x', displayName: 'x'.repeat(501) }, 'invalidValue'],
    ['a long address', { userName: 'x', emails: ['x'.repeat(501)] }, 'invalidValue'],
    ['a long path', { userName: 'x', [`emails[value co "${'x'.repeat(500)}"].type`]: 'a' }, 'invalidValue'],
    ['long text', { userName: 'x', title: 'x'.repeat(262_145) }, 'invalidValue'],
    ['long text somewhere', { userName: 'x', shoe: [{ a: 'x'.repeat(262_145) }] }, 'invalidValue'],
    ['an invalid boolean', { userName: 'x', active: 'yes' }, 'invalidValue'],
    ['a flag that is a number', { userName: 'x', active: 1 }, 'invalidValue'],
    ['two flags', { userName: 'x', active: [true, false] }, 'invalidValue'],
    ['a name that is text', { userName: 'x', name: 'Ada' }, 'invalidValue'],
    ['a given name that is a number', { userName: 'x', name: { givenName: 7 } }, 'invalidValue'],
    ['addresses that are text', { userName: 'x', addresses: 'here' }, 'invalidValue'],
    ['e-mail that is a number', { userName: 'x', emails: [7] }, 'invalidValue'],
    ['an address that is an object', { userName: 'x', emails: [{ value: {} }] }, 'invalidValue'],
    ['an invalid primary', { userName: 'x', emails: [{ primary: 'no' }] }, 'invalidValue'],
    ['a title that is a list', { userName: 'x', title: ['a'] }, 'invalidValue'],
    ['two managers', { userName: 'x', manager: ['a', 'b'] }, 'invalidValue'],
    ['an invalid certificate', { userName: 'x', x509Certificates: [{ value: 'é' }] }, 'invalidValue'],
    ['an extension that is text', { userName: 'x', [enterprise]: 'R&D' }, 'invalidValue'],
  ])('is rejected for %s', (_title, body, scimType) => {
    const error = errorOf(() => newUser(readUser(body)));
    expect(error).toMatchObject({ status: 400, scimType });
  });

  it('is rejected if it is too large', () => {
    const entitlements = Array.from({ length: 9 }, (_, index) => ({ value: `${index}`.repeat(130_000) }));
    expect(errorOf(() => readUser({ userName: 'x', entitlements }))).toMatchObject({
      status: 413,
      detail: expect.stringContaining('1048576 bytes'),
    });
    expect(errorOf(() => readUser({ userName: 'x', entitlements: entitlements.slice(1) }))).toBeUndefined();
    expect(errorOf(() => readUser({ userName: 'x', shoe: 'é'.repeat(262_144), lace: 'é'.repeat(262_144) }))).toMatchObject({
      status: 413,
    });
  });

  it('is rejected if it is too deep', () => {
    let shoe: unknown = 1;
    for (let depth = 0; depth < 10_000; depth++) shoe = [shoe];
    for (const name of ['shoe', 'emails', 'urn:example:1.0', enterprise])
      expect(errorOf(() => readUser({ userName: 'x', [name]: name === enterprise ? { shoe } : shoe }))).toMatchObject({ status: 400 });
    let nested: object = { title: 'x' };
    for (let depth = 0; depth < 10_000; depth++) nested = { [core]: nested };
    expect(readUser({ userName: 'x', ...nested })).toEqual({ schemas, userName: 'x' });
  });

  it('is rejected without quoting the value', () => {
    const secret = 'hunter2';
    const body = { userName: 'x', name: secret, active: secret, addresses: secret };
    for (const name of Object.keys(body).slice(1)) {
      const error = errorOf(() => readUser({ userName: 'x', [name]: body[name as keyof typeof body] }));
      expect(error?.detail).not.toContain(secret);
    }
  });
});

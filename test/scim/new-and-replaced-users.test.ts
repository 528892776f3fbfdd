import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/scim/json.ts';
import { newUser, readUser, replaceUser } from '../../src/scim/user.ts';
import { errorOf } from './error-of.ts';

const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];

describe('new user', () => {
  it('is active by default', () => {
    expect(newUser({ userName: 'x' })).toEqual({
      userName: 'x',
      externalId: undefined,
      active: true,
      resource: { userName: 'x', active: true },
    });
    expect(newUser({ userName: 'x', externalId: 'e', active: false })).toMatchObject({ externalId: 'e', active: false });
  });

  it('has a name', () => {
    expect(errorOf(() => newUser({ active: true }))).toMatchObject({
      scimType: 'invalidValue',
    });
  });
});

describe('PUT', () => {
  const current: JsonObject = { schemas, userName: 'x', externalId: 'e', active: false, title: 'Countess' };

  it('keeps `active` and the external ID if it omits them', () => {
    expect(replaceUser(current, readUser({ userName: 'y', emails: null }))).toEqual({
      userName: 'y',
      externalId: 'e',
      active: false,
      resource: { schemas, userName: 'y', externalId: 'e', active: false },
    });
    expect(replaceUser(current, readUser({ userName: 'y', active: true, externalId: 'f' }))).toMatchObject({
      externalId: 'f',
      active: true,
    });
    expect(current).toEqual({ schemas, userName: 'x', externalId: 'e', active: false, title: 'Countess' });
  });

  it('of what Okta has read changes nothing', () => {
    const shown = { ...current, id: '1', meta: { version: 'W/"1"' }, groups: [{ value: 'g' }] };
    expect(replaceUser(current, readUser(shown)).resource).toEqual(current);
  });

  it('requires the name', () => {
    expect(errorOf(() => replaceUser(current, readUser({ title: 'x' })))).toMatchObject({ scimType: 'invalidValue' });
  });
});

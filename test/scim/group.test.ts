import { describe, expect, it } from '@jest/globals';
import { newGroup, readGroup, replaceGroup } from '../../src/scim/group.ts';
import { errorOf } from './error-of.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const schemas = [core];

describe('body of a group', () => {
  it.each<[string, object, object]>([
    [
      'Entra, without members',
      {
        schemas: [core, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
        externalId: 'o',
        displayName: 'x',
        meta: { resourceType: 'Group' },
      },
      { resource: { schemas, externalId: 'o', displayName: 'x' }, members: undefined },
    ],
    ['Okta', { schemas, displayName: 'x', members: [] }, { resource: { schemas, displayName: 'x' }, members: [] }],
    [
      'members as objects',
      {
        schemas,
        displayName: 'x',
        MEMBERS: [
          { value: '1', $ref: null, display: 'Ada', type: 'User' },
          { VALUE: '2', display: '' },
        ],
      },
      { resource: { schemas, displayName: 'x' }, members: [{ value: '1', display: 'Ada' }, { value: '2' }] },
    ],
    [
      'members as strings, some of them twice',
      { displayName: 'x', members: ['1', { value: '1', display: 'Ada' }, null, '2'] },
      { resource: { schemas, displayName: 'x' }, members: [{ value: '1' }, { value: '2' }] },
    ],
    ['one member', { displayName: 'x', members: { value: '1' } }, { resource: { schemas, displayName: 'x' }, members: [{ value: '1' }] }],
    ['members under their URN', { displayName: 'x', [`${core}:members`]: '1' }, { members: [{ value: '1' }] }],
    ['members that are null', { displayName: 'x', members: null }, { members: undefined }],
    [
      'unknown attributes',
      { displayName: 'x', shoe: null, password: 'y', id: '7' },
      { resource: { schemas, displayName: 'x', shoe: null } },
    ],
  ])('is rejected with %s', (_title, body, read) => {
    expect(readGroup(body)).toMatchObject(read);
    for (const name of ['members', 'password', 'id', 'meta']) expect(readGroup(body).resource).not.toHaveProperty(name);
  });

  it.each<[string, unknown, string]>([
    ['a user', { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], displayName: 'x' }, 'invalidSyntax'],
    ['no name', { schemas }, 'invalidValue'],
    ['an empty name', { displayName: '' }, 'invalidValue'],
    ['a long name', { displayName: 'x'.repeat(501) }, 'invalidValue'],
    ['a member without value', { displayName: 'x', members: [{ $ref: 'x' }] }, 'invalidValue'],
    ['a member with an empty one', { displayName: 'x', members: [''] }, 'invalidValue'],
    ['a long one', { displayName: 'x', members: ['x'.repeat(501)] }, 'invalidValue'],
    ['a number', { displayName: 'x', members: [7] }, 'invalidValue'],
    ['an invalid display', { displayName: 'x', members: [{ value: '1', display: 7 }] }, 'invalidValue'],
  ])('is rejected for %s', (_title, body, scimType) => {
    const error = errorOf(() => newGroup(readGroup(body).resource));
    expect(error).toMatchObject({ status: 400, scimType });
  });
});

it('a group has the attributes of its resource', () => {
  const resource = { schemas, displayName: 'x', externalId: '' };
  expect(newGroup(resource)).toEqual({ displayName: 'x', externalId: undefined, resource });
});

it('a PUT of a group keeps the external ID if it omits it', () => {
  const current = { schemas, displayName: 'x', externalId: 'e', shoe: 1 };
  expect(replaceGroup(current, readGroup({ displayName: 'y' }).resource)).toEqual({
    displayName: 'y',
    externalId: 'e',
    resource: { schemas, displayName: 'y', externalId: 'e' },
  });
});

import { describe, expect, it } from '@jest/globals';
import type { AttributePath } from '../../../src/scim/schema/attribute.ts';
import { findAttribute, resolvePath } from '../../../src/scim/schema/resolve-path.ts';
import { groupType, userType } from '../../../src/scim/schema/resource-types.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

describe('name', () => {
  it.each<[string, AttributePath | undefined]>([
    ['USERNAME', { attribute: 'userName' }],
    ['name.GIVENNAME', { attribute: 'name', sub: 'givenName' }],
    ['externalid', { attribute: 'externalId' }],
    ['meta.LastModified', { attribute: 'meta', sub: 'lastModified' }],
    ['emails.$ref', { attribute: 'emails', sub: '$ref' }],
    ['groups.$REF', { attribute: 'groups', sub: '$ref' }],
    // Extension attributes without the URN.
    ['Department', { extension: enterprise, attribute: 'department' }],
    ['manager.VALUE', { extension: enterprise, attribute: 'manager', sub: 'value' }],
    // With a URN, which contains a dot.
    [`${core}:username`, { attribute: 'userName' }],
    [`${core.toUpperCase()}:name.givenname`, { attribute: 'name', sub: 'givenName' }],
    [core, undefined],
    [`${core}:`, undefined],
    [enterprise.toUpperCase(), { extension: enterprise }],
    [`${enterprise}:MANAGER.displayname`, { extension: enterprise, attribute: 'manager', sub: 'displayName' }],
    [`${enterprise}:Shoe`, { extension: enterprise, attribute: 'Shoe' }],
    [`${enterprise}s:shoe`, { extension: `${enterprise}s`, attribute: 'shoe' }],
    ['urn:example:shop:2.0:User:shoe.size', { extension: 'urn:example:shop:2.0:User', attribute: 'shoe', sub: 'size' }],
    ['urn:scim:schemas:core:1.0:userName', { attribute: 'userName' }],
    ['urn:scim:schemas:extension:enterprise:1.0:department', { extension: enterprise, attribute: 'department' }],
    ['urn:scim:schemas:extension:enterprise:1.0', { extension: enterprise }],
    // Unknown attributes.
    ['ShoeSize', { attribute: 'ShoeSize' }],
    ['shoe_size-eu', { attribute: 'shoe_size-eu' }],
    ['__proto__', { attribute: '__proto__' }],
    ['constructor.prototype', { attribute: 'constructor', sub: 'prototype' }],
    // Invalid names.
    ['', undefined],
    ['9lives', undefined],
    ['a.b.c', undefined],
    ['a b', undefined],
    ['a.', undefined],
    ['.a', undefined],
    ['urn:', undefined],
    [`${enterprise}:a b`, undefined],
  ])('is resolved: %s', (text, path) => {
    expect(resolvePath(text, userType)).toEqual(path);
  });

  it('may mean another attribute in another type', () => {
    expect(resolvePath('MEMBERS.value', groupType)).toEqual({ attribute: 'members', sub: 'value' });
    expect(resolvePath('department', groupType)).toEqual({ attribute: 'department' });
    expect(resolvePath('MEMBERS.value', userType)).toEqual({ attribute: 'MEMBERS', sub: 'value' });
  });
});

describe('attribute definition', () => {
  it.each<[string, object | undefined]>([
    ['userName', { name: 'userName', required: true, caseExact: false, uniqueness: 'server' }],
    ['externalId', { caseExact: true }],
    ['id', { caseExact: true, mutability: 'readOnly' }],
    ['password', { mutability: 'writeOnly', returned: 'never' }],
    ['groups', { mutability: 'readOnly', multiValued: true }],
    ['emails.primary', { type: 'boolean', multiValued: false }],
    ['x509Certificates.value', { type: 'binary' }],
    ['manager.value', { caseExact: true, type: 'string' }],
    [enterprise, undefined],
    ['emails.shoe', undefined],
    ['toString', undefined],
    ['emails.constructor', undefined],
  ])('is found for %s', (text, definition) => {
    const found = findAttribute(resolvePath(text, userType)!, userType);
    expect(found && { ...found, ...definition }).toEqual(definition && found);
  });

  it('requires a name of each group', () => {
    expect(findAttribute({ attribute: 'displayName' }, groupType)).toMatchObject({ required: true });
    expect(findAttribute({ attribute: 'displayName' }, userType)).toMatchObject({ required: false });
  });
});

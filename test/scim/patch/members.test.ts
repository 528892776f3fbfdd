import { describe, expect, it } from '@jest/globals';
import { applyPatch } from '../../../src/scim/patch/apply-patch.ts';
import { groupType } from '../../../src/scim/schema/resource-types.ts';
import { patchGroup } from '../../../src/scim/group.ts';
import { errorOf } from '../error-of.ts';
import { membersOf, operationsOf } from './patch.ts';
import type { MemberChange } from '../../../src/scim/patch/operation.ts';

const urn = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const add = (...values: string[]): MemberChange => ({ kind: 'add', members: values.map((value) => ({ value })) });
const remove = (...values: string[]): MemberChange => ({ kind: 'remove', values });
const replace = (...values: string[]): MemberChange => ({ kind: 'replace', members: values.map((value) => ({ value })) });
const eq = (value: string) => ({ kind: 'compare', path: { attribute: 'value' }, operator: 'eq', value });

describe('members of a group', () => {
  it.each<[string, unknown, unknown[]]>([
    ['Entra, adding', { op: 'Add', path: 'members', value: [{ $ref: null, value: '1' }] }, [add('1')]],
    ['Entra, removing', { op: 'Remove', path: 'members', value: [{ $ref: null, value: '1' }] }, [remove('1')]],
    ['Entra with the flag, removing', { op: 'remove', path: 'members[value eq "1"]' }, [remove('1')]],
    [
      'Okta, adding',
      { op: 'add', path: 'members', value: [{ value: '1', display: 'u@x' }] },
      [{ kind: 'add', members: [{ value: '1', display: 'u@x' }] }],
    ],
    ['Okta, all of them', { op: 'replace', path: 'members', value: [{ value: '1' }, { value: '2' }] }, [replace('1', '2')]],
    ['one', { op: 'add', path: 'members', value: { value: '1' } }, [add('1')]],
    ['text', { op: 'add', path: 'members', value: '1' }, [add('1')]],
    ['strings, some of them twice', { op: 'add', path: 'members', value: ['1', '2', '1'] }, [add('1', '2')]],
    ['their values', { op: 'add', path: 'members.value', value: ['1'] }, [add('1')]],
    ['under their URN', { op: 'add', path: `${urn}:Members`, value: ['1'] }, [add('1')]],
    ['without a path', { op: 'add', value: { Members: ['1'] } }, [add('1')]],
    [
      'authentik, the whole group',
      { op: 'replace', value: { schemas: [urn], displayName: 'x', members: [{ value: '1' }] } },
      [replace('1')],
    ],
    ['replaced with none', { op: 'replace', path: 'members', value: [] }, [replace()]],
    ['replaced with none, as null', { op: 'replace', path: 'members', value: null }, [replace()]],
    ['adding no members', { op: 'add', path: 'members', value: [] }, []],
    ['all removed', { op: 'remove', path: 'members' }, [replace()]],
    ['removing no members', { op: 'Remove', path: 'members', value: [] }, []],
    ['removing no members, as null', { op: 'remove', path: 'members', value: null }, []],
    ['removing, without a path', { op: 'remove', value: { members: [{ value: '1' }] } }, [remove('1')]],
    ['Salesforce, removing', { op: 'remove', path: 'members', value: { members: [{ value: '1' }, '2'] } }, [remove('1', '2')]],
    ['OneLogin, removing one', { op: 'remove', path: 'members', value: { value: '1' } }, [remove('1')]],
    ['several by a filter', { op: 'remove', path: 'members[value eq "1" or (value eq "2" or value eq "1")]' }, [remove('1', '2')]],
    ['the value of one', { op: 'remove', path: 'members[value eq "1"].value' }, [remove('1')]],
    [
      'those of a type',
      { op: 'remove', path: 'members[type eq "Group"]' },
      [{ kind: 'removeMatching', filter: { kind: 'compare', path: { attribute: 'type' }, operator: 'eq', value: 'Group' } }],
    ],
    [
      'those that are not one',
      { op: 'remove', path: 'members[not (value eq "1")]' },
      [{ kind: 'removeMatching', filter: { kind: 'not', term: eq('1') } }],
    ],
    ['one instead of another', { op: 'replace', path: 'members[value eq "1"]', value: { value: '2' } }, [remove('1'), add('2')]],
    ['another name for a member', { op: 'replace', path: 'members[value eq "1"].display', value: 'x' }, []],
    ['no other name for members', { op: 'remove', path: 'members.display' }, []],
  ])('are changed as requested: %s', (_title, operation, changes) => {
    expect(membersOf(operation)).toEqual(changes);
  });

  it('change in the order of the operations', () => {
    expect(
      membersOf(
        { op: 'remove', path: 'members[value eq "1"]' },
        { op: 'add', path: 'members', value: ['1'] },
        { op: 'remove', path: 'members' },
      ),
    ).toEqual([remove('1'), add('1'), replace()]);
  });

  it('are not part of the resource', () => {
    const group = { schemas: [urn], displayName: 'x' };
    const operations = operationsOf(
      [
        { op: 'replace', value: { id: '7', displayName: 'y', members: ['1'], externalId: 'e' } },
        { op: 'add', path: 'members', value: ['2'] },
      ],
      groupType,
    );
    expect(patchGroup(group, operations)).toEqual({
      displayName: 'y',
      externalId: 'e',
      resource: { schemas: [urn], displayName: 'y', externalId: 'e' },
    });
    expect(applyPatch(group, operationsOf([{ op: 'replace', value: { id: '7', displayName: 'x' } }], groupType), groupType)).toEqual(group);
  });

  it.each<[unknown, string]>([
    [{ op: 'add', path: 'members' }, 'invalidValue'],
    [{ op: 'replace', path: 'members' }, 'invalidValue'],
    [{ op: 'add', path: 'members', value: [{ display: 'x' }] }, 'invalidValue'],
    [{ op: 'remove', path: 'members', value: [{ $ref: 'x' }] }, 'invalidValue'],
    [{ op: 'add', path: 'members', value: 7 }, 'invalidValue'],
    [{ op: 'remove', path: 'displayName' }, 'mutability'],
    [{ op: 'replace', value: { displayName: null } }, 'mutability'],
    [{ op: 'replace', value: { displayName: '' } }, 'invalidValue'],
  ])('%j is rejected', (operation, scimType) => {
    const error = errorOf(() => operationsOf([operation], groupType));
    expect(error).toMatchObject({ status: 400, scimType });
  });
});

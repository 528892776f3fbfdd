import { describe, expect, it } from '@jest/globals';
import {
  createNamedGroups,
  isSameRoles,
  maxRoles,
  presentRoles,
  toGroupRoles,
  toShownRoles,
} from '../../../src/directory/roles/compute-roles.ts';
import { type RequestedRoleTable, toRoleTable } from '../../../src/directory/roles/role-table.ts';
import { storedGroup } from '../../support/decide.ts';

const rows = [
  { groupName: 'Admins', role: 'admin' },
  { groupName: 'Editors', role: 'editor' },
  { groupName: 'Owners', role: 'admin' },
];
const tableOf = (given: Partial<RequestedRoleTable> = {}) => toRoleTable({ groups: rows, ...given });
const shown = (given: Partial<RequestedRoleTable>, groupRoles: string[], roles?: unknown) =>
  toShownRoles(tableOf(given), { groupRoles, resource: { userName: 'ada', ...(roles !== undefined && { roles }) } });

describe('the roles of groups', () => {
  it('come in the order of the rows, whatever order they were found in, each once', () => {
    expect(toGroupRoles(tableOf(), [2, 1, 0])).toEqual(['admin', 'editor']);
  });
  it('come in the order of priorities', () => {
    const groups = rows.map((row, index) => ({ ...row, priority: 30 - index }));
    expect(tableOf({ groups }).groups.map(({ groupName }) => groupName)).toEqual(['Owners', 'Editors', 'Admins']);
  });
  it('ignore places that the table does not have', () => {
    expect(toGroupRoles(tableOf(), [7])).toEqual([]);
  });
  it('have a limit: the weakest are left out', () => {
    const groups = Array.from({ length: maxRoles + 1 }, (_, n) => ({ groupName: `g${n}`, role: `r${n}` }));
    expect(toGroupRoles(tableOf({ groups }), [...groups.keys()])).toEqual(groups.slice(0, maxRoles).map(({ role }) => role));
  });
});

describe('what is shown', () => {
  it.each<[string, Partial<RequestedRoleTable>, string[], unknown, string[]]>([
    ['the strongest role', {}, ['admin', 'editor'], undefined, ['admin']],
    ['all roles', { multiple: true }, ['admin', 'editor'], undefined, ['admin', 'editor']],
    ['the default role without another', { defaultRole: 'guest' }, [], ['pushed'], ['guest']],
    ['no default role with another', { defaultRole: 'guest' }, ['editor'], undefined, ['editor']],
    ['none', {}, [], ['pushed'], []],
    ['a pushed role if no group gives one', { pushedRoles: 'include', defaultRole: 'guest' }, [], ['a', 'b'], ['a']],
    ['no pushed role if a group gives one', { pushedRoles: 'include' }, ['editor'], ['a'], ['editor']],
    [
      'pushed roles after those of groups, each once',
      { pushedRoles: 'include', multiple: true },
      ['editor'],
      ['a', 'editor'],
      ['editor', 'a'],
    ],
    ['pushed text with commas', { pushedRoles: 'include', multiple: true }, [], 'a, b', ['a', 'b']],
    ['the values of pushed objects', { pushedRoles: 'include', multiple: true }, [], [{ value: 'a' }, { display: 'b' }], ['a']],
    ['one pushed object', { pushedRoles: 'include' }, [], { value: 'a' }, ['a']],
    ['no pushed role that is too long', { pushedRoles: 'include', defaultRole: 'guest' }, [], ['x'.repeat(65)], ['guest']],
  ])('is %s', (_, given, groupRoles, pushed, expected) => {
    expect(shown(given, groupRoles, pushed)).toEqual(expected);
  });

  it('of a user that was pushed in another form, is what was pushed', () => {
    const table = tableOf({ pushedRoles: 'include', multiple: true });
    expect(toShownRoles(table, { resource: { roles: [{ value: 'a,b' }] }, pushed: { set: { roles: 'a,b' } } })).toEqual(['a', 'b']);
  });
});

it('shows pushed roles as Polis without a table, and a role with one', () => {
  expect(presentRoles(undefined, {})).toEqual({});
  expect(presentRoles(undefined, { roles: 'a,b' })).toEqual({ roles: ['a', 'b'] });
  expect(presentRoles([], { roles: 'a,b' })).toEqual({ role: null, roles: [] });
  expect(presentRoles(['a', 'b'], {})).toEqual({ role: 'a', roles: ['a', 'b'] });
});

it.each([
  [[], {}, true],
  [['a'], {}, false],
  // The role was not shown before.
  [['a'], { roles: ['a'] }, false],
  [[], { roles: ['a'] }, false],
])('%j is the same as without a table for %j: %j', (roles, pushed, isSame) => {
  const resource = { userName: 'ada', ...pushed };
  expect(isSameRoles({ resource }, { resource, roles })).toBe(isSame);
  expect(isSameRoles({ resource, roles }, { resource })).toBe(isSame);
});

it('finds groups by key, and by name ignoring case and forms of accents', () => {
  const group = storedGroup({ displayName: 'ME\u0301TIER' });
  const { placesOf } = createNamedGroups(
    tableOf({
      groups: [
        { groupName: 'métier', role: 'a' },
        { groupId: group.id, role: 'b' },
        { groupName: 'Other', role: 'c' },
      ],
    }),
  );
  expect(new Set(placesOf(group))).toEqual(new Set([0, 1]));
  expect(placesOf(storedGroup({ displayName: 'Metier' }))).toEqual([]);
});

import { expect, it } from '@jest/globals';
import { toRoleTable } from '../../../src/directory/roles/role-table.ts';
import { decide, mutationOf, storedUser } from '../../support/decide.ts';

const roleTable = toRoleTable({ groups: [{ groupName: 'Admins', role: 'admin' }], multiple: true, pushedRoles: 'include' });

it('tells the roles of a user that is pushed in another form, if they change, and nothing without a table', async () => {
  const ada = { ...storedUser({ roles: [{ value: 'a,b' }] }), roles: ['a,b'] };
  const replace = mutationOf({
    kind: 'replaceUser',
    resourceId: ada.id,
    resource: ada.resource,
    pushed: { set: { roles: 'a,b' } },
  });
  const withTable = (await decide([replace], { users: [ada], roleTable })).writes;
  expect(withTable.users.updated.map(({ row }) => row.roles)).toEqual([['a', 'b']]);
  expect(withTable.events).toMatchObject([{ type: 'user.updated', data: { role: 'a', roles: ['a', 'b'] } }]);
  const { writes } = await decide([replace], { users: [{ ...ada, roles: undefined }] });
  expect(writes.users.updated).toHaveLength(1);
  expect(writes.events).toEqual([]);
});

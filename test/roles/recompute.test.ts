import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createNamedGroups, toGroupRoles, toShownRoles } from '../../src/directory/roles/compute-roles.ts';
import { type RequestedRoleTable, toRoleTable } from '../../src/directory/roles/role-table.ts';
import { push } from '../support/inactive-users.ts';
import { rolesPath, untilRolesComputed } from '../support/roles.ts';
import { createSeededRandom } from '../support/seed.ts';
import { shareTestService, type TestService } from '../support/service.ts';
import { readFeed } from '../support/snapshots.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const names = ['Admins', 'Staff', 'Guests', 'Others'];
const row = (groupName: string, role: string) => ({ groupName, role });
const tables: RequestedRoleTable[] = [
  { groups: [row('admins', 'admin'), row('Staff', 'member')], multiple: true },
  { groups: [row('Guests', 'guest'), row('Admins', 'admin')], defaultRole: 'none' },
  { groups: [row('Others', 'a'), row('Staff', 'b'), row('Admins', 'a')], multiple: true, pushedRoles: 'include' },
];
const toBody = ({ groups, defaultRole, multiple, pushedRoles }: RequestedRoleTable) => ({
  groups: groups.map(({ groupName, role }) => ({ group_name: groupName, role })),
  default_role: defaultRole,
  multiple,
  pushed_roles: pushedRoles,
});

it('ends with what a fresh computation has, and the feed with it, whatever is pushed meanwhile', async () => {
  const random = createSeededRandom();
  const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!;
  const directory = await service.createDirectory({ type: 'okta-scim-v2' });
  const document = (n: number) => ({ userName: `user-${n}`, ...(random.below(2) > 0 && { roles: [{ value: pick(['x', 'y']) }] }) });
  const users = await Promise.all(Array.from({ length: 40 }, (_, n) => push(directory, '/Users', document(n))));
  const groups = await Promise.all(names.map((displayName) => push(directory, '/Groups', { displayName })));
  const someMembers = () => Array.from({ length: 1 + random.below(6) }, () => ({ value: pick(users) }));
  const change = () => {
    const path = `/Groups/${pick(groups)}`;
    const patch = (...Operations: object[]) => directory.scim('PATCH', path, { Operations });
    switch (random.below(5)) {
      case 0:
        // Another group may have the name.
        return patch({ op: 'replace', path: 'displayName', value: `${pick(names)}${pick(['', ' 2', ' 3'])}` });
      case 1:
        return patch({ op: 'replace', path: 'members', value: someMembers() });
      case 2:
        return patch({ op: 'remove', path: `members[value eq "${pick(users)}"]` });
      case 3: {
        const n = random.below(users.length);
        return directory.scim('PUT', `/Users/${users[n]}`, document(n));
      }
      default:
        return patch({ op: 'add', path: 'members', value: someMembers() });
    }
  };
  let table = tables[0]!;
  for (let round = 0; round < 5; round += 1) {
    if (round % 2 === 0) table = pick(tables);
    const stored = service.api('PUT', rolesPath(directory.id), toBody(table));
    const changed = await Promise.all(Array.from({ length: 25 }, change));
    for (const { status } of changed) expect([200, 204, 409]).toContain(status);
    expect((await stored).status).toBe(200);
  }
  await untilRolesComputed(service, directory.id);

  const stored = toRoleTable(table);
  const { placesOf } = createNamedGroups(stored);
  const places = new Map<string, number[]>();
  const groupRows = new Map((await service.db('groups').where({ directory_id: directory.id })).map((group) => [group.id, group]));
  for (const { group_id: id, member_id: member } of await service.db('group_members').where({ directory_id: directory.id })) {
    const found = placesOf({ id, displayName: groupRows.get(id).display_name });
    places.set(member, [...(places.get(member) ?? []), ...found]);
  }
  const rows = await service.db('users').where({ directory_id: directory.id }).orderBy('id');
  const fresh = rows.map(({ id, resource }): [string, string[]] => [
    id,
    toShownRoles(stored, { resource, groupRoles: toGroupRoles(stored, places.get(id) ?? []) }),
  ]);
  expect(rows.map(({ id, roles }) => [id, roles])).toEqual(fresh);

  const latest = new Map<string, unknown>();
  /** Whoever is told by a recomputation sees other roles than before. */
  const told: boolean[] = [];
  for (const { event, reason, data } of await readFeed(service, directory.id, '')) {
    if (!event.startsWith('user.')) continue;
    const shown = [data.role ?? null, data.roles ?? []];
    if (reason === 'mapping') told.push(JSON.stringify(shown) !== JSON.stringify(latest.get(data.id)));
    latest.set(data.id, shown);
  }
  expect(told.length).toBeGreaterThan(0);
  expect(told).not.toContain(false);
  expect(latest).toEqual(new Map(fresh.map(([id, roles]) => [id, [roles[0] ?? null, roles]])));
});

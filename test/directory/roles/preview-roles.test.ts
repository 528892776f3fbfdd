import { expect, it } from '@jest/globals';
import { createPreviewRoles } from '../../../src/directory/roles/preview-roles.ts';
import { toRoleTable } from '../../../src/directory/roles/role-table.ts';
import { newId } from '../../../src/ids.ts';
import { storedUser } from '../../support/decide.ts';

const table = toRoleTable({ groups: [{ groupName: 'Admins', role: 'admin' }], defaultRole: 'guest' });
const directory = { hiding: undefined, table, groups: new Map(), users: 4_000, recompute: undefined };

/** A directory that has this user very often, of whom every second one is an administrator. */
function endless() {
  const user = storedUser();
  const asked: number[] = [];
  const preview = createPreviewRoles({
    store: {
      findGroups: () => Promise.resolve(new Map()),
      findPlaces: (_directory, _table, ids) => {
        asked.push(ids.length);
        return Promise.resolve(new Map(ids.filter((_, index) => index % 2 === 0).map((id) => [id, [0]])));
      },
    },
    users: {
      listAcross: (_directories, { page }) =>
        Promise.resolve({
          resources: Array.from({ length: page.limit }, () => ({
            ...user,
            id: newId(),
            roles: ['guest'],
            directoryId: newId(),
            groups: [],
          })),
          next: { directoryId: newId(), id: user.id, at: 0 },
        }) as never,
    },
  });
  return { preview, asked };
}

it('looks at the newest 1,000 users, whose groups it reads by the page, and says how many of all would change', async () => {
  const { preview, asked } = endless();
  const found = await preview(newId(), directory, { limit: 1, signal: new AbortController().signal });
  expect(found).toMatchObject({ checked: 1_000, changed: 500, estimated: 2_000, isPartial: true, unmatched: [0] });
  expect([asked.length, found.samples.map(({ roles }) => roles.roles)]).toEqual([10, [['admin']]]);
});

it('looks at as many without a table, and reads no groups', async () => {
  const { preview, asked } = endless();
  const found = await preview(newId(), { ...directory, table: undefined }, { limit: 1, signal: new AbortController().signal });
  expect(found).toMatchObject({ checked: 1_000, changed: 1_000, estimated: 4_000, isPartial: true, unmatched: [] });
  expect([asked, found.samples]).toMatchObject([[], [{ roles: {}, former: { role: 'guest', roles: ['guest'] } }]]);
});

it('ends when the caller leaves', async () => {
  const { preview, asked } = endless();
  await expect(preview(newId(), directory, { limit: 1, signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  expect(asked.length).toBeLessThan(2);
});

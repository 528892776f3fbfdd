import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { PageRequest, RowPosition } from '../../../src/directory/page.ts';
import type { UserFilter } from '../../../src/directory/ports.ts';
import { newId } from '../../../src/ids.ts';
import { createGroupStore } from '../../../src/store/groups/group-store.ts';
import { createUserStore } from '../../../src/store/users/user-store.ts';
import { createManyUsers } from '../../support/create-many-users.ts';
import { fillInactive } from '../../support/inactive-users.ts';
import { cloneDatabase } from '../../support/database.ts';
import { addAllUsers } from '../../support/memberships.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';

const [directoryId, groupId] = [newId(), newId()];
let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase();
  const { db } = database;
  await db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  await createManyUsers(db, directoryId, 200_000);
  const times = { created_at: new Date(), updated_at: new Date() };
  await db('groups').insert({ directory_id: directoryId, id: groupId, display_name: 'g', display_name_key: 'g', resource: {}, ...times });
  await addAllUsers(db, directoryId, groupId);
  await db('users')
    .where({ user_name: 'user7' })
    .update({ active: false, updated_at: new Date('2999-01-01') });
  await db.raw('analyze');
});
afterAll(() => database.drop());

/** The plan of the statements that `read` runs, and what they find. */
async function planOf<Found extends { resources: object[] }>(read: () => Promise<Found>, explain = 'explain') {
  const { db } = database;
  const plans: string[] = [];
  const statements: { sql: string; bindings: unknown[] }[] = [];
  const note = ({ sql, bindings }: { sql: string; bindings: unknown[] }) => void statements.push({ sql, bindings });
  db.on('query', note);
  const found = await read();
  db.removeListener('query', note);
  const client = await db.client.acquireConnection();
  for (const { sql, bindings } of statements) {
    const { rows } = await client.query(`${explain} ${sql}`, bindings);
    plans.push(...rows.map((row: Record<string, string>) => row['QUERY PLAN']));
  }
  await db.client.releaseConnection(client);
  return { ...found, found: found.resources.length, plan: plans.join('\n') };
}

it('finds users and groups by an index among 200,000', async () => {
  const users = createUserStore(unlimitedReads(database.db));
  const groups = createGroupStore(unlimitedReads(database.db));
  const user = (await users.listAcross([directoryId], { page: { offset: 0, limit: 1 }, filter: { userName: 'user7' } })).resources[0]!;
  const group = { id: groupId, directoryId };
  const cases: [UserFilter, index: string, found: number][] = [
    [{ email: 'user9@example.com' }, 'user_emails_pkey', 1],
    [{ userName: 'USER9' }, 'users_by_user_name', 1],
    [{ idpId: 'E9' }, 'users_by_external_id', 1],
    [{ isActive: false }, 'users_inactive_in_order', 1],
    [{ updatedAfter: new Date('2998-01-01') }, 'users_by_state', 1],
    [{ group }, 'group_members', 10],
    [{ isActive: true }, 'users_', 10],
    [{}, 'users_', 10],
  ];
  for (const [filter, index, found] of cases) {
    const read = await planOf(() => users.listAcross([directoryId], { page: { offset: 0, limit: 10 }, filter }));
    expect({ filter, found: read.found }).toEqual({ filter, found });
    expect(read.plan).toContain(index);
    expect(filter.group ?? !read.plan.includes('Seq Scan on users')).toBeTruthy();
  }
  const read = await planOf(() =>
    groups.listAcross([directoryId], { page: { offset: 0, limit: 10 }, filter: { user: { id: user.id, directoryId } } }),
  );
  expect(read.found).toBe(1);
  expect(read.plan).toContain('group_members_by_member');
});

it('reads a page of many matches without reading or sorting all of them', async () => {
  const { db } = database;
  const [many, all] = [newId(), newId()];
  await db('directories').insert({ id: many, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  // Half of the users are inactive, in no order.
  await fillInactive({ db }, many, 200_000, 'abs(hashtext(cast(n as text))) % 2 = 0');
  const times = { created_at: new Date(), updated_at: new Date() };
  await db('groups').insert({ directory_id: many, id: all, display_name: 'g', display_name_key: 'g', resource: {}, ...times });
  await addAllUsers(db, many, all);
  await db.raw('vacuum (analyze) users, group_members');
  const users = createUserStore(unlimitedReads(db));
  const group = { id: all, directoryId: many };
  const updatedAfter = new Date(0);
  const filters: UserFilter[] = [
    { isActive: false },
    { isActive: false, updatedAfter },
    { updatedAfter },
    { group },
    { group, isActive: false },
  ];
  for (const filter of filters) {
    let page: PageRequest<RowPosition> = { offset: 0, limit: 100 };
    for (const part of ['first', 'next']) {
      const read = await analyze(() => users.listAcross([many], { page, filter }));
      expect({ filter, part, found: read.found }).toEqual({ filter, part, found: 100 });
      expect({ filter, part, read: read.mostRows <= 5_001 }).toEqual({ filter, part, read: true });
      page = { after: read.next!, limit: 100 };
    }
  }
  // The order is the same in both ways to find a page.
  const inOrder = await users.listAcross([many], { page: { offset: 0, limit: 200 }, filter: { isActive: false } });
  const again = await users.listAcross([many], { page: { offset: 0, limit: 200 }, filter: { isActive: false, group } });
  expect(again.resources.map(({ id }) => id)).toEqual(inOrder.resources.map(({ id }) => id));
});

/** The most rows that a step of the plans returned, over all its loops. */
async function analyze<Found extends { resources: object[]; next?: RowPosition | undefined }>(read: () => Promise<Found>) {
  const { resources, next, plan } = await planOf(read, 'explain (analyze, timing off)');
  const rows = [...plan.matchAll(/actual rows=([\d.]+) loops=(\d+)/g)].map(([, count, loops]) => Number(count) * Number(loops));
  expect(rows.length).toBeGreaterThan(0);
  const removed = [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, count]) => Number(count));
  return { found: resources.length, next, mostRows: Math.max(...rows, ...removed) };
}

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { UserFilter } from '../../../src/directory/ports.ts';
import { newId } from '../../../src/ids.ts';
import { createGroupStore } from '../../../src/store/groups/group-store.ts';
import { createUserStore } from '../../../src/store/users/user-store.ts';
import { createManyUsers } from '../../support/create-many-users.ts';
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
async function planOf(read: () => Promise<{ resources: object[] }>) {
  const { db } = database;
  const plans: string[] = [];
  const statements: { sql: string; bindings: unknown[] }[] = [];
  const note = ({ sql, bindings }: { sql: string; bindings: unknown[] }) => void statements.push({ sql, bindings });
  db.on('query', note);
  const { resources } = await read();
  db.removeListener('query', note);
  const client = await db.client.acquireConnection();
  for (const { sql, bindings } of statements) {
    const { rows } = await client.query(`explain ${sql}`, bindings);
    plans.push(...rows.map((row: Record<string, string>) => row['QUERY PLAN']));
  }
  await db.client.releaseConnection(client);
  return { found: resources.length, plan: plans.join('\n') };
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
    [{ isActive: false }, 'users_by_state', 1],
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

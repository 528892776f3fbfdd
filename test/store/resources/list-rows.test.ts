import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ResourceQuery } from '../../../src/directory/ports.ts';
import { parseFilter } from '../../../src/scim/filter/parse-filter.ts';
import type { ResourceTypeName } from '../../../src/scim/schema/attribute.ts';
import { groupListing, listRows, readPage, userListing } from '../../../src/store/resources/list-rows.ts';
import { resourceTypeOf } from '../../../src/store/filters/attribute-source.ts';
import { cloneDatabase } from '../../support/database.ts';
import { createDirectory } from '../filters/fixture.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';

const people = 20_000;
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let directoryId: string;
let user: { id: string };
beforeAll(async () => {
  database = await cloneDatabase();
  const { db } = database;
  directoryId = await createDirectory(db);
  await createManyUsers(db, directoryId, people);
  for (let other = 0; other < 2; other += 1) await createManyUsers(db, await createDirectory(db), people / 4);
  await db.raw('analyze');
  user = await db('users').where({ directory_id: directoryId, user_name: 'user77' }).first();
}, 180_000);
afterAll(() => database.drop());

const filtered = (text: string, type: ResourceTypeName): ResourceQuery => ({
  filter: parseFilter(text, resourceTypeOf(type)),
  page: { offset: 0, limit: 200 },
});

const userName = 'users_by_user_name (user_name_key, directory_id)';
const email = ['user_emails_pkey (value_key, directory_id)', 'users_pkey (directory_id, id)'];

it.each([
  ['User', 'userName eq "USER77"', 1, [userName]],
  ['User', 'userName eq "user77" and active eq true', 1, [userName]],
  ['User', 'externalId eq "E77"', 1, ['users_by_external_id (external_id, directory_id)']],
  ['User', 'displayName eq "name 77"', 1, ['users_by_display_name (display_name_key, directory_id)']],
  ['User', 'emails[type eq "work"].value eq "user77@EXAMPLE.com"', 1, email],
  ['User', 'emails[type eq "work" and value eq "user77@example.com"]', 1, email],
  ['User', 'emails eq "user77@example.com"', 1, email],
  ['User', 'emails.value eq "nobody"', 0, email],
  [
    'User',
    'groups.display eq "GROUP1234"',
    10,
    [
      'group_members_pkey (directory_id, group_id)',
      'groups_by_display_name (display_name_key, directory_id)',
      'users_pkey (directory_id, id)',
    ],
  ],
  ['Group', 'displayName eq "Group77"', 1, ['groups_by_display_name (display_name_key, directory_id)']],
  ['Group', 'externalId eq "E77"', 1, ['groups_by_external_id (external_id, directory_id)']],
  [
    'Group',
    'members eq "latergroup77"',
    1,
    [
      'group_members_by_member (member_id)',
      'group_members_by_member (member_id, directory_id)',
      'groups_pkey (directory_id, id)',
      'pending_members_by_value (value_key, directory_id)',
      'pending_members_pkey (directory_id, group_id)',
      'users_pkey (directory_id, id)',
    ],
  ],
] as const)('finds %s by %s, %i of them, by its index', async (type, text, count, indexes) => {
  const { resources, plan } = await list(type, filtered(text, type));
  expect(resources).toHaveLength(count);
  expect(plan).toEqual(indexes);
});

it('finds the groups of a user by the index on members', async () => {
  const { resources, plan } = await list('Group', filtered(`members[value eq "${user.id}"]`, 'Group'));
  expect(resources).toMatchObject([{ display_name: 'group7' }]);
  expect(plan).toEqual(expect.arrayContaining(['group_members_by_member (member_id, directory_id)', 'groups_pkey (directory_id, id)']));
  expect(plan.join()).not.toMatch(/all of|[(]directory_id[)]/);
});

it.each([
  ['User', 'users_pkey'],
  ['Group', 'groups_pkey'],
] as const)('begins the page after a cursor in the middle of the primary key: %s', async (type, index) => {
  const first = await list(type, { page: { after: undefined, limit: 5 } });
  const { resources, plan } = await list(type, { page: { after: first.next, limit: 5 } });
  expect(resources).toHaveLength(5);
  expect(first.plan).toEqual([`${index} (directory_id)`]);
  expect(plan).toEqual([`${index} (directory_id, id)`]);
});

it('holds memory for all documents of a page: those of its last row, and what was pushed in another form', async () => {
  const { db } = database;
  const own = await createDirectory(db);
  await createManyUsers(db, own, 2);
  const noteBytes = 400_000;
  await db('users')
    .where({ directory_id: own, user_name: 'user2' })
    .update({ pushed: JSON.stringify({ version: 1, set: { note: 'x'.repeat(noteBytes) } }) });
  const { memory, runRead } = unlimitedReads(db);
  let held = 0;
  const watched: typeof memory = {
    ...memory,
    read: (owner, bytes, load, weigh) => memory.read(owner, bytes, load, (found) => (held = weigh!(found))),
  };
  const heldFor = async (text: string) => {
    await readPage({ memory: watched, runRead }, userListing, own, filtered(text, 'User'));
    return held;
  };
  for (const text of ['userName eq "user2"', 'userName sw "user"']) {
    expect(await heldFor(text)).toBeGreaterThan(noteBytes);
    expect(await heldFor(text)).toBeLessThan(1.1 * noteBytes);
  }
  expect(await heldFor('userName eq "user1"')).toBeLessThan(10_000);
});

/** The page, and the plan of the statement that was sent for it. */
async function list(type: ResourceTypeName, query: ResourceQuery) {
  const sent: Sent[] = [];
  const note = (statement: Sent) => void sent.push(statement);
  database.db.on('query', note);
  const page = await listRows<{ id: string }>(database.db, type === 'User' ? userListing : groupListing, directoryId, query);
  database.db.removeListener('query', note);
  return { ...page, plan: await explain(sent.find(({ sql }) => sql.includes('weight_before'))!) };
}

interface Sent {
  sql: string;
  bindings: unknown[];
}
interface Step {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Step[];
}

/** Each index with the columns of its condition, and each table that is scanned. */
async function explain({ sql, bindings }: Sent): Promise<string[]> {
  const client = await database.db.client.acquireConnection();
  try {
    const { rows } = await client.query(`explain (format json) ${sql}`, bindings);
    return [...new Set(stepsOf(rows[0]['QUERY PLAN'][0].Plan as Step).flatMap(accessOf))].toSorted();
  } finally {
    await database.db.client.releaseConnection(client);
  }
}

function accessOf(step: Step): string[] {
  if (step['Node Type'] === 'Seq Scan') return [`all of ${step['Relation Name']}`];
  const columns = [...(step['Index Cond'] ?? '').matchAll(/(\w+) [=<>]/g)].map(([, column]) => column);
  return step['Index Name'] ? [`${step['Index Name']} (${columns.join(', ')})`] : [];
}

const stepsOf = (step: Step): Step[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)];

async function createManyUsers(db: Knex, id: string, count: number) {
  const bindings = { id, count };
  await db.raw(
    `insert into users (directory_id, id, user_name, user_name_key, external_id, display_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
     select cast(:id as uuid), gen_random_uuid(), 'user' || n, 'user' || n, 'E' || n, 'name ' || n, true, '', '', '',
       jsonb_build_object('userName', 'user' || n, 'displayName', 'Name ' || n,
         'emails', jsonb_build_array(jsonb_build_object('type', 'work', 'value', 'User' || n || '@example.com'))), now(), now()
     from generate_series(1, cast(:count as integer)) n`,
    bindings,
  );
  await db.raw(
    `insert into user_emails (directory_id, user_id, value_key) select directory_id, id, user_name_key || '@example.com' from users where directory_id = cast(:id as uuid)`,
    bindings,
  );
  await db.raw(
    `insert into groups (directory_id, id, display_name, display_name_key, external_id, resource, created_at, updated_at)
     select cast(:id as uuid), gen_random_uuid(), 'group' || n, 'group' || n, 'E' || n, jsonb_build_object('displayName', 'group' || n), now(), now()
     from generate_series(1, cast(:count as integer) / 10) n`,
    bindings,
  );
  await db.raw(
    `insert into group_members (directory_id, group_id, member_id, kind)
     select g.directory_id, g.id, u.id, 'user' from groups g cross join generate_series(0, 9) digit
       join users u on u.directory_id = g.directory_id and u.user_name_key = 'user' || (cast(substr(g.display_name, 6) as integer) * 10 + digit)
     where g.directory_id = cast(:id as uuid)`,
    bindings,
  );
  await db.raw(
    `insert into pending_members (directory_id, group_id, value, value_key) select directory_id, id, 'later' || display_name, 'later' || display_name from groups where directory_id = cast(:id as uuid)`,
    bindings,
  );
}

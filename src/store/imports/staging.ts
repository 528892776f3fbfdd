import type { QueuedEvent } from '../../directory/import/polis-records.ts';
import type { Knex } from 'knex';
import type pg from 'pg';
import { checksumDigits } from '../../directory/import/checksum.ts';
import type {
  Checksums,
  Conflict,
  ConflictPolicy,
  Counts,
  ImportedGroup,
  ImportedMembership,
  ImportedUser,
  SourceDirectory,
} from '../../directory/import/ports.ts';
import { toUserKey } from '../../directory/event.ts';
import { copyIn } from '../backup/copy.ts';
import { toGroupColumns } from '../groups/group-rows.ts';
import type { User } from '../../directory/resources/user.ts';
import { createDerive, type ImportedRules, readImportedRules } from './imported-rules.ts';
import { publicIdOf, publicIdOfMember } from '../resources/public-id.ts';
import { toUserColumns } from '../users/user-rows.ts';
import { encodeRows } from './encode-rows.ts';

/** Temporary tables of this transaction. They have the columns of the real ones, and what is needed to compare. */
export const createStaging = (trx: Knex.Transaction) =>
  trx.raw(`
    create temporary table import_users (like users including defaults) on commit drop;
    alter table import_users alter column directory_id drop not null,
      add column email_keys text[], add column place bigint, add column bytes bigint, add column checksum numeric;
    create temporary table import_groups (like groups including defaults) on commit drop;
    alter table import_groups alter column directory_id drop not null, add column place bigint, add column bytes bigint;
    create temporary table import_members (group_id uuid, member_id uuid, kind text, place bigint, checksum numeric) on commit drop;
    create temporary table import_queued (id uuid, type text, user_id uuid, data jsonb, occurred_at timestamptz, bytes bigint, place bigint) on commit drop;
  `);

/** Returns the rules that the attributes and roles of the staged users follow. */
export async function stageUsers(db: Knex, users: AsyncIterable<ImportedUser[]>, directory: SourceDirectory): Promise<ImportedRules> {
  const rules = await readImportedRules(db, directory);
  const derive = createDerive(rules);
  await stage(db, 'import_users', users, ({ user, bytes, checksum }, place) => ({
    ...toImportedColumns(derive(user)),
    bytes,
    checksum,
    place,
  }));
  await db.raw('create index on import_users (id); analyze import_users');
  return rules;
}

/** `COPY` takes other lists as arrays of Postgres. */
function toImportedColumns(user: User) {
  const columns = toUserColumns(user);
  return { ...columns, roles: columns.roles && JSON.stringify(columns.roles) };
}

/** Polis allows several groups with one name: all but the oldest are marked as namesakes. */
export async function stageGroups(db: Knex, groups: AsyncIterable<ImportedGroup[]>): Promise<void> {
  await stage(db, 'import_groups', groups, ({ group, bytes }, place) => ({ ...toGroupColumns(group), bytes, place }));
  await db.raw(`
    update import_groups g set namesake = cast(g.id as text)
    from (select id, row_number() over (partition by display_name_key order by created_at, place) as age from import_groups where namesake = '') aged
    where aged.id = g.id and aged.age > 1;
    create index on import_groups (id);
    analyze import_groups`);
}

export async function stageMemberships(db: Knex, memberships: AsyncIterable<ImportedMembership[]>): Promise<void> {
  await stage(db, 'import_members', memberships, ({ groupId, memberId, checksum }, place) => ({
    group_id: groupId,
    member_id: memberId,
    checksum,
    place,
  }));
  await db.raw(`
    create index on import_members (group_id, member_id);
    analyze import_members;
    delete from import_members m
    using (select group_id, member_id, min(place) as first from import_members group by group_id, member_id having count(*) > 1) d
    where m.group_id = d.group_id and m.member_id = d.member_id and m.place > d.first`);
}

export const stageQueued = (db: Knex, events: AsyncIterable<QueuedEvent[]>): Promise<void> =>
  stage(db, 'import_queued', events, ({ id, type, data, bytes, occurredAt }, place) => ({
    id,
    type,
    user_id: toUserKey({ type, data }) ?? null,
    data,
    occurred_at: occurredAt,
    bytes,
    place,
  }));

/** Uses one COPY for each kind. Its source is read only as fast as Postgres accepts the rows. */
async function stage<Item>(
  db: Knex,
  table: string,
  items: AsyncIterable<Item[]>,
  toRow: (item: Item, place: number) => Record<string, unknown>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  let next = await nextFilled(iterator);
  if (next === undefined) return;
  const columns = Object.keys(toRow(next[0]!, 0));
  let place = 0;
  async function* encoded() {
    for (; next !== undefined; next = await nextFilled(iterator))
      yield encodeRows(
        next.map((item) => {
          const row = toRow(item, (place += 1));
          return columns.map((name) => row[name]);
        }),
      );
  }
  await withConnection(db, (connection) => copyIn(connection, `copy ${table} (${columns.join(', ')}) from stdin`, encoded()));
}

async function nextFilled<Item>(iterator: AsyncIterator<Item[]>): Promise<Item[] | undefined> {
  for (;;) {
    const { value, done } = await iterator.next();
    if (done) return undefined;
    if (value.length > 0) return value;
  }
}

async function withConnection<T>(db: Knex, work: (connection: pg.Client) => Promise<T>): Promise<T> {
  const client = db.client as { acquireConnection(): Promise<pg.Client>; releaseConnection(connection: pg.Client): Promise<void> };
  const connection = await client.acquireConnection();
  try {
    return await work(connection);
  } finally {
    await client.releaseConnection(connection);
  }
}

const isStaged = (table: 'users' | 'groups', id: string) => `exists (select from import_${table} r where r.id = ${id})`;
/** SQL: with `isPartial`, rows that were imported before count too. */
const exists = (table: 'users' | 'groups', id: string, isPartial: boolean) =>
  `(${isStaged(table, id)}${isPartial ? ` or exists (select from ${table} r where r.directory_id = :directoryId and r.id = ${id})` : ''})`;

export async function dropOrphans(db: Knex, { id: directoryId, siblings }: SourceDirectory, isPartial: boolean) {
  const remove = async (condition: string) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(`delete from import_members m where ${condition}`, { directoryId });
    return rowCount;
  };
  const withoutGroup = await remove(`not ${exists('groups', 'm.group_id', isPartial)}`);
  const withoutMember = await remove(
    `m.group_id = m.member_id or not (${exists('users', 'm.member_id', isPartial)} or ${exists('groups', 'm.member_id', isPartial)})`,
  );
  await db.raw(`update import_members m set kind = case when ${exists('users', 'm.member_id', isPartial)} then 'user' else 'group' end`, {
    directoryId,
  });
  // The group may belong to another directory of the same tenant and product.
  return siblings.length === 1
    ? { orphans: withoutGroup + withoutMember, elsewhere: 0 }
    : { orphans: withoutMember, elsewhere: withoutGroup };
}

const preferences: Record<ConflictPolicy, string> = {
  fail: 'created_at, place',
  newest: 'updated_at desc, place desc',
  skip: 'created_at, place',
};

const uniqueKeys = [
  { kind: 'id', table: 'import_users', key: 'id' },
  { kind: 'id', table: 'import_groups', key: 'id' },
  { kind: 'user_name', table: 'import_users', key: 'user_name_key' },
  { kind: 'user_external_id', table: 'import_users', key: 'external_id' },
  { kind: 'group_external_id', table: 'import_groups', key: 'external_id' },
] as const;

/** `newest` keeps the row that was changed last, `skip` the oldest row. */
export async function resolveConflicts(db: Knex, policy: ConflictPolicy): Promise<Conflict[]> {
  const conflicts: Conflict[] = [];
  for (const { kind, table, key } of uniqueKeys) {
    const { rows } = await db.raw<{ rows: { ids: string[]; others: number[] }[] }>(
      `select array_agg(${publicIdOf('r')} order by ${preferences[policy]}) as ids,
         (array_agg(place order by ${preferences[policy]}))[2:] as others
       from ${table} r where ${key} is not null group by ${key} having count(*) > 1 order by min(place)`,
    );
    for (const { ids } of rows) conflicts.push({ kind, ids, ...(policy !== 'fail' && { kept: ids[0]! }) });
    if (policy === 'fail') continue;
    await db.raw(`delete from ${table} where place = any(cast(:others as bigint[]))`, { others: rows.flatMap(({ others }) => others) });
  }
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select ${publicIdOf('r')} as id from import_users r where id in (select id from import_groups)`,
  );
  for (const { id } of rows) conflicts.push({ kind: 'id', ids: [id] });
  await db.raw(
    `delete from import_members m where not ${isStaged('groups', 'm.group_id')}
       or not (${isStaged('users', 'm.member_id')} or ${isStaged('groups', 'm.member_id')})`,
  );
  return conflicts;
}

interface Sums extends Counts {
  user_sum: string;
  membership_sum: string;
}

const toFigures = ({ users, groups, memberships, user_sum, membership_sum }: Sums): { counts: Counts; checksums: Checksums } => ({
  counts: { users, groups, memberships },
  checksums: { users: BigInt(user_sum).toString(16), memberships: BigInt(membership_sum).toString(16) },
});

export async function readStaged(db: Knex) {
  const { rows } = await db.raw<{ rows: [Sums & { largest_group: number; most_groups: number; resource_bytes: number }] }>(
    `select (select count(*) from import_users) as users, (select count(*) from import_groups) as groups,
       (select count(*) from import_members) as memberships,
       (select cast(coalesce(sum(checksum), 0) as text) from import_users) as user_sum,
       (select cast(coalesce(sum(checksum), 0) as text) from import_members) as membership_sum,
       (select cast(coalesce(max(size), 0) as float8) from (select count(*) as size from import_members group by group_id) sizes) as largest_group,
       (select cast(coalesce(max(groups), 0) as float8) from (select count(*) as groups from import_members group by member_id) of_member) as most_groups,
       (select cast(coalesce(sum(bytes), 0) as float8) from (select bytes from import_users union all select bytes from import_groups) all_rows)
         as resource_bytes`,
  );
  const { largest_group: groupMembers, most_groups: groupsPerMember, resource_bytes: resourceBytes } = rows[0];
  const { counts, checksums } = toFigures(rows[0]);
  return { usage: { ...counts, groupMembers, groupsPerMember, resourceBytes }, checksums };
}

/** SQL of the same sum as `checksumOf`, for stored rows. */
const sumOf = (...parts: string[]) =>
  `cast(coalesce(sum(cast(cast('x' || left(encode(sha256(convert_to(concat_ws(chr(31), ${parts.join(', ')}), 'UTF8')), 'hex'), ${checksumDigits})
     as bit(${4 * checksumDigits})) as bigint)), 0) as text)`;

export async function readStored(db: Knex, directoryId: string) {
  const { rows } = await db.raw<{ rows: [Sums] }>(
    `select u.users, u.user_sum, g.groups, m.memberships, m.membership_sum
     from (select count(*) as users, ${sumOf(publicIdOf('u'), 'email', `case when active then 'true' else 'false' end`)} as user_sum
             from users u where directory_id = :directoryId) u,
       (select count(*) as groups from groups where directory_id = :directoryId) g,
       (select count(*) as memberships, ${sumOf(publicIdOf('g'), publicIdOfMember('m'))} as membership_sum
          from group_members m join groups g on g.directory_id = m.directory_id and g.id = m.group_id
          where m.directory_id = :directoryId) m`,
    { directoryId },
  );
  return toFigures(rows[0]);
}

import type { Knex } from 'knex';
import type { Counts } from '../../directory/import/ports.ts';
import type { RoleTable } from '../../directory/roles/role-table.ts';
import { attributeNames, derivedNames, groupNames, userNames } from '../changes/write-parts/resources.ts';
import type { DirectoryUsage, Quotas } from '../../directory/quotas.ts';
import { assertAnnounceable } from './assert-announceable.ts';
import { documentBytes } from '../resources/document-bytes.ts';
import { noteConcerned, recomputeNoted } from './imported-rules.ts';
import { emitDifferences } from './emit-differences.ts';

interface Options {
  /** Rows that were not staged stay. */
  isPartial: boolean;
  /** Whether rows were staged newest first: those that are stored last are the newest. */
  isNewestFirst: boolean;
  announces: boolean;
  quotas: Quotas;
  roleTable: RoleTable | undefined;
}

/** Writes what differs between the staged rows of a directory and its stored ones, in the caller's transaction. */
export async function writeStaged(
  trx: Knex.Transaction,
  directoryId: string,
  { isPartial, isNewestFirst, announces, quotas, roleTable }: Options,
): Promise<{ changed: Counts; added: Counts }> {
  // Two rows may swap a unique name, so names are compared at the end.
  await trx.raw('set constraints all deferred');
  await trx.raw(
    `create temporary table import_changes (kind text not null, operation text not null, id uuid not null, group_id uuid, place bigint)
     on commit drop`,
  );
  await findChangedResources(trx, directoryId, 'users', { columns: comparable(`${userNames}, ${attributeNames}`), isPartial });
  await findChangedResources(trx, directoryId, 'groups', { columns: comparable(groupNames), isPartial });
  await findChangedMemberships(trx, directoryId, { isPartial });
  await trx.raw('create index on import_changes (kind, id); analyze import_changes');
  if (roleTable) await noteConcerned(trx, directoryId, roleTable);
  // Events of removed rows need the rows, so they are emitted before the deletion; others after the rows are written.
  if (announces) {
    await assertAnnounceable(trx, directoryId, quotas);
    await emitDifferences(trx, directoryId, 'removed');
  }
  const run = (sql: string) => trx.raw(sql, { directoryId });
  await run(
    `delete from group_members m using import_changes c
     where c.kind = 'memberships' and c.operation = 'deleted' and m.directory_id = :directoryId
       and m.group_id = c.group_id and m.member_id = c.id`,
  );
  for (const table of ['groups', 'users'] as const) {
    await run(
      `delete from ${table} r using import_changes c
       where c.kind = '${table}' and c.operation = 'deleted' and r.directory_id = :directoryId and r.id = c.id`,
    );
  }
  const order = isNewestFirst ? 'desc' : 'asc';
  await writeResources(trx, directoryId, 'users', {
    names: `${userNames}, ${attributeNames}`,
    insertedNames: `${userNames}, ${derivedNames}`,
    order,
  });
  await writeEmails(trx, directoryId);
  await writeResources(trx, directoryId, 'groups', { names: groupNames, order });
  await run(
    `insert into group_members (directory_id, group_id, member_id, kind)
     select :directoryId, c.group_id, c.id, m.kind
     from import_changes c join import_members m on m.group_id = c.group_id and m.member_id = c.id
     where c.kind = 'memberships' and c.operation = 'created' order by c.place ${order}`,
  );
  if (roleTable) {
    await noteConcerned(trx, directoryId, roleTable);
    await recomputeNoted(trx, directoryId);
  }
  if (announces) await emitDifferences(trx, directoryId, 'written');
  return countChanges(trx);
}

/** These columns differ without a change in Polis: they depend on when a row was written, or are counted. */
const notCompared = new Set(['directory_id', 'id', 'version', 'created_at', 'updated_at', 'member_count']);
const splitNames = (names: string) => names.split(',').map((name) => name.trim());
const comparable = (names: string) => splitNames(names).filter((name) => !notCompared.has(name));

async function findChangedResources(
  trx: Knex.Transaction,
  directoryId: string,
  table: 'users' | 'groups',
  { columns, isPartial }: { columns: string[]; isPartial: boolean },
): Promise<void> {
  const textOf = (row: string) =>
    `(${columns.map((name) => (name === 'pushed' ? `${row}.pushed - 'version'` : `${row}.${name}`)).join(', ')})`;
  await trx.raw(
    `insert into import_changes (kind, operation, id, place)
     select '${table}', case when r.id is null then 'created' else 'updated' end, s.id, s.place
     from import_${table} s left join ${table} r on r.directory_id = :directoryId and r.id = s.id
     where r.id is null or ${textOf('r')} is distinct from ${textOf('s')}`,
    { directoryId },
  );
  if (isPartial) return;
  await trx.raw(
    `insert into import_changes (kind, operation, id)
     select '${table}', 'deleted', r.id from ${table} r
     where r.directory_id = :directoryId and not exists (select from import_${table} s where s.id = r.id)`,
    { directoryId },
  );
}

async function findChangedMemberships(trx: Knex.Transaction, directoryId: string, { isPartial }: { isPartial: boolean }): Promise<void> {
  const isSame = 'm.group_id = s.group_id and m.member_id = s.member_id';
  await trx.raw(
    `insert into import_changes (kind, operation, id, group_id, place)
     select 'memberships', 'created', s.member_id, s.group_id, s.place from import_members s
     where not exists (select from group_members m where m.directory_id = :directoryId and ${isSame})`,
    { directoryId },
  );
  // Memberships of a deleted user or group are deleted with it, even those that were not staged.
  await trx.raw(
    `insert into import_changes (kind, operation, id, group_id)
     select 'memberships', 'deleted', m.member_id, m.group_id from group_members m
     where m.directory_id = :directoryId and ${isPartial ? 'false' : `not exists (select from import_members s where ${isSame})`}`,
    { directoryId },
  );
}

async function writeResources(
  trx: Knex.Transaction,
  directoryId: string,
  table: 'users' | 'groups',
  { names, insertedNames = names, order }: { names: string; insertedNames?: string; order: 'asc' | 'desc' },
): Promise<void> {
  const columns = splitNames(insertedNames);
  const own = columns.filter((name) => name !== 'directory_id');
  await trx.raw(
    `insert into ${table} (${columns.join(', ')})
     select :directoryId, ${own.map((name) => `s.${name}`).join(', ')} from import_${table} s
       join import_changes c on c.kind = '${table}' and c.operation = 'created' and c.id = s.id
     order by s.place ${order}`,
    { directoryId },
  );
  // `pushed` is only valid with the version of its row.
  const set = comparable(names).map((name) =>
    name === 'pushed' ? `pushed = s.pushed || jsonb_build_object('version', r.version + 1)` : `${name} = s.${name}`,
  );
  await trx.raw(
    `update ${table} r set ${set.join(', ')}, updated_at = s.updated_at, version = r.version + 1
     from import_${table} s join import_changes c on c.kind = '${table}' and c.operation = 'updated' and c.id = s.id
     where r.directory_id = :directoryId and r.id = s.id`,
    { directoryId },
  );
}

async function writeEmails(trx: Knex.Transaction, directoryId: string): Promise<void> {
  await trx.raw(
    `delete from user_emails e using import_changes c
     where c.kind = 'users' and c.operation = 'updated' and e.directory_id = :directoryId and e.user_id = c.id`,
    { directoryId },
  );
  await trx.raw(
    `insert into user_emails (directory_id, user_id, value_key)
     select :directoryId, s.id, key from import_users s
       join import_changes c on c.kind = 'users' and c.operation in ('created', 'updated') and c.id = s.id,
       unnest(s.email_keys) key`,
    { directoryId },
  );
}

async function countChanges(trx: Knex.Transaction): Promise<{ changed: Counts; added: Counts }> {
  const { rows } = await trx.raw<{ rows: { kind: keyof Counts; changed: number; added: number }[] }>(
    `select kind, count(*) as changed, count(*) filter (where operation = 'created') as added from import_changes group by kind`,
  );
  const counts = (part: 'changed' | 'added'): Counts => ({
    users: 0,
    groups: 0,
    memberships: 0,
    ...Object.fromEntries(rows.map((row) => [row.kind, row[part]])),
  });
  return { changed: counts('changed'), added: counts('added') };
}

/** Counts what quotas limit, and increases the revision, so that no process decides on what it read before. */
export async function recount(trx: Knex.Transaction, directoryId: string) {
  await trx.raw(
    `update groups g set member_count = coalesce(m.size, 0)
     from groups o left join (select group_id, count(*) as size from group_members where directory_id = :directoryId group by group_id) m on m.group_id = o.id
     where g.directory_id = :directoryId and o.directory_id = :directoryId and o.id = g.id and g.member_count <> coalesce(m.size, 0)`,
    { directoryId },
  );
  const { rows } = await trx.raw<{
    rows: [{ revision: number; usage: DirectoryUsage & Pick<Quotas, 'groupMembers' | 'groupsPerMember'> }];
  }>(
    `update all_directories d set revision = d.revision + 1,
       user_count = u.count, group_count = g.count, membership_count = g.members, resource_bytes = u.bytes + g.bytes
     from (select count(*) as count, coalesce(sum(${documentBytes}), 0) as bytes from users where directory_id = :directoryId) u,
       (select count(*) as count, coalesce(sum(member_count), 0) as members, coalesce(max(member_count), 0) as largest,
            coalesce(sum(${documentBytes}), 0) as bytes
          from groups where directory_id = :directoryId) g,
       (select coalesce(max(groups), 0) as most
          from (select count(*) as groups from group_members where directory_id = :directoryId group by member_id) of_member) m
     where d.id = :directoryId
     returning d.revision, json_build_object('users', d.user_count, 'groups', d.group_count, 'memberships', d.membership_count,
       'resourceBytes', d.resource_bytes, 'groupMembers', g.largest, 'groupsPerMember', m.most) as usage`,
    { directoryId },
  );
  return rows[0];
}

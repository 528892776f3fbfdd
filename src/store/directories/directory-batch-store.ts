import type { Knex } from 'knex';
import type { DirectoryBatchStore, RemovalPlace } from '../../directory/batches/ports.ts';
import type { Quotas } from '../../directory/quotas.ts';
import { lowestId } from '../../ids.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import { type BacklogRow, emitInactiveBatch, isFull } from './emit-inactive-batch.ts';
import { eventTotals } from './quotas.ts';
import { hideDirectory } from './hide-directory.ts';

/** What one transaction deletes: so many users or groups, with about so many memberships. */
const [maxResources, maxMemberships] = [200, 1_000];
/** Events that cannot be delivered, because there is no webhook or it was given up, are kept for this long: an operator may fix it, and feeds are read. */
const keptUndelivered = `interval '1 day'`;
const silentFor = `interval '30 seconds'`;

/** SQL for whether nothing keeps the events of the directory `d`, with the endpoint `e`. A delivery that is paused waits for an operator. */
const isTold = `(d.last_sequence = e.acked_sequence and e.url is not null)
  or ((e.url is null or e.status in ('disabled', 'misconfigured')) and d.removing_at < now() - ${keptUndelivered})`;

interface WorkRow extends BacklogRow {
  is_told: boolean;
}

export const createDirectoryBatchStore = (
  db: Knex,
  { emitOperatorEvent, quotas: limits }: { emitOperatorEvent: EmitOperatorEvent; quotas: Quotas },
): DirectoryBatchStore => ({
  async findWork(directoryId) {
    const row = await db('directories')
      .where({ id: directoryId })
      .first<{ removing_at: Date | null; inactive_users_upto: string | null } | undefined>('removing_at', 'inactive_users_upto');
    if (row?.removing_at) return 'removal';
    return row && row.inactive_users_upto !== null ? 'inactive_users' : undefined;
  },

  async nextRemoval(directoryId, after) {
    const { rows } = await db.raw<{ rows: WorkRow[] }>(
      `with noted as (update all_directories set batches_at = now() where id = :directoryId and removing_at is not null and deleting_at is null)
       select ${eventTotals}, d.quotas, e.url is not null as has_webhook, ${isTold} as is_told
       from directories d join webhook_endpoints e on e.directory_id = d.id where d.id = :directoryId and d.removing_at is not null`,
      { directoryId },
    );
    const [row] = rows;
    // Another process has ended it.
    if (!row) return { kind: 'end' };
    if (isFull(row, limits)) return { kind: 'wait' };
    const found = await findResources(db, directoryId, after);
    return found ?? { kind: row.is_told ? 'end' : 'wait' };
  },

  endRemoval: (directoryId) =>
    db.transaction(async (trx) => {
      await trx('directories').where({ id: directoryId }).forNoKeyUpdate().first('id');
      const { rows } = await trx.raw<{ rows: object[] }>(
        `select from directories d join webhook_endpoints e on e.directory_id = d.id
         where d.id = :directoryId and d.removing_at is not null and (${isTold})
           and not exists (select from users where directory_id = :directoryId) and not exists (select from groups where directory_id = :directoryId)`,
        { directoryId },
      );
      // A change that was accepted before may have been applied meanwhile. A directory that is hidden already needs its deletion.
      if (rows.length === 0) return (await trx('directories').where({ id: directoryId }).first('id')) === undefined;
      await hideDirectory(trx, directoryId, emitOperatorEvent);
      return true;
    }),

  emitInactive: (directoryId) => db.transaction((trx) => emitInactiveBatch(trx, directoryId, limits)),

  async findUnfinished(limit) {
    const { rows } = await db.raw<{ rows: { id: string }[] }>(
      `select id from all_directories where batches_at < now() - ${silentFor} and deleting_at is null order by batches_at limit :limit`,
      { limit },
    );
    return rows.map(({ id }) => id);
  },
});

/** First all users, then all groups. From the beginning if there are no more: some may have come later. */
async function findResources(db: Knex, directoryId: string, after: RemovalPlace | undefined) {
  for (const resource of ['user', 'group'] as const) {
    const ids =
      (after?.resource === resource && (await readIds(db, directoryId, resource, after.id))) || (await readIds(db, directoryId, resource));
    if (ids) return { kind: 'delete' as const, resource, ids };
  }
  return undefined;
}

const counted = { user: ['users', 'member_id'], group: ['groups', 'group_id'] } as const;

async function readIds(db: Knex, directoryId: string, resource: 'user' | 'group', after?: string): Promise<string[] | undefined> {
  const [table, column] = counted[resource];
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select id from (
       select id, sum(memberships) over (order by id) - memberships as before
       from (select id from ${table} where directory_id = :directoryId and id > :after order by id limit :maxResources) next
         cross join lateral (
           select count(*) as memberships from (
             select from group_members m where m.directory_id = :directoryId and m.${column} = next.id limit :maxMemberships) of_one
         ) counted
     ) found where before < :maxMemberships order by id`,
    { directoryId, after: after ?? lowestId, maxResources, maxMemberships },
  );
  return rows.length === 0 ? undefined : rows.map(({ id }) => id);
}

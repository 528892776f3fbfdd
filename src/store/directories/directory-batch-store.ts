import type { Knex } from 'knex';
import { serviceActor } from '../../audit/act.ts';
import type { DirectoryBatchStore, RemovalPlace } from '../../directory/batches/ports.ts';
import type { Quotas } from '../../directory/quotas.ts';
import { lowestId } from '../../ids.ts';
import { recordAct } from '../audit/record-act.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import { documentWeight } from '../resources/pushed-column.ts';
import { type BacklogRow, emitInactiveBatch, isFull, notesProgress } from './emit-inactive-batch.ts';
import { eventTotals } from './quotas.ts';
import { hideDirectory } from './hide-directory.ts';

/** What one transaction deletes and reads: so many users or groups, with about so many memberships and bytes. At least one of them. */
const [maxResources, maxMemberships, maxBytes] = [200, 1_000, 8_388_608];
/**
 * Events that cannot be delivered, because there is no webhook or it was given up, are kept for
 * this long: an operator may fix it, and feeds are read.
 */
const keptUndelivered = `interval '1 day'`;
/** Longer than the longest wait between two attempts, and than what is not noted meanwhile. */
const silentFor = `interval '45 seconds'`;

/**
 * SQL for whether the directory `d` has kept its last events for long enough, although its endpoint `e` will not accept
 * them. A delivery that is paused waits for an operator.
 */
const isGivenUp = `(e.url is null or e.status in ('disabled', 'misconfigured'))
  and greatest(d.removing_at, e.updated_at,
    (select occurred_at from stored_events where directory_id = d.id and sequence = d.last_sequence)) < now() - ${keptUndelivered}`;

/** What keeps the events of a directory that is being deleted. */
const selectWork = `select ${eventTotals}, d.quotas, e.url is not null as has_webhook, ${isGivenUp} as is_given_up
  from directories d join webhook_endpoints e on e.directory_id = d.id where d.id = :directoryId and d.removing_at is not null`;

interface WorkRow extends BacklogRow {
  is_given_up: boolean;
}

const isDelivered = (row: WorkRow): boolean => row.has_webhook && row.last_sequence === row.acked_sequence;

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
      `with noted as (
         update all_directories set batches_at = now()
         where id = :directoryId and removing_at is not null and deleting_at is null and ${notesProgress}
       ) ${selectWork}`,
      { directoryId },
    );
    const [row] = rows;
    // Another process has ended it.
    if (!row) return { kind: 'end' };
    // More events would find no room. Nobody will accept those that there are, so nobody would be told of the others.
    if (isFull(row, limits)) return { kind: row.is_given_up ? 'end' : 'wait' };
    const found = await findResources(db, directoryId, after);
    return found ?? { kind: isDelivered(row) || row.is_given_up ? 'end' : 'wait' };
  },

  endRemoval: (directoryId) =>
    db.transaction(async (trx) => {
      await trx('directories').where({ id: directoryId }).forNoKeyUpdate().first('id');
      // The webhook may not be resumed or changed meanwhile.
      await trx('webhook_endpoints').where({ directory_id: directoryId }).forUpdate().first('id');
      const { rows } = await trx.raw<{ rows: (WorkRow & { resources_left: number })[] }>(
        `select work.*, (select count(*) from (select from users where directory_id = :directoryId limit 1) u)
           + (select count(*) from (select from groups where directory_id = :directoryId limit 1) g) as resources_left
         from (${selectWork}) work`,
        { directoryId },
      );
      const [row] = rows;
      // A directory that is hidden already needs its deletion.
      if (!row) return (await trx('directories').where({ id: directoryId }).first('id')) === undefined;
      // A change that was accepted before may have been applied meanwhile.
      const isTold = row.resources_left === 0 && (isDelivered(row) || row.is_given_up);
      if (!isTold && !(row.is_given_up && isFull(row, limits))) return false;
      await hideDirectory(trx, directoryId, emitOperatorEvent);
      if (!isDelivered(row)) {
        const changes = { undelivered_events: row.last_sequence - (row.acked_sequence ?? 0) };
        await recordAct(trx, { action: 'directory.deleted', actor: serviceActor, directory: { id: directoryId }, changes });
      }
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

/** First all users, then all groups. From the beginning if there are no more: some may have come later, or could not be deleted. */
async function findResources(db: Knex, directoryId: string, after: RemovalPlace | undefined) {
  const pass = [{ resource: 'user' }, { resource: 'group' }] as const;
  const places = after ? [after, ...(after.resource === 'user' ? [pass[1]] : []), ...pass] : pass;
  for (const place of places) {
    const ids = await readIds(db, directoryId, place.resource, 'id' in place ? place.id : lowestId);
    if (ids) return { kind: 'delete' as const, resource: place.resource, ids };
  }
  return undefined;
}

const counted = {
  user: { table: 'users', memberships: 'select 1 from group_members m where m.directory_id = :directoryId and m.member_id = next.id' },
  group: {
    table: 'groups',
    memberships: `select 1 from group_members m where m.directory_id = :directoryId and m.group_id = next.id
      union all select 1 from pending_members p where p.directory_id = :directoryId and p.group_id = next.id`,
  },
} as const;

/** The events of memberships each have the document of their user. */
async function readIds(db: Knex, directoryId: string, resource: 'user' | 'group', after: string): Promise<string[] | undefined> {
  const { table, memberships } = counted[resource];
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `select id from (
       select id, sum(memberships) over preceding as memberships_before, sum(bytes) over preceding as bytes_before
       from (
         select next.id, of_one.count as memberships, (${documentWeight('next', table)}) * ${resource === 'user' ? '(1 + of_one.count)' : '1'} as bytes
         from (select * from ${table} where directory_id = :directoryId and id > :after order by directory_id, id limit :maxResources) next
           cross join lateral (select count(*) as count from (${memberships} limit :maxMemberships) counted) of_one
       ) weighed
       window preceding as (order by id rows between unbounded preceding and 1 preceding)
     ) so_far
     where coalesce(memberships_before, 0) < :maxMemberships and coalesce(bytes_before, 0) < :maxBytes order by id`,
    { directoryId, after, maxResources, maxMemberships, maxBytes },
  );
  return rows.length === 0 ? undefined : rows.map(({ id }) => id);
}

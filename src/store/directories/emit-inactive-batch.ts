import type { Knex } from 'knex';
import type { InactiveUsers } from '../../directory/directories/directory.ts';
import { limitOf, type Quotas } from '../../directory/quotas.ts';
import { documentWeight } from '../resources/pushed-column.ts';
import { emitRange } from './emit-inactive-users.ts';
import { type EventTotalsRow, type QuotaRow, eventTotals, toOwnQuotas, toUndeliveredBytes } from './quotas.ts';

/** What one transaction emits and reads, in which all changes of the directory wait. At least one user. */
const [maxEvents, maxBytes, maxUsers] = [1_000, 8_388_608, 5_000];

/** SQL for whether progress was not noted just before: what waits for a webhook would only write. */
export const notesProgress = `(batches_at is null or batches_at < now() - interval '10 seconds')`;

export interface BacklogRow extends EventTotalsRow, Pick<QuotaRow, 'quotas'> {
  has_webhook: boolean;
}

/** Whether the webhook has to accept events before more are emitted. */
export const isFull = (row: BacklogRow, limits: Quotas): boolean =>
  row.has_webhook && toUndeliveredBytes(row) > limitOf({ limits, own: toOwnQuotas(row.quotas) }, 'undeliveredBytes');

interface ChangingRow extends BacklogRow {
  inactive_users: InactiveUsers;
  inactive_users_upto: string | null;
}

/** One step of a change of `inactive_users`: its events, and where the next step begins, in one transaction. */
export async function emitInactiveBatch(trx: Knex.Transaction, directoryId: string, limits: Quotas): Promise<'more' | 'wait' | 'done'> {
  await trx('directories').where({ id: directoryId }).forNoKeyUpdate().first('id');
  const { rows } = await trx.raw<{ rows: ChangingRow[] }>(
    `select ${eventTotals}, d.quotas, e.url is not null as has_webhook, d.inactive_users, d.inactive_users_upto
     from directories d join webhook_endpoints e on e.directory_id = d.id where d.id = :directoryId and d.removing_at is null`,
    { directoryId },
  );
  const [row] = rows;
  if (!row || row.inactive_users_upto === null) return 'done';
  if (isFull(row, limits)) {
    await trx('directories').where({ id: directoryId }).whereRaw(notesProgress).update({ batches_at: trx.fn.now() });
    return 'wait';
  }
  const after = row.inactive_users_upto;
  const upto = await findEnd(trx, directoryId, after);
  if (upto !== undefined) await emitRange(trx, directoryId, { inactiveUsers: row.inactive_users, after, upto });
  // Whoever has read the directory before decides anew: the new value applies to more users now.
  await trx('directories')
    .where({ id: directoryId })
    .update({
      inactive_users_upto: upto ?? null,
      batches_at: upto === undefined ? null : trx.fn.now(),
      revision: trx.raw('revision + 1'),
    });
  return upto === undefined ? 'done' : 'more';
}

/** The last user of the next step. Undefined if there are no more users. */
async function findEnd(trx: Knex.Transaction, directoryId: string, after: string): Promise<string | undefined> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `select id from (
       select id, sum(events) over preceding as events_before, sum(bytes) over preceding as bytes_before
       from (
         select u.id, case when u.active then 0 else 1 + of_user.count end as events,
           case when u.active then 0 else (${documentWeight('u', 'users')}) * (1 + of_user.count) end as bytes
         from (select * from users where directory_id = :directoryId and id > cast(:after as uuid) order by directory_id, id limit :maxUsers) u
           cross join lateral (
             select count(*) as count from group_members m where not u.active and m.directory_id = :directoryId and m.member_id = u.id
           ) of_user
       ) weighed
       window preceding as (order by id rows between unbounded preceding and 1 preceding)
     ) so_far
     where coalesce(events_before, 0) < :maxEvents and coalesce(bytes_before, 0) < :maxBytes order by id desc limit 1`,
    { directoryId, after, maxUsers, maxEvents, maxBytes },
  );
  return rows[0]?.id;
}

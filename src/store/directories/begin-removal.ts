import type { Knex } from 'knex';
import { type Hiding, toHiding } from '../../directory/directories/hiding.ts';
import type { DirectoryRemoval, InactiveUsers } from '../../directory/directories/directory.ts';
import { AppError } from '../../errors.ts';
import { recordAct } from '../audit/record-act.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import { hideDirectory } from './hide-directory.ts';
import { isMemberShown, isUserShown, toHidingBindings } from '../users/is-shown.ts';

interface RemovedRow {
  revision: number;
  deactivated: boolean;
  on_directory_delete: 'silent' | 'events';
  removing_at: Date | null;
  inactive_users: InactiveUsers;
  inactive_users_upto: string | null;
}

/**
 * Deletes a directory, or begins to: with `on_directory_delete: events` it is deactivated, and its users and groups are deleted in batches
 * first. Without a directory it does nothing.
 */
export async function beginRemoval(
  trx: Knex.Transaction,
  id: string,
  { confirmed, force, emitOperatorEvent }: DirectoryRemoval & { emitOperatorEvent: EmitOperatorEvent },
): Promise<'gone' | 'hidden' | 'removing'> {
  // Changes of the directory do not wait while everything is counted: it is repeated only if one was made meanwhile.
  const before = await readRow(trx, id);
  const counted = before && !force && isTold(before) ? await countConfirmed(trx, before, { id, confirmed }) : undefined;
  const row = await readRow(trx, id, { isLocked: true });
  if (!row) return 'gone';
  if (row.removing_at !== null && !force) return 'removing';
  if (force || !isTold(row)) return hide(trx, row, { id, emitOperatorEvent });
  const total = counted !== undefined && before?.revision === row.revision ? counted : await countConfirmed(trx, row, { id, confirmed });
  // Nobody is told of anything, and nothing is delivered.
  if (total === 0 && !(await hasWebhook(trx, id))) return hide(trx, row, { id, emitOperatorEvent });
  // The revision increases, so that no change that was decided before is written as if the directory were as it was.
  await trx('directories')
    .where({ id })
    .update({
      deactivated: true,
      removing_at: trx.fn.now(),
      batches_at: trx.fn.now(),
      updated_at: trx.fn.now(),
      revision: trx.raw('revision + 1'),
    });
  if (!row.deactivated) await emitOperatorEvent(trx, 'dsync.deactivated', id);
  await recordAct(trx, { action: 'directory.deleted', directory: { id }, changes: { events: total } });
  return 'removing';
}

const readRow = (trx: Knex.Transaction, id: string, { isLocked = false } = {}) =>
  trx('directories')
    .where({ id })
    .modify((query) => isLocked && void query.forNoKeyUpdate())
    .first<RemovedRow | undefined>(
      'revision',
      'deactivated',
      'on_directory_delete',
      'removing_at',
      'inactive_users',
      'inactive_users_upto',
    );

/** Whether its deletion begins with events. */
const isTold = (row: RemovedRow): boolean => row.on_directory_delete === 'events' && row.removing_at === null;

/** Fails if these are more events than were confirmed. */
async function countConfirmed(
  trx: Knex.Transaction,
  row: RemovedRow,
  { id, confirmed }: { id: string; confirmed: DirectoryRemoval['confirmed'] },
): Promise<number> {
  const events = await countEvents(trx, id, toHiding(row.inactive_users, row.inactive_users_upto));
  const total = Object.values(events).reduce((sum, count) => sum + count, 0);
  if (confirmed !== 'all' && total > (confirmed ?? 0)) throw unconfirmed(events, total);
  return total;
}

async function hide(
  trx: Knex.Transaction,
  { removing_at: removingAt }: RemovedRow,
  { id, emitOperatorEvent }: { id: string; emitOperatorEvent: EmitOperatorEvent },
): Promise<'gone' | 'hidden'> {
  if (!(await hideDirectory(trx, id, emitOperatorEvent))) return 'gone';
  await recordAct(trx, { action: 'directory.deleted', directory: { id }, ...(removingAt && { changes: { forced: true } }) });
  return 'hidden';
}

const hasWebhook = async (trx: Knex.Transaction, id: string): Promise<boolean> =>
  (await trx('webhook_endpoints').where({ directory_id: id }).whereNotNull('url').first('id')) !== undefined;

/** As events tell them: nobody is removed who was never told of. */
async function countEvents(trx: Knex.Transaction, directoryId: string, hiding: Hiding | undefined): Promise<Record<string, number>> {
  const { rows } = await trx.raw<{ rows: [Record<'users' | 'groups' | 'memberships', number>] }>(
    `select d.group_count as groups, d.user_count${hiding ? ` - (select count(*) from users u where u.directory_id = d.id and not ${isUserShown('u')})` : ''} as users,
       (select count(*) from group_members m where m.directory_id = d.id and m.kind = 'user' ${hiding ? `and ${isMemberShown('m')}` : ''}) as memberships
     from directories d where d.id = :directoryId`,
    { directoryId, ...(hiding && toHidingBindings(hiding)) },
  );
  const { users, groups, memberships } = rows[0];
  return { 'group.user_removed': memberships, 'user.deleted': users, 'group.deleted': groups };
}

function unconfirmed(events: Record<string, number>, confirm: number): AppError {
  const parts = Object.entries(events).map(([type, count]) => `${count} ${type}`);
  return new AppError(
    'confirmation_required',
    `The deletion would send ${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}: repeat it with "confirm": ${confirm}.`,
    { field: 'confirm', consequences: { events, confirm } },
  );
}

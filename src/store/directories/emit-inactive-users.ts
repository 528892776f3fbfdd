import type { Knex } from 'knex';
import type { DirectoryChange, InactiveUsers } from '../../directory/directories/directory.ts';
import { lowestId } from '../../ids.ts';
import { backlogFull, limitOf, type Quotas } from '../../directory/quotas.ts';
import { AppError } from '../../errors.ts';
import { appendEvents } from '../changes/append-events.ts';
import { groupProfile, userProfile } from '../changes/write-parts/events.ts';
import { documentWeight, rawOf } from '../resources/pushed-column.ts';
import { type EventTotalsRow, type QuotaRow, eventTotals, toOwnQuotas, toUndeliveredBytes } from './quotas.ts';

/** More events, or more memory of their documents, would be too much for one transaction, in which all changes of the directory wait. */
const [maxEvents, maxBytes] = [10_000, 67_108_864];

const typesOf = { keep: ['user.created', 'group.user_added'], delete: ['user.deleted', 'group.user_removed'] } as const;

interface ConfirmedEvents {
  total: number;
  bytes: number;
  /** They are too many for one transaction. */
  needsBatches: boolean;
}

/** Counts the events of a change of `inactive_users`, and fails if other events were confirmed. */
export async function countConfirmed(
  db: Knex,
  directoryId: string,
  { inactiveUsers, confirmed }: { inactiveUsers: InactiveUsers; confirmed: number | undefined },
): Promise<ConfirmedEvents> {
  const measured = await measure(db, directoryId);
  const needsBatches = measured.users + measured.memberships > maxEvents || measured.bytes > maxBytes;
  const { users, memberships } = needsBatches ? await count(db, directoryId) : measured;
  const total = users + memberships;
  if (total > 0 && confirmed !== total) throw unconfirmed(inactiveUsers, { users, memberships });
  return { total, bytes: measured.bytes, needsBatches };
}

interface CountedRow {
  revision: number;
  inactive_users: InactiveUsers;
  inactive_users_upto: string | null;
  removing_at: Date | null;
}

/** Counts without a lock, so that no change of the directory waits. The numbers are true while the directory has the same revision. */
export async function countBefore(
  db: Knex,
  id: string,
  { inactiveUsers, confirmedEvents: confirmed }: DirectoryChange,
): Promise<{ revision: number; events: ConfirmedEvents } | undefined> {
  if (inactiveUsers === undefined) return undefined;
  const row = await db('directories')
    .where({ id })
    .first<CountedRow | undefined>('revision', 'inactive_users', 'inactive_users_upto', 'removing_at');
  if (!row || row.removing_at || row.inactive_users_upto !== null || row.inactive_users === inactiveUsers) return undefined;
  return { revision: row.revision, events: await countConfirmed(db, id, { inactiveUsers, confirmed }) };
}

/**
 * Emits that the inactive users of a directory are deleted, or created, because its `inactive_users` changes in the same transaction. The
 * row of the directory must be locked. Its revision increases, so that no process decides on what it read before, and no import writes to
 * it. If these are too many events for a transaction, it emits nothing and returns true: batches do, after this transaction.
 */
export async function emitInactiveUsers(
  trx: Knex.Transaction,
  directoryId: string,
  { inactiveUsers, limits, total, bytes, needsBatches }: ConfirmedEvents & { inactiveUsers: InactiveUsers; limits: Quotas },
): Promise<boolean> {
  if (!needsBatches) await assertRoom(trx, directoryId, { bytes, limits });
  await trx.raw('update all_directories set revision = revision + 1 where id = :directoryId', { directoryId });
  if (total > 0 && !needsBatches) await emitRange(trx, directoryId, { inactiveUsers, after: lowestId, upto: undefined });
  return needsBatches;
}

interface Range {
  inactiveUsers: InactiveUsers;
  /** The keys of users: those after this one. */
  after: string;
  /** Up to this one. */
  upto: string | undefined;
}

/** Emits that the inactive users of a range are deleted, or created, and lets the delivery wake. The row of the directory must be locked. */
export async function emitRange(trx: Knex.Transaction, directoryId: string, { inactiveUsers, ...range }: Range): Promise<void> {
  await appendEvents(trx, { directoryId, reason: 'setting' }, eventsOf(inactiveUsers), {
    after: range.after,
    upto: range.upto ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  });
  // Waits for a delivery that clears the flag, as changes do.
  await trx.raw(
    `with endpoint as (select id, wake from webhook_endpoints where directory_id = :directoryId for key share)
     update webhook_endpoints e set wake = true, wake_at = clock_timestamp() from endpoint where e.id = endpoint.id and not endpoint.wake`,
    { directoryId },
  );
}

/** As changes that are pushed: what the webhook has not accepted may not grow without limit. */
async function assertRoom(trx: Knex.Transaction, directoryId: string, { bytes, limits }: { bytes: number; limits: Quotas }): Promise<void> {
  const { rows } = await trx.raw<{ rows: [EventTotalsRow & Pick<QuotaRow, 'quotas'> & { has_webhook: boolean }] }>(
    `select ${eventTotals}, d.quotas, e.url is not null as has_webhook
     from all_directories d left join webhook_endpoints e on e.directory_id = d.id where d.id = :directoryId`,
    { directoryId },
  );
  const [row] = rows;
  const quotas = { limits, own: toOwnQuotas(row.quotas) };
  if (row.has_webhook && toUndeliveredBytes(row) + bytes > limitOf(quotas, 'undeliveredBytes'))
    throw new AppError('unavailable', backlogFull(quotas).detail, { field: 'inactive_users' });
}

/** Counting stops soon above the limits. */
async function measure(db: Knex, directoryId: string): Promise<{ users: number; memberships: number; bytes: number }> {
  const { rows } = await db.raw<{ rows: [{ users: number; memberships: number; bytes: number }] }>(
    `with inactive as materialized (
       select id, ${documentWeight('u', 'users')} as bytes from users u where directory_id = :directoryId and not active limit :most
     ), joined as materialized (
       select inactive.bytes + ${documentWeight('g', 'groups')} as bytes
       from inactive
         join group_members m on m.directory_id = :directoryId and m.member_id = inactive.id
         join groups g on g.directory_id = :directoryId and g.id = m.group_id
       limit :most
     )
     select (select count(*) from inactive) as users, (select count(*) from joined) as memberships,
       cast(coalesce((select sum(bytes) from inactive), 0) + coalesce((select sum(bytes) from joined), 0) as float8) as bytes`,
    { directoryId, most: maxEvents + 1 },
  );
  return rows[0];
}

async function count(db: Knex, directoryId: string): Promise<{ users: number; memberships: number }> {
  const { rows } = await db.raw<{ rows: [{ users: number; memberships: number }] }>(
    `select (select count(*) from users where directory_id = :directoryId and not active) as users,
       (select count(*) from users u join group_members m on m.directory_id = :directoryId and m.member_id = u.id
        where u.directory_id = :directoryId and not u.active) as memberships`,
    { directoryId },
  );
  return rows[0];
}

/** A user leaves its groups before it is deleted, and joins them after it was created, as with any other deletion and creation. */
function eventsOf(inactiveUsers: InactiveUsers): string {
  const [ofUser, ofMembership] = typesOf[inactiveUsers];
  const inRange = 'u.id > cast(:after as uuid) and u.id <= cast(:upto as uuid)';
  const raw = `cross join lateral (select ${rawOf('u')} as raw offset 0) pushed`;
  return `select row_number() over (order by section, user_key, group_key) as place, gen_random_uuid() as id, type, user_key as user_id, data, member, member_of,
      clock_timestamp() as occurred_at
    from (
      select ${inactiveUsers === 'delete' ? 3 : 1} as section, u.id as user_key, cast(null as uuid) as group_key, '${ofUser}' as type,
        ${userProfile('u', 'pushed.raw')} as data, cast(null as jsonb) as member, cast(null as jsonb) as member_of
      from users u ${raw} where u.directory_id = :directoryId and not u.active and ${inRange}
      union all
      select 2, u.id, g.id, '${ofMembership}', cast('{}' as jsonb), ${userProfile('u', 'pushed.raw')}, ${groupProfile('g')}
      from users u ${raw}
        join group_members m on m.directory_id = :directoryId and m.member_id = u.id
        join groups g on g.directory_id = :directoryId and g.id = m.group_id
      where u.directory_id = :directoryId and not u.active and ${inRange}
    ) of_inactive`;
}

function unconfirmed(inactiveUsers: InactiveUsers, { users, memberships }: { users: number; memberships: number }): AppError {
  const [ofUser, ofMembership] = typesOf[inactiveUsers];
  const confirm = users + memberships;
  return new AppError(
    'confirmation_required',
    `The change of inactive_users would send ${users} ${ofUser} and ${memberships} ${ofMembership}: repeat it with "confirm": ${confirm}.`,
    { field: 'inactive_users', consequences: { events: { [ofUser]: users, [ofMembership]: memberships }, confirm } },
  );
}

import type { Knex } from 'knex';
import { AppError } from '../../errors.ts';
import type { OpenSnapshot, SnapshotStore } from '../../directory/snapshots/ports.ts';
import { openDatabase, type DatabaseOptions } from '../database.ts';
import { countMembers } from '../groups/count-members.ts';
import { toGroup, type GroupRow } from '../groups/group-rows.ts';
import type { InactiveUsers } from '../../directory/directories/directory.ts';
import { type Hiding, toHiding } from '../../directory/directories/hiding.ts';
import { isMemberShown, isUserShown, toHidingBindings } from '../users/is-shown.ts';
import { publicIdOfMember } from '../resources/public-id.ts';
import { documentWeight } from '../resources/pushed-column.ts';
import { runUntilAborted } from '../sql/statement-scope.ts';
import { toUser, type UserRow } from '../users/user-rows.ts';

interface SnapshotStoreOptions extends Pick<DatabaseOptions, 'pooler'> {
  /** Snapshots of all processes together, and so the connections of this one. */
  concurrent: number;
}

const rowsPerPage = 500;
const fewestRows = 16;
const membershipsPerPage = 5_000;
/** Memory of the documents of a page. A page has at least one row. */
const maxPageBytes = 2_097_152;
/** A reader that is just fast enough may take so long for a page. It must end before a migration gives up, also if this process is cut off. */
const maxPauseSeconds = 240;
/** Before all keys. */
const first = '00000000-0000-0000-0000-000000000000';

/**
 * Reads a directory in one transaction, which sees one state of the database. Such a transaction holds back vacuum, so their number is
 * limited by locks of the database, and each has a connection of its own: a slow reader takes none from other requests.
 */
export function openSnapshotStore(
  url: string,
  { concurrent, ...options }: SnapshotStoreOptions,
): SnapshotStore & { close(): Promise<void> } {
  // One more learns that there is no place.
  const db = openDatabase(url, { ...options, poolSize: concurrent + 1 });
  const closing = new AbortController();
  return {
    open: (directoryId, signal) => openSnapshot(db, { directoryId, concurrent, signal: AbortSignal.any([signal, closing.signal]) }),
    close() {
      // The pool waits for its connections, and a reader may keep one for minutes.
      closing.abort(new AppError('unavailable', 'Rollcall is stopping in this process: begin again.'));
      return db.destroy();
    },
  };
}

interface OpenOptions {
  directoryId: string;
  concurrent: number;
  signal: AbortSignal;
}

export async function openSnapshot(db: Knex, { directoryId, concurrent, signal }: OpenOptions): ReturnType<SnapshotStore['open']> {
  const trx = await begin(db, signal);
  const close = () => {
    signal.removeEventListener('abort', close);
    return end(trx);
  };
  const read = <Found>(query: () => Promise<Found>) => runUntilAborted(signal, query);
  // Its reader may never ask for another page.
  signal.addEventListener('abort', close);
  try {
    const head = await read(() => readHead(trx, directoryId));
    const busy = head && (await read(() => takePlace(trx, head.tenant, concurrent)));
    if (head && !busy) {
      const { hiding, ...shown } = head;
      return { ...shown, ...pagesOf(trx, { directoryId, hiding }, read), close };
    }
    await close();
    return busy && { busy };
  } catch (error) {
    await close();
    throw error;
  }
}

async function begin(db: Knex, signal: AbortSignal): Promise<Knex.Transaction> {
  let opening: Promise<Knex.Transaction> | undefined;
  try {
    return await runUntilAborted(signal, () => (opening = db.transaction({ isolationLevel: 'repeatable read', readOnly: true })));
  } catch (error) {
    // An abort does not wait for it, and a transaction that begins later would keep its connection for ever.
    void opening?.then(end, () => undefined);
    throw error;
  }
}

/** Nothing was written, so both ways to end it are the same. A connection that is lost has ended it, and it can be ended again. */
async function end(trx: Knex.Transaction): Promise<void> {
  try {
    await trx.rollback();
  } catch {}
}

/** The locks end with the transaction, also if this process dies. A tenant has one place, so that it cannot take all of them. */
async function takePlace(trx: Knex, tenant: string, concurrent: number): Promise<'tenant' | 'deployment' | undefined> {
  const { rows: own } = await trx.raw<{ rows: { is_locked: boolean }[] }>(
    `select pg_try_advisory_xact_lock(hashtextextended(:tenant, 7265636532)) as is_locked`,
    { tenant },
  );
  if (!own[0]!.is_locked) return 'tenant';
  for (let place = 1; place <= concurrent; place += 1) {
    const { rows } = await trx.raw<{ rows: { is_locked: boolean }[] }>(
      'select pg_try_advisory_xact_lock(7265636533 + cast(:place as int)) as is_locked',
      { place },
    );
    if (rows[0]!.is_locked) return undefined;
  }
  return 'deployment';
}

type Head = Pick<OpenSnapshot, 'tenant' | 'product' | 'sequence' | 'takenAt'> & { hiding: Hiding | undefined };

async function readHead(trx: Knex, directoryId: string): Promise<Head | undefined> {
  // Between two pages, it waits for the reader.
  await trx.raw(`set local idle_in_transaction_session_timeout = '${maxPauseSeconds}s'`);
  const { rows } = await trx.raw<{
    rows: {
      tenant: string;
      product: string;
      last_sequence: number;
      inactive_users: InactiveUsers;
      inactive_users_upto: string | null;
      at: Date;
    }[];
  }>('select tenant, product, last_sequence, inactive_users, inactive_users_upto, now() as at from directories where id = :directoryId', {
    directoryId,
  });
  return (
    rows[0] && {
      tenant: rows[0].tenant,
      product: rows[0].product,
      sequence: rows[0].last_sequence,
      hiding: toHiding(rows[0].inactive_users, rows[0].inactive_users_upto),
      takenAt: rows[0].at,
    }
  );
}

interface Pages {
  directoryId: string;
  /** As events do, so that both end in the same state. */
  hiding: Hiding | undefined;
}

function pagesOf(trx: Knex, { directoryId, hiding }: Pages, read: <Found>(query: () => Promise<Found>) => Promise<Found>) {
  const shownUsers = hiding ? `and ${isUserShown('r')}` : '';
  const shownMemberships = hiding ? `and ${isMemberShown('m')}` : '';
  const hidden = hiding && toHidingBindings(hiding);
  return { users, groups, memberships };

  async function* users() {
    for await (const rows of pages((after, limit) =>
      readResources<UserRow>(trx, 'users', { directoryId, after, limit, ...hidden }, shownUsers),
    ))
      yield rows.map((row) => ({ ...toUser(row), directoryId }));
  }

  async function* groups() {
    for await (const rows of pages((after, limit) => readResources<GroupRow>(trx, 'groups', { directoryId, after, limit }))) {
      const counts = await read(() => countMembers(trx, rows));
      yield rows.map((row) => ({ ...toGroup(row), directoryId, memberCount: counts.get(`${directoryId} ${row.id}`) ?? 0 }));
    }
  }

  async function* memberships() {
    let after = { groupKey: first, memberKey: first };
    for (;;) {
      const rows = await read(() => readMemberships(trx, { directoryId, ...after, ...hidden }, shownMemberships));
      const last = rows.at(-1);
      if (!last) return;
      yield rows.map(({ group_id: groupId, user_id: userId }) => ({ groupId, userId }));
      after = { groupKey: last.group_key, memberKey: last.member_key };
    }
  }

  /** A page weighs all rows that it may have, so where documents are large, the next page weighs fewer. */
  async function* pages<Row extends { id: string }>(readAfter: (after: string, limit: number) => Promise<Row[]>) {
    let limit = rowsPerPage;
    for (let after = first; ;) {
      const rows = await read(() => readAfter(after, limit));
      if (rows.length === 0) return;
      yield rows;
      after = rows.at(-1)!.id;
      limit = Math.min(rowsPerPage, Math.max(fewestRows, 2 * rows.length));
    }
  }
}

async function readResources<Row>(
  trx: Knex,
  table: 'users' | 'groups',
  bindings: { directoryId: string; after: string; limit: number },
  and = '',
): Promise<Row[]> {
  const { rows } = await trx.raw<{ rows: Row[] }>(
    `select * from (
       select page.*, sum(weight) over (order by id rows between unbounded preceding and 1 preceding) as weight_before
       from (
         select r.*, ${documentWeight('r')} as weight from ${table} r
         where directory_id = :directoryId and id > :after ${and} order by directory_id, id limit :limit
       ) page
     ) weighed where coalesce(weight_before, 0) < :maxPageBytes order by id`,
    { ...bindings, maxPageBytes },
  );
  return rows;
}

interface MembershipRow {
  group_key: string;
  member_key: string;
  group_id: string;
  user_id: string;
}

async function readMemberships(
  trx: Knex,
  bindings: { directoryId: string; groupKey: string; memberKey: string },
  and: string,
): Promise<MembershipRow[]> {
  const { rows } = await trx.raw<{ rows: MembershipRow[] }>(
    `select m.group_id as group_key, m.member_id as member_key, ${publicIdOfMember('m')} as user_id,
       case when substr(cast(m.group_id as text), 15, 1) = '8'
         then (select coalesce(public_id, cast(id as text)) from groups where directory_id = m.directory_id and id = m.group_id)
         else cast(m.group_id as text) end as group_id
     from group_members m
     where directory_id = :directoryId and (group_id, member_id) > (cast(:groupKey as uuid), cast(:memberKey as uuid)) and kind = 'user' ${and}
     order by directory_id, group_id, member_id limit :membershipsPerPage`,
    { ...bindings, membershipsPerPage },
  );
  return rows;
}

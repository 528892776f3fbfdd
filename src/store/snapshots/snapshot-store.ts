import type { Knex } from 'knex';
import { AppError } from '../../errors.ts';
import type { OpenSnapshot, SnapshotStore } from '../../directory/snapshots/ports.ts';
import { openDatabase, type DatabaseOptions } from '../database.ts';
import { countMembers } from '../groups/count-members.ts';
import { toGroup, type GroupRow } from '../groups/group-rows.ts';
import type { InactiveUsers } from '../../directory/directories/directory.ts';
import { type Hiding, toHiding } from '../../directory/directories/hiding.ts';
import { isMemberShown, isUserShown, toHidingBindings } from '../users/is-shown.ts';
import { documentWeight } from '../resources/pushed-column.ts';
import { runUntilAborted } from '../sql/statement-scope.ts';
import { toUser, type UserRow } from '../users/user-rows.ts';
import { readMemberships } from './read-memberships.ts';

interface SnapshotStoreOptions extends Pick<DatabaseOptions, 'pooler'> {
  /** Limits the snapshots of all processes together. One process may have all of them. */
  maxConcurrent: number;
}

const rowsPerPage = 500;
const minRowsPerPage = 16;
/** Limits the documents of a page in memory. A page has at least one row. */
const maxPageBytes = 2_097_152;
/** The slowest reader that is allowed needs this long for a page. Must be shorter than a migration waits, in case this process is cut off. */
const maxPauseSeconds = 240;
/** Lower than all keys. */
const lowestKey = '00000000-0000-0000-0000-000000000000';

/**
 * Reads a directory in one transaction, which sees one state of the database. Such a transaction holds back vacuum, so their number is
 * limited by locks of the database, and each has a connection of its own: a slow reader takes none from other requests.
 */
export function openSnapshotStore(
  url: string,
  { maxConcurrent, ...options }: SnapshotStoreOptions,
): SnapshotStore & { close(): Promise<void> } {
  // One more connection finds out that all slots are taken.
  const db = openDatabase(url, { ...options, poolSize: maxConcurrent + 1 });
  const closing = new AbortController();
  return {
    open: (directoryId, signal) => openSnapshot(db, { directoryId, maxConcurrent, signal: AbortSignal.any([signal, closing.signal]) }),
    close() {
      // Without the abort, the pool would wait minutes for the connections of slow readers.
      closing.abort(new AppError('unavailable', 'Rollcall is stopping in this process: begin again.'));
      return db.destroy();
    },
  };
}

interface OpenOptions {
  directoryId: string;
  maxConcurrent: number;
  signal: AbortSignal;
}

export async function openSnapshot(db: Knex, { directoryId, maxConcurrent, signal }: OpenOptions): ReturnType<SnapshotStore['open']> {
  const trx = await beginTransaction(db, signal);
  const close = () => {
    signal.removeEventListener('abort', close);
    return rollBack(trx);
  };
  const read = <Found>(query: () => Promise<Found>) => runUntilAborted(signal, query);
  // The reader may never request another page, so an abort closes the transaction immediately.
  signal.addEventListener('abort', close);
  try {
    const head = await read(() => readHead(trx, directoryId));
    const busy = head && (await read(() => acquireSlot(trx, head.tenant, maxConcurrent)));
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

async function beginTransaction(db: Knex, signal: AbortSignal): Promise<Knex.Transaction> {
  let opening: Promise<Knex.Transaction> | undefined;
  try {
    return await runUntilAborted(signal, () => (opening = db.transaction({ isolationLevel: 'repeatable read', readOnly: true })));
  } catch (error) {
    // The transaction may begin after the abort, and would then occupy its connection forever.
    void opening?.then(rollBack, () => undefined);
    throw error;
  }
}

/** Nothing was written. It can be called again, and a lost connection has already ended the transaction. */
async function rollBack(trx: Knex.Transaction): Promise<void> {
  try {
    await trx.rollback();
  } catch {}
}

/** The locks end with the transaction, even if this process dies. A tenant has one slot, so that it cannot occupy all of them. */
async function acquireSlot(trx: Knex, tenant: string, maxConcurrent: number): Promise<'tenant' | 'deployment' | undefined> {
  const { rows: own } = await trx.raw<{ rows: { is_locked: boolean }[] }>(
    `select pg_try_advisory_xact_lock(hashtextextended(:tenant, 7265636532)) as is_locked`,
    { tenant },
  );
  if (!own[0]!.is_locked) return 'tenant';
  for (let slot = 1; slot <= maxConcurrent; slot += 1) {
    const { rows } = await trx.raw<{ rows: { is_locked: boolean }[] }>(
      'select pg_try_advisory_xact_lock(7265636533 + cast(:slot as int)) as is_locked',
      { slot },
    );
    if (rows[0]!.is_locked) return undefined;
  }
  return 'deployment';
}

type Head = Pick<OpenSnapshot, 'tenant' | 'product' | 'sequence' | 'takenAt'> & { hiding: Hiding | undefined };

async function readHead(trx: Knex, directoryId: string): Promise<Head | undefined> {
  // The transaction is idle between two pages, while the reader works. Compiling the statement of a page takes longer than the page.
  await trx.raw(`select set_config('idle_in_transaction_session_timeout', '${maxPauseSeconds}s', true), set_config('jit', 'off', true)`);
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
  /** Events hide the same users, and both must lead to the same state. */
  hiding: Hiding | undefined;
}

function pagesOf(trx: Knex, { directoryId, hiding }: Pages, read: <Found>(query: () => Promise<Found>) => Promise<Found>) {
  const shownUsers = hiding ? `and ${isUserShown('r')}` : '';
  const shownMemberships = hiding ? `and ${isMemberShown('m')}` : '';
  const hidden = hiding && toHidingBindings(hiding);
  return { users, groups, memberships, count: () => read(() => countRows(trx, directoryId)) };

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
    let after = { groupKey: lowestKey, memberKey: lowestKey };
    for (;;) {
      const page = await read(() => readMemberships(trx, { directoryId, ...after, ...hidden }, shownMemberships));
      if (!page) return;
      yield { count: page.count, text: page.lines };
      after = { groupKey: page.group_key, memberKey: page.member_key };
    }
  }

  /** The statement measures `limit` rows, even if the page then has fewer. So after a page of large documents, the limit is lower. */
  async function* pages<Row extends { id: string }>(readAfter: (after: string, limit: number) => Promise<Row[]>) {
    let limit = rowsPerPage;
    for (let after = lowestKey; ;) {
      const rows = await read(() => readAfter(after, limit));
      if (rows.length === 0) return;
      yield rows;
      after = rows.at(-1)!.id;
      limit = Math.min(rowsPerPage, Math.max(minRowsPerPage, 2 * rows.length));
    }
  }
}

async function countRows(trx: Knex, directoryId: string) {
  const { rows } = await trx.raw<{ rows: { users: number; groups: number; memberships: number }[] }>(
    `select (select count(*) from users where directory_id = :directoryId) as users,
       (select count(*) from groups where directory_id = :directoryId) as groups,
       (select count(*) from group_members where directory_id = :directoryId and kind = 'user') as memberships`,
    { directoryId },
  );
  return rows[0]!;
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
         select r.*, ${documentWeight('r', table)} as weight from ${table} r
         where directory_id = :directoryId and id > :after ${and} order by directory_id, id limit :limit
       ) page
     ) weighed where coalesce(weight_before, 0) < :maxPageBytes order by id`,
    { ...bindings, maxPageBytes },
  );
  return rows;
}

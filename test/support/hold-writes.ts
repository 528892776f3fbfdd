import type { Knex } from 'knex';
import { until } from './until.ts';

/** A table, and how the statement begins that waits for it. Default: any. */
interface HeldWrite {
  table: string;
  statement?: string;
}

export type HeldWrites = [HeldWrite, ...HeldWrite[]];

export interface Hold {
  /** Waits until a statement waits. */
  reached(): Promise<void>;
  release(): Promise<void>;
  /** Ends the statements that wait. Without this, Postgres would still carry them out after their process has died. */
  abort(): Promise<void>;
}

/** Lets reads of a table pass, and holds writes to it. */
async function holdWrite(db: Knex, { table, statement = '' }: HeldWrite): Promise<Hold> {
  const holder = await db.transaction();
  await holder.raw(`lock table ${table} in exclusive mode`);
  return {
    async reached() {
      await until(async () => {
        // Databases that were cloned from one template have the same OIDs for their tables.
        const { rows } = await db.raw<{ rows: object[] }>(
          `select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid
           where not l.granted and l.relation = cast(:table as regclass) and a.datname = current_database() and l.database = a.datid
             and starts_with(a.query, :statement)`,
          { table, statement },
        );
        return rows.length > 0;
      });
    },
    async release() {
      await holder.rollback();
    },
    async abort() {
      await db.raw(
        `select pg_terminate_backend(l.pid, 10000) from pg_locks l join pg_stat_activity a on a.pid = l.pid
         where not l.granted and l.relation = cast(:table as regclass) and a.datname = current_database() and l.database = a.datid`,
        { table },
      );
    },
  };
}

/** Holds the last of some writes that follow each other. Each is held before the one before it continues, so that it cannot be missed. */
export async function holdWrites(db: Knex, [first, ...later]: HeldWrites): Promise<Hold> {
  let hold = await holdWrite(db, first);
  return {
    async reached() {
      await hold.reached();
      for (const write of later) {
        const next = await holdWrite(db, write);
        await hold.release();
        hold = next;
        await hold.reached();
      }
    },
    release: () => hold.release(),
    abort: () => hold.abort(),
  };
}

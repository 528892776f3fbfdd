import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { openDatabase } from '../../src/store/database.ts';

export interface TestDatabase {
  db: Knex;
  url: string;
  drop(): Promise<void>;
}

interface ClonedDatabase extends TestDatabase {
  /** A single connection, on which all of its statements run. */
  openSingle(): Knex;
}

/** A new database, cloned from the migrated template. */
export async function cloneDatabase(): Promise<ClonedDatabase> {
  const created = await createDatabase('test', 'template rollcall_template strategy file_copy');
  const singles: Knex[] = [];
  return {
    ...created,
    openSingle() {
      const single = openDatabase(created.url, { poolSize: 1 });
      singles.push(single);
      return single;
    },
    async drop() {
      await Promise.all(singles.map((single) => single.destroy()));
      await created.drop();
    },
  };
}

/** A new database without tables. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createDatabase('empty', 'template template0');

async function createDatabase(prefix: string, from: string): Promise<TestDatabase> {
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  await asAdmin((admin) => admin.raw(`create database ?? ${from}`, [name]));
  const url = process.env['TEST_POSTGRES_URL']!.replace(/\/postgres$/, `/${name}`);
  const db = openDatabase(url);
  return {
    db,
    url,
    async drop() {
      await db.destroy();
      await asAdmin((admin) => admin.raw('drop database ?? with (force)', [name]));
    },
  };
}

/** Runs `work` with a database that has no schema yet. */
export async function inEmptyDatabase(work: (url: string, db: Knex) => Promise<void>): Promise<void> {
  const { url, db, drop } = await createEmptyDatabase();
  try {
    await work(url, db);
  } finally {
    await drop();
  }
}

/** Runs `work` with a database that has been migrated. */
export async function inMigratedDatabase(work: (url: string, db: Knex) => Promise<void>): Promise<void> {
  const { url, db, drop } = await cloneDatabase();
  try {
    await work(url, db);
  } finally {
    await drop();
  }
}

async function asAdmin(work: (admin: Knex) => PromiseLike<unknown>) {
  const admin = openDatabase(process.env['TEST_POSTGRES_URL']!);
  try {
    await work(admin);
  } finally {
    await admin.destroy();
  }
}

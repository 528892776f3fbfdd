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
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin((admin) => admin.raw('create database ?? template rollcall_template strategy file_copy', [name]));
  const url = process.env['TEST_POSTGRES_URL']!.replace(/\/postgres$/, `/${name}`);
  const opened = [openDatabase(url)];
  return {
    db: opened[0]!,
    url,
    openSingle() {
      const single = openDatabase(url, { poolSize: 1 });
      opened.push(single);
      return single;
    },
    async drop() {
      await Promise.all(opened.map((db) => db.destroy()));
      await asAdmin((admin) => admin.raw('drop database ?? with (force)', [name]));
    },
  };
}

/** Runs `work` with a database that has no schema yet. */
export async function inEmptyDatabase(work: (url: string, db: Knex) => Promise<void>): Promise<void> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin((admin) => admin.raw('create database ??', [name]));
  const url = process.env['TEST_POSTGRES_URL']!.replace(/\/postgres$/, `/${name}`);
  const db = openDatabase(url);
  try {
    await work(url, db);
  } finally {
    await db.destroy();
    await asAdmin((admin) => admin.raw('drop database ?? with (force)', [name]));
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

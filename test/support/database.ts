import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { openDatabase } from '../../src/store/database.ts';

/** A database of the calling file's own, cloned from the migrated template. */
export async function cloneDatabase(): Promise<{ db: Knex; url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin((admin) => admin.raw('create database ?? template rollcall_template', [name]));
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

async function asAdmin(work: (admin: Knex) => PromiseLike<unknown>) {
  const admin = openDatabase(process.env['TEST_POSTGRES_URL']!);
  try {
    await work(admin);
  } finally {
    await admin.destroy();
  }
}

import type { Knex } from 'knex';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../../errors.ts';
import { openDatabase } from '../database.ts';
import { tryLock } from '../sql/advisory-lock.ts';
import { migrationNames, migrationSource } from './index.ts';

const lockNumber = '7265636531';
const lockRetryMs = 100;

/**
 * Migrates the schema. If several processes start at the same time, a Postgres lock lets one of them migrate while the others wait; a crash
 * releases the lock. A restore migrates to the version of its backup first, and to the current version after loading it.
 */
export async function migrate(url: string, upTo: string[] = migrationNames): Promise<void> {
  const guard = new pg.Client({ connectionString: url, application_name: 'rollcall migrate', connectionTimeoutMillis: 10_000 });
  // A lost connection fails the query in progress. Without a listener it would also end the process.
  guard.on('error', () => undefined);
  // Works behind every pooler.
  const db = openDatabase(url, { pooler: 'transaction' });
  try {
    await guard.connect().catch(failToConnect);
    while (!(await tryLock(guard, 'cast($1 as bigint)', lockNumber))) await delay(lockRetryMs);
    await assertKnownSchema(db);
    if ((await appliedMigrations(db)).length === migrationNames.length) return;
    const source = { ...migrationSource, getMigrations: () => Promise.resolve(migrationNames.filter((name) => upTo.includes(name))) };
    // The lock of the guard decides. If knex's own lock is still taken, its holder has died.
    await db.migrate.forceFreeMigrationsLock({ migrationSource: source });
    await db.migrate.latest({
      migrationSource: source,
      beforeEach: (trx: Knex) => trx.raw('set local statement_timeout = 0; set local lock_timeout = 0'),
    });
  } finally {
    await Promise.all([guard.end(), db.destroy()]);
  }
}

export function failToConnect(error: unknown): never {
  const { code } = error as { code?: string };
  const reason =
    code === '28P01' || code === '28000'
      ? 'rejects the user or the password: correct DATABASE_URL'
      : code === '3D000'
        ? 'has no such database: create it, or correct DATABASE_URL'
        : 'does not respond: start it, or correct DATABASE_URL';
  throw new StartupError(`The Postgres at DATABASE_URL ${reason}.`, { cause: error });
}

/** A newer version of Rollcall may have migrated this database. This version does not know its new columns. */
async function assertKnownSchema(db: Knex): Promise<void> {
  const unknown = unknownMigrations(await appliedMigrations(db));
  if (unknown.length > 0)
    throw new StartupError(
      `The database was migrated by a newer version of Rollcall (${unknown.join(', ')}): run that version or a later one.`,
    );
}

export const unknownMigrations = (names: string[]): string[] => names.filter((name) => !migrationNames.includes(name));

/** Whether the schema matches this version of Rollcall. Another version may migrate it while this process runs. */
export async function isSchemaKnown(db: Knex): Promise<boolean> {
  const applied = await appliedMigrations(db);
  return applied.length === migrationNames.length && applied.every((name) => migrationNames.includes(name));
}

async function appliedMigrations(db: Knex): Promise<string[]> {
  if (!(await db.schema.hasTable('knex_migrations'))) return [];
  return db('knex_migrations').orderBy('id').pluck<string[]>('name');
}

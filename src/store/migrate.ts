import type { Knex } from 'knex';
import pg from 'pg';
import { StartupError } from '../errors.ts';
import { openDatabase } from './database.ts';
import { migrationNames, migrationSource } from './migrations/index.ts';

const lockNumber = 7_265_636_531;

/**
 * Brings the schema up to date. Several processes may start at once: a session lock of Postgres, which a crash releases,
 * lets one of them work and the others find it done. A restore migrates up to where its backup was, and again when it is loaded.
 */
export async function migrate(url: string, upTo: string[] = migrationNames): Promise<void> {
  const guard = new pg.Client({ connectionString: url, application_name: 'rollcall migrate', connectionTimeoutMillis: 10_000 });
  // Its loss fails the query under way; without a listener it would also end the process.
  guard.on('error', () => undefined);
  const db = openDatabase(url, { statementTimeoutMs: 0 });
  try {
    await guard.connect().catch(refuseToConnect);
    await guard.query('select pg_advisory_lock($1)', [lockNumber]);
    await refuseUnknownSchema(db);
    if ((await appliedMigrations(db)).length === migrationNames.length) return;
    const source = { ...migrationSource, getMigrations: () => Promise.resolve(migrationNames.filter((name) => upTo.includes(name))) };
    // Whoever held knex's own lock is dead: we hold the one that counts.
    await db.migrate.forceFreeMigrationsLock({ migrationSource: source });
    await db.migrate.latest({ migrationSource: source });
  } finally {
    await Promise.all([guard.end(), db.destroy()]);
  }
}

export function refuseToConnect(error: unknown): never {
  const { code } = error as { code?: string };
  const reason =
    code === '28P01' || code === '28000'
      ? 'refuses the user or the password: correct DATABASE_URL'
      : code === '3D000'
        ? 'has no such database: create it, or correct DATABASE_URL'
        : 'does not answer: start it, or correct DATABASE_URL';
  throw new StartupError(`The Postgres at DATABASE_URL ${reason}.`, { cause: error });
}

/** A newer Rollcall may have migrated this database; what its new columns mean is not for us to guess. */
async function refuseUnknownSchema(db: Knex): Promise<void> {
  const unknown = unknownMigrations(await appliedMigrations(db));
  if (unknown.length > 0)
    throw new StartupError(`The database was migrated by a newer Rollcall (${unknown.join(', ')}): run that version or a newer one.`);
}

export const unknownMigrations = (names: string[]): string[] => names.filter((name) => !migrationNames.includes(name));

/** True while the schema is the one that this process was built for; another version may migrate it under our feet. */
export async function isSchemaKnown(db: Knex): Promise<boolean> {
  const applied = await appliedMigrations(db);
  return applied.length === migrationNames.length && applied.every((name) => migrationNames.includes(name));
}

async function appliedMigrations(db: Knex): Promise<string[]> {
  if (!(await db.schema.hasTable('knex_migrations'))) return [];
  return db('knex_migrations').orderBy('id').pluck<string[]>('name');
}

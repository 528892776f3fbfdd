import type { Knex } from 'knex';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../../errors.ts';
import { type Pooler, openDatabase } from '../database.ts';
import { tryLock } from '../sql/advisory-lock.ts';
import { recordAct } from '../audit/record-act.ts';
import { hasNoTransaction, migrationNames, migrationSource } from './index.ts';

const lockNumber = '7265636531';
const lockRetryMs = 100;
/** What holds a table or an old view of the database must end before it. */
export const migrationGivesUpAfterMs = 300_000;

interface MigrateOptions {
  pooler?: Pooler;
  /** A restore migrates to the version of its backup first, and to the current version after loading it. */
  upTo?: string[];
  /**
   * The longest wait for the lock of a table. Every request on the table waits as long. More than the `deadlock_timeout` of Postgres (1 s),
   * after which autovacuum gives way.
   */
  tableLockTimeoutMs?: number;
  /** How long a migration is tried again because a table is locked. */
  giveUpAfterMs?: number;
}

/**
 * Migrates the schema. If several processes start at the same time, a Postgres lock lets one of them migrate while the others wait; a crash
 * releases the lock. Other processes may be serving: the migrations never wait long for a table, and all of them are tried again. Returns the
 * names of those that this call has applied.
 */
export async function migrate(
  url: string,
  { pooler, upTo = migrationNames, tableLockTimeoutMs = 2_000, giveUpAfterMs = migrationGivesUpAfterMs }: MigrateOptions = {},
): Promise<string[]> {
  const done: string[] = [];
  const guard = new pg.Client({ connectionString: url, application_name: 'rollcall migrate', connectionTimeoutMillis: 10_000 });
  // A lost connection fails the query in progress. Without a listener it would also end the process.
  guard.on('error', () => undefined);
  // Works behind every pooler.
  const db = openDatabase(url, { pooler: 'transaction', poolSize: 1 });
  try {
    await guard.connect().catch(failToConnect);
    while (!(await tryLock(guard, 'cast($1 as bigint)', lockNumber))) await delay(lockRetryMs);
    if (await isMigrated(db)) return done;
    const beforeEach = (knex: Knex) => {
      if (knex.isTransaction) return knex.raw(`set local statement_timeout = 0; set local lock_timeout = ${tableLockTimeoutMs}`);
      // An index build waits for transactions, and nothing waits for it. A session of the pooler is not only ours.
      return pooler === undefined ? knex.raw(`set statement_timeout = 0; set lock_timeout = ${giveUpAfterMs}`) : Promise.resolve();
    };
    await recordMigrations(db, upTo);
    for (const startedMs = performance.now(); ;) {
      // The lock of the guard decides. If knex's own lock is still taken, its holder has died.
      await db.migrate.forceFreeMigrationsLock({ migrationSource });
      try {
        const applied = await appliedMigrations(db);
        for (const names of toStages(migrationNames.filter((name) => upTo.includes(name) && !applied.includes(name)))) {
          await db.migrate.latest({
            migrationSource: { ...migrationSource, getMigrations: () => Promise.resolve(names) },
            disableMigrationsListValidation: true,
            beforeEach,
          });
          done.push(...names);
        }
        return done;
      } catch (error) {
        const { code } = error as { code?: string };
        if (code === '57014') throw new StartupError(indexTookTooLong, { cause: error });
        if (!lockCodes.has(code)) throw error;
        if (performance.now() - startedMs > giveUpAfterMs) throw new StartupError(tableIsLocked, { cause: error });
        await delay(tableLockTimeoutMs);
      }
    }
  } finally {
    await Promise.all([guard.end(), db.destroy()]);
  }
}

/** For a process that must not change the schema. Fails unless the database is migrated to this version, or a newer one that it works with. */
export async function assertMigrated(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'rollcall', connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  const db = openDatabase(url, { pooler: 'transaction', poolSize: 1 });
  try {
    await client.connect().catch(failToConnect);
    if (!(await isMigrated(db))) throw new StartupError(isNotMigrated);
  } finally {
    await Promise.all([client.end(), db.destroy()]);
  }
}

const isNotMigrated =
  'The database is not migrated to this version, and MIGRATIONS=manual: run `rollcall migrate` with the role that owns the tables, and start again.';

/** One transaction of Knex for each run of migrations that need one. It gives none of them one if a migration among them has none. */
function toStages(names: string[]): string[][] {
  const stages: string[][] = [];
  for (const name of names) {
    const stage = stages.at(-1);
    if (stage === undefined || hasNoTransaction(name) || hasNoTransaction(stage[0]!)) stages.push([name]);
    else stage.push(name);
  }
  return stages;
}

/** A lock timeout, and a deadlock with a transaction of a process that serves. */
const lockCodes = new Set<unknown>(['55P03', '40P01']);
const tableIsLocked =
  'The database was not migrated, because a long transaction locks a table: end it, for example a pg_dump, and try again.';
const indexTookTooLong =
  'The database was not migrated, because an index took longer than the statement_timeout of the role: run `rollcall migrate` with the address of Postgres itself in DATABASE_URL, and without DATABASE_POOLER.';

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

/** After a migration with such a name, the version before cannot work. The name is in the database, so that version sees it. */
const isBreaking = (name: string) => name.endsWith('_breaking');

/** A newer version may have migrated the database, because an upgrade is in progress or was rolled back. */
async function isMigrated(db: Knex): Promise<boolean> {
  const applied = await appliedMigrations(db);
  const unknown = unknownMigrations(applied);
  const isComplete = includesOurs(applied);
  if (unknown.some(isBreaking) || (unknown.length > 0 && !isComplete))
    throw new StartupError(
      `The database was migrated by a newer version of Rollcall (${unknown.join(', ')}): run that version or a later one.`,
    );
  return isComplete;
}

const includesOurs = (applied: string[]) => migrationNames.every((name) => applied.includes(name));

/** Before it begins, because not all of it is in one transaction. A database without the audit log has nowhere to record it. */
async function recordMigrations(db: Knex, upTo: string[]): Promise<void> {
  const applied = await appliedMigrations(db);
  if (applied.includes(auditLogMigration)) await recordAct(db, migrated(upTo.filter((name) => !applied.includes(name))));
}

export const auditLogMigration = '027_audit_log';

export const migrated = (names: string[]) => ({
  action: 'database.migrated' as const,
  changes: { migrations: names.length, newest: names.at(-1) ?? null },
});

export const unknownMigrations = (names: string[]): string[] => names.filter((name) => !migrationNames.includes(name));

/** How the schema relates to this version of Rollcall. With a `newer` one it can work. */
export type SchemaState = 'none' | 'known' | 'newer' | 'other';

/** Another version may migrate the database while this process runs. */
export async function readSchemaState(db: Knex): Promise<SchemaState> {
  const applied = await appliedMigrations(db);
  if (applied.length === 0) return 'none';
  const unknown = unknownMigrations(applied);
  if (!includesOurs(applied) || unknown.some(isBreaking)) return 'other';
  return unknown.length === 0 ? 'known' : 'newer';
}

async function appliedMigrations(db: Knex): Promise<string[]> {
  if (!(await db.schema.hasTable('knex_migrations'))) return [];
  return db('knex_migrations').orderBy('id').pluck<string[]>('name');
}

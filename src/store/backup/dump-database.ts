import pg from 'pg';
import { StartupError } from '../../errors.ts';
import { copyOut } from './copy.ts';

/** The parts of a backup, in this order. */
export type BackupPart =
  | ({ kind: 'header' } & BackupHeader)
  | { kind: 'table'; name: string; columns: string[] }
  | { kind: 'rows'; bytes: Buffer }
  | { kind: 'sequences'; values: [sequence: string, value: string][] }
  | { kind: 'end'; tables: number; rows: number };

export interface BackupHeader {
  takenAt: string;
  postgres: string;
  /** The names of the applied migrations. */
  migrations: string[];
}

/** Knex's tables are not dumped. The migrations create them again. */
const knexTables = /^knex_/;

/**
 * Dumps all rows of one consistent snapshot while others write. Everything committed before the first statement is included. Unlogged tables
 * are excluded, since their rows may be lost in a crash anyway.
 */
export async function* dumpDatabase(url: string): AsyncGenerator<BackupPart> {
  const client = new pg.Client({ connectionString: url, application_name: 'rollcall backup', connectionTimeoutMillis: 10_000 });
  // A lost connection fails the statement in progress.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(`set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set extra_float_digits = 1;
      set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0`);
    await client.query('begin isolation level repeatable read read only');
    const tables = await findTables(client);
    if (!tables.includes('knex_migrations')) throw new StartupError('There is nothing to back up: the database has no Rollcall schema.');
    // The locks make a migration wait until the dump is complete.
    await client.query(`lock table ${tables.map(quote).join(', ')} in access share mode`);
    yield { kind: 'header', ...(await readHeader(client)) };
    let [count, rows] = [0, 0];
    for (const name of tables.filter((table) => !knexTables.test(table))) {
      const columns = await findColumns(client, name);
      yield { kind: 'table', name, columns };
      const copied = copyOut(client, `copy ${quote(name)} (${columns.map(quote).join(', ')}) to stdout`);
      for (;;) {
        const { value, done } = await copied.next();
        if (done) {
          rows += value;
          break;
        }
        yield { kind: 'rows', bytes: value };
      }
      count += 1;
    }
    yield { kind: 'sequences', values: await readSequences(client) };
    yield { kind: 'end', tables: count, rows };
  } finally {
    await client.end().catch(() => undefined);
  }
}

export const quote = (name: string) => pg.escapeIdentifier(name);

async function findTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p' order by relname`,
  );
  return rows.map(({ name }) => name);
}

async function readHeader(client: pg.Client): Promise<BackupHeader> {
  const { rows } = await client.query<{ taken_at: Date; postgres: string; migrations: string[] }>(
    `select now() as taken_at, current_setting('server_version') as postgres,
       array(select name::text from knex_migrations order by id) as migrations`,
  );
  const { taken_at: takenAt, postgres, migrations } = rows[0]!;
  return { takenAt: takenAt.toISOString(), postgres, migrations };
}

/** Generated columns are omitted: Postgres computes them again. */
async function findColumns(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = format('public.%I', $1::text)::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Sequences are not transactional, so their values may be newer than the rows, but never older. */
async function readSequences(client: pg.Client): Promise<[string, string][]> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `select sequencename as name, last_value::text as value from pg_sequences
     where schemaname = 'public' and last_value is not null and sequencename !~ '^knex_' order by sequencename`,
  );
  return rows.map(({ name, value }) => [name, value]);
}

import type { Knex } from 'knex';
import { StartupError } from '../../errors.ts';

/** What `openDatabase` sets. Of a timeout, any value but 0 is as good. */
const needed = {
  enable_seqscan: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  statement_timeout: '30s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '30s',
};

/** The statements that give the role the settings that its connections lack. */
export async function findMissingSettings(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { statement: string }[] }>(
    `select format('alter role %I set %I = %L;', session_user, name, value) as statement
     from unnest(cast(:names as text[]), cast(:values as text[])) with ordinality as needed (name, value, place)
     join pg_settings using (name)
     where case when value like '%s' then setting = '0' else setting <> value end order by place`,
    { names: Object.keys(needed), values: Object.values(needed) },
  );
  return rows.map(({ statement }) => statement);
}

/** Fails if a pooler drops or refuses the settings of a connection. */
export async function assertSettings(db: Knex): Promise<void> {
  const statements = await findMissingSettings(db).catch((error: unknown) => {
    if (!isRefusedByPooler(error)) throw error;
    throw new StartupError(`${refusedByPooler} ${poolerAdvice}`, { cause: error });
  });
  if (statements.length > 0) throw new StartupError([`${missingSettings} ${settingsAdvice}`, ...statements].join('\n  '));
}

/** PgBouncer refuses startup parameters that it does not know. */
export const isRefusedByPooler = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === '08P01' && error.message.includes('unsupported startup parameter');

export const refusedByPooler = 'The pooler at DATABASE_URL rejects the settings of the connection.';
export const poolerAdvice =
  'Set DATABASE_POOLER=transaction if it is in transaction mode; in session mode, let it ignore these startup parameters.';
export const missingSettings = 'The database role lacks settings that Rollcall needs behind a pooler.';
export const settingsAdvice = 'Run these statements, then let the pooler reconnect to Postgres:';

import pg from 'pg';

/**
 * Begins a transaction that holds a Postgres lock until it ends. Unlike the lock of a session, it also works behind a pooler in transaction
 * mode. Does not wait: waiting processes would take the connections of the pooler that the holder needs. Returns false, without a
 * transaction, if another process holds the lock. A crash releases it. `key` is an expression of `$1`.
 */
export async function tryLock(client: pg.Client, key: string, value: string): Promise<boolean> {
  await client.query('begin');
  const { rows } = await client.query<{ is_locked: boolean }>(`select pg_try_advisory_xact_lock(${key}) as is_locked`, [value]);
  const isLocked = rows[0]!.is_locked;
  // Any query without parameters also ends the snapshot of the one above, for which an index build and a vacuum would wait.
  await client.query(isLocked ? 'set local idle_in_transaction_session_timeout = 0' : 'rollback');
  return isLocked;
}

/**
 * Runs `work` while it holds a Postgres lock on the key, such as a directory's ID. Returns false if
 * another process holds it. A crash releases the lock.
 */
export const createAdvisoryLock =
  (databaseUrl: string) =>
  async (key: string, work: () => Promise<void>): Promise<boolean> => {
    const guard = new pg.Client({ connectionString: databaseUrl, application_name: 'rollcall lock', connectionTimeoutMillis: 10_000 });
    // If this connection is lost, only the lock is lost. Each step of the work checks itself whether it may continue.
    guard.on('error', () => undefined);
    try {
      await guard.connect();
      if (!(await tryLock(guard, 'hashtextextended($1, 7265636531)', key))) return false;
      await work();
      return true;
    } finally {
      await guard.end().catch(() => undefined);
    }
  };

import pg from 'pg';

/** Runs `work` while it holds a Postgres lock on the directory. Returns false if another process holds it. A crash releases the lock. */
export const createAdvisoryLock =
  (databaseUrl: string) =>
  async (directoryId: string, work: () => Promise<void>): Promise<boolean> => {
    const guard = new pg.Client({ connectionString: databaseUrl, application_name: 'rollcall sync', connectionTimeoutMillis: 10_000 });
    // If this connection is lost, only the lock is lost. Each step of the work checks itself whether it may continue.
    guard.on('error', () => undefined);
    try {
      await guard.connect();
      const { rows } = await guard.query<{ is_locked: boolean }>(
        `select pg_try_advisory_lock(hashtextextended($1, 7265636531)) as is_locked`,
        [directoryId],
      );
      if (!rows[0]!.is_locked) return false;
      await work();
      return true;
    } finally {
      await guard.end().catch(() => undefined);
    }
  };

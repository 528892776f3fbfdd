import pg from 'pg';

/** Holds a lock of Postgres while somebody works, over a connection of its own: a crash releases it. False if another one has it. */
export const createAlone =
  (databaseUrl: string) =>
  async (directoryId: string, work: () => Promise<void>): Promise<boolean> => {
    const guard = new pg.Client({ connectionString: databaseUrl, application_name: 'rollcall sync', connectionTimeoutMillis: 10_000 });
    // Its loss fails nothing but the lock: each step looks for itself whether it is still to go on.
    guard.on('error', () => undefined);
    try {
      await guard.connect();
      const { rows } = await guard.query<{ is_ours: boolean }>(`select pg_try_advisory_lock(hashtextextended($1, 7265636531)) as is_ours`, [
        directoryId,
      ]);
      if (!rows[0]!.is_ours) return false;
      await work();
      return true;
    } finally {
      await guard.end().catch(() => undefined);
    }
  };

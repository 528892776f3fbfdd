import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const askAgainMs = 500;

/** Holds a lock of Postgres while somebody works, over a connection of its own: a crash releases it. */
export const createAlone =
  (databaseUrl: string) =>
  async (directoryId: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> => {
    const guard = new pg.Client({ connectionString: databaseUrl, application_name: 'rollcall sync', connectionTimeoutMillis: 10_000 });
    // Its loss fails nothing but the lock: each step looks for itself whether it is still to go on.
    guard.on('error', () => undefined);
    try {
      await guard.connect();
      while (!signal.aborted) {
        const { rows } = await guard.query<{ is_ours: boolean }>(
          `select pg_try_advisory_lock(hashtextextended($1, 7265636531)) as is_ours`,
          [directoryId],
        );
        if (rows[0]!.is_ours) return await work();
        await sleep(askAgainMs, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      await guard.end().catch(() => undefined);
    }
  };

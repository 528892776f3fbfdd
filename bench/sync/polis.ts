import type { Cleanup } from '../support/cleanup.ts';
import { withDatabase } from '../support/fill.ts';
import type { Servers } from '../support/servers.ts';
import { startPolis } from '../support/sides.ts';
import { callApi } from './api.ts';
import type { Google } from './google.ts';
import type { WorldSize } from './world.ts';

export interface SyncingPolis {
  /** Returns the duration in seconds. Polis responds when the sync has ended. */
  sync(): Promise<number>;
  stop(): Promise<void>;
}

export async function startSyncingPolis(
  servers: Servers,
  { google, size }: { google: Google; size: WorldSize },
  cleanup: Cleanup,
): Promise<SyncingPolis> {
  const polis = await startPolis(servers, cleanup, { GOOGLE_ADDRESS: google.facts.addresses.apiUrl });
  await google.createDirectory(polis);
  return {
    stop: polis.stop,
    async sync() {
      const startedMs = performance.now();
      await callApi(polis, 'POST', 'dsync/cron/sync-google');
      const seconds = (performance.now() - startedMs) / 1000;
      await assertComplete();
      return seconds;
    },
  };

  /** Polis reports failures only in its log. */
  async function assertComplete(): Promise<void> {
    const stored = await withDatabase(polis.databaseUrl, async (db) => {
      const { rows } = await db.raw<{ rows: { kind: string; count: number }[] }>(
        `select split_part(namespace, ':', 2) as kind, count(*) as count from jackson_store group by kind`,
      );
      return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
    });
    const isComplete =
      stored['users'] === size.users && stored['groups'] === size.groups && stored['members'] === size.groups * size.members;
    if (!isComplete) throw new Error(`Polis did not store everything: ${JSON.stringify(stored)}`);
  }
}

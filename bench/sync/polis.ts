import type { Closing } from '../support/closing.ts';
import { withDatabase } from '../support/fill.ts';
import type { Servers } from '../support/servers.ts';
import { startPolis } from '../support/sides.ts';
import { askApi } from './api.ts';
import type { Google } from './google.ts';
import type { WorldSize } from './world.ts';

export interface SyncingPolis {
  /** In seconds: the response comes when the sync has ended. */
  sync(): Promise<number>;
  stop(): Promise<void>;
}

export async function startSyncingPolis(
  servers: Servers,
  { google, size }: { google: Google; size: WorldSize },
  closing: Closing,
): Promise<SyncingPolis> {
  const polis = await startPolis(servers, closing, { GOOGLE_STANDS_AT: google.facts.addresses.apiUrl });
  await google.createDirectory(polis);
  return {
    stop: polis.stop,
    async sync() {
      const startedMs = performance.now();
      await askApi(polis, 'POST', 'dsync/cron/sync-google');
      const seconds = (performance.now() - startedMs) / 1000;
      await check();
      return seconds;
    },
  };

  /** Polis writes failures only to its log. */
  async function check(): Promise<void> {
    const kept = await withDatabase(polis.databaseUrl, async (db) => {
      const { rows } = await db.raw<{ rows: { kind: string; count: number }[] }>(
        `select split_part(namespace, ':', 2) as kind, count(*) as count from jackson_store group by kind`,
      );
      return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
    });
    const isWhole = kept['users'] === size.users && kept['groups'] === size.groups && kept['members'] === size.groups * size.members;
    if (!isWhole) throw new Error(`Polis did not store everything: ${JSON.stringify(kept)}`);
  }
}

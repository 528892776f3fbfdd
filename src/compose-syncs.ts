import { readFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import type { Knex } from 'knex';
import type { Config } from './config.ts';
import type { DirectoryStore } from './directory/ports.ts';
import { createAuthorization } from './directory/sync/authorize.ts';
import { createSyncs } from './directory/sync/operate-syncs.ts';
import type { HostedProvider } from './directory/sync/provider.ts';
import { StartupError } from './errors.ts';
import type { Logger } from './logger.ts';
import { createGoogleProvider } from './providers/google/provider.ts';
import type { Seal } from './scim/cursor.ts';
import type { TellOperator } from './store/operator-events.ts';
import { tellingOutages } from './store/outage.ts';
import type { SecretColumns } from './store/secret-columns.ts';
import { createAuthorizationRequestStore, createAuthorizationStore } from './store/syncs/authorization-store.ts';
import { listHosted } from './store/syncs/list-hosted.ts';
import { createSyncRunStore } from './store/syncs/run-store.ts';
import { createSyncStore } from './store/syncs/sync-store.ts';
import { createCancelSync, createStartSync, createStartSyncs } from './temporal/start-sync.ts';
import { createSyncSchedules } from './temporal/sync-schedules.ts';

interface SyncParts {
  config: Config;
  client: Client;
  db: Knex;
  secretColumns: SecretColumns;
  seal: Seal;
  tellOperator: TellOperator;
  directoryStore: DirectoryStore;
  forCallers: { patienceMs: number };
  /** Instead of Google. */
  provider: HostedProvider | undefined;
  baseUrl(): string;
  log: Logger;
}

/** How long one activity reads or changes before its place in the run is noted in the history. */
const syncStepMs = 20_000;

/** Everything that hosted directories need besides. */
export async function composeSyncs(parts: SyncParts) {
  const { config, client, db, secretColumns, seal, tellOperator, directoryStore, forCallers, baseUrl, log } = parts;
  const { serviceAccountFile, everySeconds, removals, ...google } = config.google;
  const provider = parts.provider ?? createGoogleProvider({ ...google, serviceAccountKey: await readKeyFile(serviceAccountFile) });
  const runs = createSyncRunStore(db);
  const startSync = createStartSync(client);
  const schedules = createSyncSchedules({ client, everySeconds, listHosted: listHosted(db) });
  const syncs = createSyncs({
    directories: directoryStore,
    runs: tellingOutages(runs, forCallers),
    startSync,
    startSyncs: createStartSyncs(client),
    cancelSync: createCancelSync(client),
  });
  const soon = (action: Promise<unknown>, failure: string, directoryId: string) =>
    void action.catch((error: Error) => log.warn({ directoryId, error: error.message }, failure));

  return {
    syncs,
    schedules,
    authorization: createAuthorization({
      directories: directoryStore,
      requests: tellingOutages(createAuthorizationRequestStore(db, secretColumns), forCallers),
      provider,
      seal,
      redirectUrl: () => `${baseUrl()}/api/scim/oauth/callback`,
      syncSoon: (directoryId) => soon(syncs.start(directoryId, { trigger: 'authorization' }), 'could not start a sync', directoryId),
    }),
    keepScheduleSoon: (directoryId: string) => soon(keepSchedule(directoryId), 'could not look after a schedule', directoryId),
    activityDeps: {
      syncs: tellingOutages(createSyncStore(db, secretColumns, tellOperator)),
      syncRuns: tellingOutages(runs),
      startSync,
      authorizations: tellingOutages(createAuthorizationStore(db, secretColumns, tellOperator)),
      provider,
      removals,
      syncStepMs,
    },
  };

  async function keepSchedule(directoryId: string): Promise<void> {
    const directory = await directoryStore.get(directoryId);
    if (directory?.google) await schedules.keep(directory);
    else await schedules.remove(directoryId);
  }
}

async function readKeyFile(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(`DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE can't be read: ${(error as Error).message}`, { cause: error });
  }
}

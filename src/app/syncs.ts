import { readFile } from 'node:fs/promises';
import type { Storage } from './storage.ts';
import type { Config } from '../config.ts';
import { createAuthorization } from '../directory/sync/authorization.ts';
import { createSyncs, type SyncsDeps } from '../directory/sync/syncs.ts';
import type { DirectoryProvider } from '../directory/sync/provider.ts';
import { StartupError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { PulledType } from '../directory/directories/directory.ts';
import { createCsvProvider } from '../providers/csv/provider.ts';
import { parseFile } from '../providers/csv/parse-file.ts';
import { createFiles } from '../directory/files/files.ts';
import { createFileReader, createFileStore } from '../store/files/file-store.ts';
import { findExpiry } from '../providers/entra/client-credentials.ts';
import { createEntraProvider } from '../providers/entra/provider.ts';
import { createGoogleProvider } from '../providers/google/provider.ts';
import { translateOutages } from '../store/sql/outages.ts';
import { createAuthorizationRequestStore, createAuthorizationStore } from '../store/syncs/authorization-store.ts';
import { createSyncRunStore } from '../store/syncs/sync-run-store.ts';
import { createSyncStore } from '../store/syncs/sync-store.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

/** How long a step runs before its position is stored. */
const syncStepMs = 20_000;

/** The parts that read pulled directories. */
export async function createSyncDeps({ config, storage, provider, log }: SyncDepsOptions) {
  const { db, secretColumns, emitOperatorEvent } = storage;
  const { serviceAccountFile, everySeconds: _, ...google } = config.google;
  const { certificateFile, ...entra } = config.entra;
  const certificate = await readKeyFile('DSYNC_ENTRA_CERTIFICATE_FILE', certificateFile);
  const expiresAt = certificate && findExpiry(certificate);
  if (expiresAt)
    log.warn(
      { expiresAt: expiresAt.toISOString() },
      'the certificate in DSYNC_ENTRA_CERTIFICATE_FILE expires within 30 days, or has expired',
    );
  return {
    syncs: translateOutages(createSyncStore(db, secretColumns, emitOperatorEvent, config.quotas)),
    syncRuns: translateOutages(createSyncRunStore(db)),
    authorizations: translateOutages(createAuthorizationStore(db, secretColumns, emitOperatorEvent)),
    providers: {
      google:
        provider ??
        createGoogleProvider({ ...google, serviceAccountKey: await readKeyFile('DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE', serviceAccountFile) }),
      entra: createEntraProvider({ ...entra, certificate }),
      csv: createCsvProvider(translateOutages(createFileReader(db))),
    } satisfies Providers,
    removals: config.removals,
    diskError: storage.disk.syncError,
    syncStepMs,
  };
}

/** A new provider is one more line in `createSyncDeps`. */
export type Providers = Record<PulledType, DirectoryProvider>;

interface SyncDepsOptions {
  config: Config;
  storage: Storage;
  log: Logger;
  /** Replaces Google in tests. */
  provider?: DirectoryProvider | undefined;
}

interface SyncOperationsOptions extends Pick<SyncsDeps, 'startSync' | 'startSyncs' | 'cancelSync'> {
  storage: Storage;
  providers: Providers;
  baseUrl(): string;
  log: Logger;
}

/** The operations on the syncs of pulled directories. */
export function createSyncOperations({ storage, providers, baseUrl, log, ...orchestration }: SyncOperationsOptions) {
  const { db, secretColumns, forCallers, directoryStore } = storage;
  const { startSync, startSyncs, cancelSync } = orchestration;
  const runs = translateOutages(createSyncRunStore(db), forCallers);
  const syncs = createSyncs({ directories: directoryStore, runs, startSync, startSyncs, cancelSync });
  const logFailedStart = (directoryId: string, error: unknown) => {
    log.warn({ directoryId, error: toLoggableMessage(error) }, 'could not start a sync');
  };
  return {
    syncs,
    files: createFiles({
      directories: directoryStore,
      // Without a time limit: a check of whole files may take minutes.
      store: translateOutages(createFileStore(db)),
      parse: parseFile,
      startSync,
      diskError: storage.disk.syncError,
      onStartFailed: logFailedStart,
    }),
    authorization: createAuthorization({
      directories: directoryStore,
      requests: translateOutages(createAuthorizationRequestStore(db, secretColumns), forCallers),
      providers,
      seal: storage.cursorSeal,
      redirectUrl: () => `${baseUrl()}/api/scim/oauth/callback`,
      recordAct: storage.audit.record,
      syncSoon: (directoryId) =>
        void syncs.start(directoryId, { trigger: 'authorization' }).catch((error: unknown) => logFailedStart(directoryId, error)),
    }),
  };
}

async function readKeyFile(setting: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(`${setting} can't be read: ${(error as Error).message}`, { cause: error });
  }
}

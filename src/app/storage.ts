import type { Config } from '../config.ts';
import { createAuditStore } from '../store/audit/audit-store.ts';
import { createDiskWatch } from './disk-watch.ts';
import { createRequestRecorder } from '../directory/recorded-requests/request-recorder.ts';
import { type Keyring, createKeyring } from '../keyring.ts';
import type { Logger } from '../logger.ts';
import { createDirectoryStore } from '../store/directories/directory-store.ts';
import { createApiKeyStore } from '../store/api-keys/api-key-store.ts';
import { createGroupStore } from '../store/groups/group-store.ts';
import { type AnnouncedKeys, announceKeys, checkEncryption } from '../store/encryption/keys-in-use.ts';
import { assertMigrated, migrate } from '../store/migrations/migrate.ts';
import { createEmitOperatorEvent } from '../store/operator-events/operator-event-store.ts';
import { translateOutages } from '../store/sql/outages.ts';
import { findLargeDirectories } from '../store/directories/quotas.ts';
import { createReadReplica } from '../store/sql/read-replica.ts';
import { openReadPools } from '../store/sql/run-read.ts';
import { createRecordedRequestStore } from '../store/recorded-requests/recorded-request-store.ts';
import { createResponseMemory } from '../store/sql/response-memory.ts';
import { createScimClientStore } from '../store/scim-clients/scim-client-store.ts';
import { createScimSecretStore } from '../store/directories/scim-secret-store.ts';
import { openSnapshotStore } from '../store/snapshots/snapshot-store.ts';
import { createSetupLinkStore } from '../store/setup-links/setup-link-store.ts';
import { createSecretColumns, sealAddresses } from '../store/encryption/secret-columns.ts';
import { createUploadTokenStore } from '../store/upload-tokens/upload-token-store.ts';
import { createUserStore } from '../store/users/user-store.ts';
import { createSessionStore } from '../store/sessions/session-store.ts';
import type { Seal } from '../scim/cursor.ts';
import { settleTransactions } from '../store/event-feed/event-feed-store.ts';
import { probeDisk } from '../store/sql/examine-database.ts';
import { assertSettings } from '../store/sql/settings.ts';

export interface StorageOptions {
  config: Config;
  databaseUrl: string;
  encryptionKeys: Buffer[];
  log: Logger;
  /** The minimum time between two writes of recorded requests. */
  recordEveryMs?: number | undefined;
  /** Reads the free bytes of the disk with the data folder. Set if this process runs Postgres itself. */
  freeDiskBytes?: (() => Promise<number>) | undefined;
}

export type Storage = Awaited<ReturnType<typeof openStorage>>;

/** Opens the database, migrates it unless somebody else does, and creates the stores that all parts share. */
export async function openStorage({ config, databaseUrl, encryptionKeys, log, recordEveryMs, freeDiskBytes }: StorageOptions) {
  const keyring = createKeyring(encryptionKeys);
  const { pooler, poolSize, replica: replicaConfig, migrates } = config.database;
  const applied = await (migrates ? migrate(databaseUrl, { pooler }) : assertMigrated(databaseUrl));
  if (applied?.length) log.info({ migrations: applied.length, newest: applied.at(-1) }, 'migrated the database');
  const { timeoutMs } = config.intake;
  const limits = { timeoutMs, ...config.search };
  const { db, runRead, close: closePools } = openReadPools(databaseUrl, { pooler, poolSize, limits });
  const secretColumns = createSecretColumns(keyring);
  let announced: AnnouncedKeys;
  try {
    await assertSettings(db);
    await Promise.all([checkEncryption(db, keyring), settleTransactions(db)]);
    const endpoints = await sealAddresses(db, secretColumns);
    if (endpoints > 0) log.info({ endpoints }, 'encrypted the webhook addresses that an earlier version stored in plain text');
    announced = await announceKeys(db, keyring);
  } catch (error) {
    await closePools();
    throw error;
  }
  if (announced.lacking > 0)
    log.warn(
      { processes: announced.lacking },
      'running processes lack the key that this one encrypts with: append it to ENCRYPTION_KEYS of every process before you put it first in any',
    );
  const replica = replicaConfig && createReadReplica({ ...replicaConfig, pooler, poolSize, limits, primary: db, runRead, log });
  const runStaleRead = replica?.runRead ?? runRead;
  const snapshots = openSnapshotStore(databaseUrl, { pooler, maxConcurrent: config.snapshots.maxConcurrent });
  const memory = createResponseMemory({ maxBytes: config.maxResponsesBytes, timeoutMs, log });
  const forCallers = { timeoutMs };
  const emitOperatorEvent = createEmitOperatorEvent({ isHeard: config.webhooks.operator !== undefined });
  const disk = createDiskWatch({
    probeDatabase: () => probeDisk(db),
    freeBytes: freeDiskBytes,
    minFreeBytes: config.minFreeDiskBytes,
    low: { ...config.lowDisk, findLargeDirectories: (ids, bytes) => findLargeDirectories(db, ids, bytes) },
    log,
  });
  const recordedRequests = createRecordedRequestStore({ db, runRead, memory });
  return {
    db,
    runRead,
    /** Runs a read that may be out of date, on the replica if there is one. */
    runStaleRead,
    replica,
    memory,
    /** Memory for two of the largest changes at the same time, one per directory. */
    changeLimits: { quotas: config.quotas, maxBytes: 2 * config.mutations.maxBytes, timeoutMs },
    keyring,
    disk,
    async close() {
      disk.stop();
      await announced.stop();
      await Promise.all([replica?.close(), snapshots.close()]);
      await closePools();
    },
    forCallers,
    secretColumns,
    cursorSeal: createCursorSeal(keyring),
    emitOperatorEvent,
    directoryStore: translateOutages(createDirectoryStore(db, secretColumns, emitOperatorEvent, config), forCallers),
    scimSecretStore: createScimSecretStore(db, secretColumns),
    scimClientStore: createScimClientStore(db),
    uploadTokenStore: createUploadTokenStore(db),
    sessionStore: createSessionStore(db),
    setupLinkStore: translateOutages(createSetupLinkStore({ db, secretColumns, emitOperatorEvent }), forCallers),
    apiKeyStore: translateOutages(createApiKeyStore(db), forCallers),
    // Each statement has a time limit, and so does the whole snapshot.
    snapshotStore: translateOutages({ open: snapshots.open }),
    users: translateOutages(createUserStore({ db, runRead, runStaleRead, memory }), forCallers),
    groups: translateOutages(createGroupStore({ db, runRead, runStaleRead, memory }), forCallers),
    audit: translateOutages(createAuditStore({ db, runRead }), forCallers),
    recordedRequests,
    // Without a timeout, because no request waits for it, and while one write hangs the next must not start.
    recorder: createRequestRecorder({
      store: translateOutages(recordedRequests),
      log,
      ...(recordEveryMs !== undefined && { everyMs: recordEveryMs }),
    }),
  };
}

/** A cursor that does not open is invalid, whatever the reason. */
const createCursorSeal = (keyring: Keyring): Seal => ({
  seal: (text, context) => keyring.sealText(text, context),
  open(sealed, context) {
    try {
      return keyring.openText(sealed, context);
    } catch {
      return undefined;
    }
  },
});

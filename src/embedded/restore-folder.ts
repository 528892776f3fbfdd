import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../errors.ts';
import { replacePrivateFile } from './private-files.ts';
import { createFolder, toUnusableFolderError } from './data-folder.ts';
import { toInUseMessage, lockDataFolder } from './lock-data-folder.ts';
import { findPostmaster } from './postgres-cluster.ts';
import { startPostgres } from './postgres.ts';

/** Files of the data folder that a backup may contain, by name. */
type KeyFiles = Partial<Record<'encryption-key' | 'api-key', string>>;

interface Restored {
  files: Record<string, string>;
}

const waitMs = 10_000;

/**
 * Fills an empty data folder. The database is filled beside its final place; when it is complete, the file `restored` is written, and the
 * database belongs to the folder. A restore that is killed before leaves a folder that counts as empty; one that is killed after is
 * finished by the next process that opens the folder.
 */
export async function restoreFolder<T>(dataDir: string, keys: KeyFiles, fill: (url: string) => Promise<T>): Promise<T> {
  await createFolder(dataDir).catch((error: unknown) => {
    throw toUnusableFolderError(dataDir, error);
  });
  const target = join(dataDir, 'postgres');
  const lock = await lockDataFolder({ file: `${target}.lock`, data: target, predecessorWaitMs: 0, log: () => undefined });
  try {
    await finishRestore(dataDir);
    await assertEmpty(dataDir, keys);
    const draft = draftIn(dataDir);
    await removeDraft(draft);
    const password = randomBytes(24).toString('base64url');
    let isFilled = false;
    try {
      const postgres = await startPostgres({ dataDir: draft, password, flags: loadingFlags });
      let filled: T;
      try {
        filled = await fill(postgres.url);
      } finally {
        // Postgres writes everything to disk when it shuts down.
        await postgres.stop();
      }
      await replacePrivateFile(markerIn(dataDir), JSON.stringify({ files: { ...keys, 'postgres-password': password } } satisfies Restored));
      isFilled = true;
      await finishRestore(dataDir);
      return filled;
    } finally {
      if (!isFilled) await removeDraft(draft);
    }
  } finally {
    await lock.release();
  }
}

/** Finishes a restore that was killed after its last row. */
export async function finishRestore(dataDir: string): Promise<void> {
  const marker = await readFile(markerIn(dataDir), 'utf8').catch(() => undefined);
  if (marker === undefined) return;
  const { files } = JSON.parse(marker) as Restored;
  // A key that a start created meanwhile belongs to a database that never existed.
  for (const [name, content] of Object.entries(files)) await replacePrivateFile(join(dataDir, name), `${content}\n`);
  // Another process may have renamed it already.
  await rename(draftIn(dataDir), join(dataDir, 'postgres')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(markerIn(dataDir), { force: true });
}

const draftIn = (dataDir: string) => join(dataDir, 'postgres.restoring');
const markerIn = (dataDir: string) => join(dataDir, 'restored');

/** One writer and one transaction: nothing has to survive a crash. */
const loadingFlags = ['wal_level=minimal', 'max_wal_senders=0', 'max_wal_size=4GB', 'synchronous_commit=off'].flatMap((one) => ['-c', one]);

async function assertEmpty(dataDir: string, keys: KeyFiles): Promise<void> {
  const found = ['postgres', 'temporal.db'].find((name) => existsSync(join(dataDir, name)));
  if (found !== undefined)
    throw new StartupError(
      `${dataDir} is not empty (it contains ${found}): set ROLLCALL_DATA_DIR to an empty folder, or move this one away. Nothing was changed.`,
    );
  for (const [name, content] of Object.entries(keys)) {
    const there = await readFile(join(dataDir, name), 'utf8').catch(() => undefined);
    if (there !== undefined && there.trim() !== content)
      throw new StartupError(`${join(dataDir, name)} exists and differs from the one in the backup: move it away. Nothing was changed.`);
  }
}

/** Removes the draft of a killed restore, whose Postgres may need a moment to end. */
async function removeDraft(draft: string): Promise<void> {
  const deadline = Date.now() + waitMs;
  for (let found = await findPostmaster(draft); found; found = await findPostmaster(draft)) {
    if (Date.now() > deadline) throw new StartupError(toInUseMessage(draft, found.pid));
    await delay(50);
  }
  await rm(draft, { recursive: true, force: true });
}

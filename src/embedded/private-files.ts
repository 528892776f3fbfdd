import { randomUUID } from 'node:crypto';
import { link, open, rename, rm, chmod, lstat, readdir, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates a file atomically with its complete content. Returns false if it exists already: of several concurrent creators, exactly one
 * succeeds.
 */
export async function createPrivateFile(file: string, content: string): Promise<boolean> {
  const draft = await writeDraft(file, content);
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

export async function replacePrivateFile(file: string, content: string): Promise<void> {
  await rename(await writeDraft(file, content), file);
}

async function writeDraft(file: string, content: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return draft;
}

const ofOthers = 0o077;

/** Removes all permissions of other users from a folder and its content: 0700 for folders and programs, 0600 for files. */
export async function makeFolderPrivate(path: string): Promise<void> {
  // The folder itself may be a symbolic link.
  await restrict(path, await stat(path));
}

async function restrict(path: string, found: Stats | undefined): Promise<void> {
  if (!found || found.isSymbolicLink()) return;
  if ((found.mode & ofOthers) !== 0) await chmod(path, found.mode & 0o777 & ~ofOthers).catch(ignoreMissing);
  if (!found.isDirectory()) return;
  const names = (await readdir(path).catch(ignoreMissing)) ?? [];
  await Promise.all(
    names.map(async (name) => {
      const inside = join(path, name);
      await restrict(inside, (await lstat(inside).catch(ignoreMissing)) ?? undefined);
    }),
  );
}

/** Another process that uses the folder may have removed the file. */
function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupError } from '../errors.ts';
import { createFile } from './create-file.ts';

export interface DataFolder {
  path: string;
  apiKey: string;
  /** True when nobody can know the API key yet. */
  apiKeyIsNew: boolean;
  /** As it stands in its file: one key a line, the first encrypts. */
  encryptionKey: string;
  postgresPassword: string;
}

/** The folder of everything that the embedded default keeps: made at the first start, the same ever after. */
export async function openDataFolder(path: string): Promise<DataFolder> {
  try {
    await makeFolder(path);
    const apiKey = await keep(join(path, 'api-key'), () => `rollcall_${randomBytes(32).toString('base64url')}`);
    const encryptionKey = await keep(join(path, 'encryption-key'), () => randomBytes(32).toString('base64'));
    const postgresPassword = await keep(join(path, 'postgres-password'), () => randomBytes(24).toString('base64url'));
    return {
      path,
      apiKey: apiKey.value,
      apiKeyIsNew: apiKey.isNew,
      encryptionKey: encryptionKey.value,
      postgresPassword: postgresPassword.value,
    };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw unusableFolder(path, error);
  }
}

/** Not `recursive: true`, which never ends below /proc. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path);
  }
}

export function unusableFolder(path: string, error: unknown): StartupError {
  const reason = (error as NodeJS.ErrnoException).code ?? String(error);
  return new StartupError(
    `Rollcall can't keep its data in ${path} (${reason}): make that folder writable, or set ROLLCALL_DATA_DIR to another one.`,
    { cause: error },
  );
}

async function keep(file: string, make: () => string): Promise<{ value: string; isNew: boolean }> {
  let isNew = false;
  let value = await readFile(file, 'utf8').catch(ifMissing);
  if (value === undefined) {
    isNew = await createFile(file, `${make()}\n`);
    value = await readFile(file, 'utf8');
  }
  if (value.trim() === '') throw new StartupError(`${file} is empty: put its value back, or delete it to have a new one made.`);
  return { value: value.trim(), isNew };
}

function ifMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

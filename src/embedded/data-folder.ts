import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupError } from '../errors.ts';
import { makeFolderPrivate, createPrivateFile } from './private-files.ts';

interface DataFolder {
  path: string;
  apiKey: string;
  /** Whether the API key was created by this start. */
  apiKeyIsNew: boolean;
  /** The content of the key file: one key per line, the first one encrypts. */
  encryptionKey: string;
  postgresPassword: string;
}

/** A key file that prevents a start. */
class DamagedKeyError extends StartupError {
  readonly problem: string;
  readonly remedy: string;

  constructor(problem: string, remedy: string, cause: unknown) {
    super(`${problem} ${remedy}`, { cause });
    this.problem = problem;
    this.remedy = remedy;
  }
}

interface KeyFile {
  name: string;
  generate(): string;
  /** Detects truncated values. */
  isComplete(value: string): boolean;
  /** What to do if the file is missing or damaged. */
  remedy(file: string): string;
  /** If one of these exists, Rollcall has been started before, so this file must exist too. */
  createdBefore: string[];
}

const clusterVersion = join('postgres', 'PG_VERSION');

/** The files are created in this order. */
const apiKeyFile: KeyFile = {
  name: 'api-key',
  generate: () => `rollcall_${randomBytes(32).toString('base64url')}`,
  isComplete: (value) => /^\S+$/.test(value) && (!value.startsWith('rollcall_') || value.length >= 52),
  remedy: (file) =>
    `Restore it from the backup of the data folder, set API_KEYS, or replace the key: write a new one into the file (${newApiKeyCommand(file)}) and update your applications.`,
  createdBefore: ['postgres-password', clusterVersion],
};
const encryptionKeyFile: KeyFile = {
  name: 'encryption-key',
  generate: () => randomBytes(32).toString('base64'),
  // Several keys during a rotation.
  isComplete: (value) => value.split(/[\s,]+/).every((key) => /^[A-Za-z0-9+/]{43}=?$/.test(key)),
  remedy: () =>
    'Restore it from the backup of the data folder, or set ENCRYPTION_KEYS to its key: the secrets in the database cannot be decrypted without it.',
  createdBefore: ['postgres-password', clusterVersion],
};
const postgresPasswordFile: KeyFile = {
  name: 'postgres-password',
  generate: () => randomBytes(24).toString('base64url'),
  isComplete: (value) => /^[\w-]{32,}$/.test(value),
  remedy: () => 'Restore it from the backup of the data folder: the database does not accept another password.',
  createdBefore: [clusterVersion],
};

/** The command with which an operator creates a new API key. */
export const newApiKeyCommand = (file: string) => `openssl rand -hex 32 > ${file}`;

/** The files in use. A file that the configuration replaces may be missing. */
interface KeysInUse {
  apiKey: boolean;
  encryptionKey: boolean;
  postgresPassword: boolean;
}

/** Opens the folder of the embedded servers' data. The first start creates it; it is readable only by its owner. */
export async function openDataFolder(
  path: string,
  inUse: KeysInUse = { apiKey: true, encryptionKey: true, postgresPassword: true },
): Promise<DataFolder> {
  try {
    await createFolder(path);
    await makeFolderPrivate(path);
    const apiKey = await readOrCreateIfUsed(path, apiKeyFile, inUse.apiKey);
    const encryptionKey = await readOrCreateIfUsed(path, encryptionKeyFile, inUse.encryptionKey);
    const postgresPassword = await readOrCreateIfUsed(path, postgresPasswordFile, inUse.postgresPassword);
    return {
      path,
      apiKey: apiKey.value,
      apiKeyIsNew: apiKey.isNew,
      encryptionKey: encryptionKey.value,
      postgresPassword: postgresPassword.value,
    };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw toUnusableFolderError(path, error);
  }
}

/** `recursive: true` would never return below /proc. */
export async function createFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    await createFolder(dirname(path));
    await createFolder(path);
  }
}

export function toUnusableFolderError(path: string, error: unknown): StartupError {
  const reason = (error as NodeJS.ErrnoException).code ?? String(error);
  return new StartupError(
    `Cannot write to the data folder ${path} (${reason}): make it writable, or set ROLLCALL_DATA_DIR to another folder.`,
    { cause: error },
  );
}

/** A file that is not in use may be damaged. */
const readOrCreateIfUsed = (folder: string, keyFile: KeyFile, isInUse: boolean) =>
  readOrCreate(folder, keyFile).catch((error: unknown) => {
    if (isInUse) throw error;
    return { value: '', isNew: false };
  });

async function readOrCreate(folder: string, keyFile: KeyFile): Promise<{ value: string; isNew: boolean }> {
  const found = await find(folder, keyFile);
  if (found !== undefined) return { value: found, isNew: false };
  const isNew = await createPrivateFile(join(folder, keyFile.name), `${keyFile.generate()}\n`);
  return { value: (await find(folder, keyFile))!, isNew };
}

/** Reads a key file; undefined if it does not exist yet. Throws if it is missing or damaged. */
async function find(folder: string, { name, isComplete, remedy, createdBefore }: KeyFile): Promise<string | undefined> {
  const file = join(folder, name);
  const damaged = (what: string, cause?: unknown) => new DamagedKeyError(`${file} ${what}.`, remedy(file), cause);
  let text: string | undefined;
  try {
    text = await read(file);
    const isLost = text === undefined && createdBefore.some((other) => existsSync(join(folder, other)));
    // Another process may be creating the folder: it creates this file before those.
    if (isLost) text = await read(file);
    if (isLost && text === undefined) throw damaged('is missing, but the folder contains data that requires it');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') throw damaged('is a folder, not a file', error);
    if (code === 'EACCES' || code === 'EPERM') throw damaged(`cannot be read (${code})`, error);
    throw error;
  }
  const value = text?.trim();
  if (value === '') throw damaged('is empty');
  if (value !== undefined && !isComplete(value)) throw damaged('is damaged');
  return value;
}

/** Finds the key files that would prevent a start. Creates nothing. */
export async function findDamagedKeys(path: string, inUse: KeysInUse): Promise<DamagedKeyError[]> {
  const files = [
    ...(inUse.apiKey ? [apiKeyFile] : []),
    ...(inUse.encryptionKey ? [encryptionKeyFile] : []),
    ...(inUse.postgresPassword ? [postgresPasswordFile] : []),
  ];
  const results = await Promise.allSettled(files.map((file) => find(path, file)));
  return results.flatMap((result) => (result.status === 'rejected' && result.reason instanceof DamagedKeyError ? [result.reason] : []));
}

const read = (file: string) => readFile(file, 'utf8').catch(ifMissing);

function ifMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupError } from '../errors.ts';
import { restrictFolder, createFile } from './private-files.ts';

export interface DataFolder {
  path: string;
  apiKey: string;
  /** True when nobody can know the API key yet. */
  apiKeyIsNew: boolean;
  /** As it stands in its file: one key a line, the first encrypts. */
  encryptionKey: string;
  postgresPassword: string;
}

/** A key file that a start refuses. */
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
  /** What a complete value looks like: one that was cut off must not pass. */
  isComplete(value: string): boolean;
  /** Said of one that is missing or damaged. */
  remedy(file: string): string;
  /** While one of these is there, Rollcall has been started before, and the file was there too. */
  createdBefore: string[];
}

const clusterVersion = join('postgres', 'PG_VERSION');

/** In the order in which they are made. */
const apiKeyFile: KeyFile = {
  name: 'api-key',
  generate: () => `rollcall_${randomBytes(32).toString('base64url')}`,
  isComplete: (value) => /^\S+$/.test(value) && (!value.startsWith('rollcall_') || value.length >= 52),
  remedy: (file) =>
    `Restore it from the backup of the data folder, set API_KEYS, or replace the key: write a new one into the file (${newApiKeyCommand(file)}) and give it to your applications.`,
  createdBefore: ['postgres-password', clusterVersion],
};
const encryptionKeyFile: KeyFile = {
  name: 'encryption-key',
  generate: () => randomBytes(32).toString('base64'),
  // Several while a key is rotated.
  isComplete: (value) => value.split(/[\s,]+/).every((key) => /^[A-Za-z0-9+/]{43}=?$/.test(key)),
  remedy: () =>
    'Restore it from the backup of the data folder, or set ENCRYPTION_KEYS to it: the secrets in the database open with no other key.',
  createdBefore: ['postgres-password', clusterVersion],
};
const postgresPasswordFile: KeyFile = {
  name: 'postgres-password',
  generate: () => randomBytes(24).toString('base64url'),
  isComplete: (value) => /^[\w-]{32,}$/.test(value),
  remedy: () => 'Restore it from the backup of the data folder: the database accepts no other password.',
  createdBefore: [clusterVersion],
};

/** How an operator makes a new API key. */
export const newApiKeyCommand = (file: string) => `openssl rand -hex 32 > ${file}`;

/** Which of the files are used: what the configuration says instead may be missing here. */
export interface KeysInUse {
  apiKey: boolean;
  encryptionKey: boolean;
  postgresPassword: boolean;
}

/** The folder of everything that the embedded default keeps: made at the first start, the same ever after, and closed to others. */
export async function openDataFolder(
  path: string,
  inUse: KeysInUse = { apiKey: true, encryptionKey: true, postgresPassword: true },
): Promise<DataFolder> {
  try {
    await createFolder(path);
    await restrictFolder(path);
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

/** Not `recursive: true`, which never ends below /proc. */
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
    `Rollcall can't keep its data in ${path} (${reason}): make that folder writable, or set ROLLCALL_DATA_DIR to another one.`,
    { cause: error },
  );
}

/** A file that is not used may be anything. */
const readOrCreateIfUsed = (folder: string, keyFile: KeyFile, isInUse: boolean) =>
  readOrCreate(folder, keyFile).catch((error: unknown) => {
    if (isInUse) throw error;
    return { value: '', isNew: false };
  });

async function readOrCreate(folder: string, keyFile: KeyFile): Promise<{ value: string; isNew: boolean }> {
  const found = await find(folder, keyFile);
  if (found !== undefined) return { value: found, isNew: false };
  const isNew = await createFile(join(folder, keyFile.name), `${keyFile.generate()}\n`);
  return { value: (await find(folder, keyFile))!, isNew };
}

/** The value in a key file; nothing if it was not made yet. One that is missing or damaged is refused with what to do. */
async function find(folder: string, { name, isComplete, remedy, createdBefore: madeBefore }: KeyFile): Promise<string | undefined> {
  const file = join(folder, name);
  const damaged = (what: string, cause?: unknown) => new DamagedKeyError(`${file} ${what}.`, remedy(file), cause);
  let text: string | undefined;
  try {
    text = await read(file);
    const isLost = text === undefined && madeBefore.some((other) => existsSync(join(folder, other)));
    // Another process may be making the folder at this moment: it makes this file before those.
    if (isLost) text = await read(file);
    if (isLost && text === undefined) throw damaged('is missing, and the folder holds data that it belongs to');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') throw damaged('is a folder and not a file', error);
    if (code === 'EACCES' || code === 'EPERM') throw damaged(`can't be read (${code})`, error);
    throw error;
  }
  const value = text?.trim();
  if (value === '') throw damaged('is empty');
  if (value !== undefined && !isComplete(value)) throw damaged('is damaged');
  return value;
}

/** The files that a start would refuse. Nothing is made. */
export async function findDamagedKeys(path: string, inUse: KeysInUse): Promise<DamagedKeyError[]> {
  const files = [
    ...(inUse.apiKey ? [apiKeyFile] : []),
    ...(inUse.encryptionKey ? [encryptionKeyFile] : []),
    ...(inUse.postgresPassword ? [postgresPasswordFile] : []),
  ];
  const looks = await Promise.allSettled(files.map((file) => find(path, file)));
  return looks.flatMap((look) => (look.status === 'rejected' && look.reason instanceof DamagedKeyError ? [look.reason] : []));
}

const read = (file: string) => readFile(file, 'utf8').catch(ifMissing);

function ifMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { readEncryptionKeys } from '../../config/server.ts';
import { findDamagedKeys } from '../../embedded/data-folder.ts';
import { createFindings, type Finding } from './findings.ts';
import { findRunningPostgres } from '../../embedded/running-servers.ts';

const { ok, problem, skipped } = createFindings('Data folder');

export interface DataFolderFacts {
  findings: Finding[];
  /** Of the Postgres that currently runs in it. */
  databaseUrl?: string;
  encryptionKeys?: Buffer[];
}

/** Checks the folder where `rollcall start` keeps its databases and keys, and whether its Postgres runs. */
export async function checkDataFolder({
  dataDir,
  database,
  apiKeys,
  encryptionKeys,
}: Pick<Config, 'dataDir' | 'database' | 'apiKeys' | 'encryptionKeys'>): Promise<DataFolderFacts> {
  const found = await stat(dataDir).catch(() => undefined);
  if (!found) return { findings: [skipped(`The data folder ${dataDir} does not exist yet. \`npm start\` creates it.`)] };
  const advice = 'Make it writable for the user that runs the service, or set ROLLCALL_DATA_DIR to another folder.';
  if (!found.isDirectory()) return { findings: [problem(`${dataDir} is not a folder.`, 'Set ROLLCALL_DATA_DIR to a folder.')] };
  if (!(await isWritable(dataDir))) return { findings: [problem(`${dataDir} is not writable.`, advice)] };
  const damaged = await findDamagedKeys(dataDir, { apiKey: !apiKeys, encryptionKey: !encryptionKeys, postgresPassword: !database.url });
  const findings = [ok(`${dataDir} is writable.`), ...damaged.map((key) => problem(key.problem, key.remedy))];
  const keyFile = join(dataDir, 'encryption-key');
  const content = damaged.length > 0 ? undefined : await readSecret(keyFile);
  const keys = content === undefined ? {} : { encryptionKeys: readEncryptionKeys(content, keyFile) };
  if (database.url !== undefined) return { findings, ...keys };
  const running = await findRunningPostgres(dataDir);
  return running === undefined
    ? { findings: [...findings, skipped('Its Postgres is not running. `npm start` starts it.')], ...keys }
    : { findings: [...findings, ok(`Its Postgres is running (process ${running.pid}).`)], ...keys, databaseUrl: running.url };
}

const isWritable = (path: string) =>
  access(path, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
const readSecret = (file: string) =>
  readFile(file, 'utf8').then(
    (text) => text.trim() || undefined,
    () => undefined,
  );

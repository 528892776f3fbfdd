import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { readEncryptionKeys } from '../../config/server.ts';
import { findDamagedKeys } from '../../embedded/data-folder.ts';
import { findRunningPostgres } from '../../embedded/running-postgres.ts';
import { createFindings, type Finding } from './finding.ts';

const { ok, problem, skipped } = createFindings('Data folder');

export interface DataFolderFacts {
  findings: Finding[];
  /** Of the Postgres that runs in it now. */
  databaseUrl?: string;
  encryptionKeys?: Buffer[];
}

/** The folder in which `rollcall start` keeps what it was not given, and whether its Postgres runs. */
export async function checkDataFolder({
  dataDir,
  database,
  apiKeys,
  encryptionKeys,
}: Pick<Config, 'dataDir' | 'database' | 'apiKeys' | 'encryptionKeys'>): Promise<DataFolderFacts> {
  const found = await stat(dataDir).catch(() => undefined);
  if (!found) return { findings: [skipped(`There is no data folder ${dataDir} here: \`npm start\` makes it.`)] };
  const advice = 'Give it back to the user that runs the service, or set ROLLCALL_DATA_DIR to another folder.';
  if (!found.isDirectory()) return { findings: [problem(`${dataDir} is not a folder.`, 'Set ROLLCALL_DATA_DIR to a folder.')] };
  if (!(await mayUse(dataDir))) return { findings: [problem(`${dataDir} can't be written to.`, advice)] };
  const damaged = await findDamagedKeys(dataDir, { apiKey: !apiKeys, encryptionKey: !encryptionKeys, postgresPassword: !database.url });
  const findings = [ok(`${dataDir} can be written to.`), ...damaged.map((key) => problem(key.problem, key.remedy))];
  const keyFile = join(dataDir, 'encryption-key');
  const content = damaged.length > 0 ? undefined : await readSecret(keyFile);
  const keys = content === undefined ? {} : { encryptionKeys: readEncryptionKeys(content, keyFile) };
  if (database.url !== undefined) return { findings, ...keys };
  const running = await findRunningPostgres(dataDir);
  return running === undefined
    ? { findings: [...findings, skipped('Its Postgres does not run now: `npm start` runs it.')], ...keys }
    : { findings: [...findings, ok(`Its Postgres runs (process ${running.pid}).`)], ...keys, databaseUrl: running.url };
}

const mayUse = (path: string) =>
  access(path, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
const readSecret = (file: string) =>
  readFile(file, 'utf8').then(
    (text) => text.trim() || undefined,
    () => undefined,
  );

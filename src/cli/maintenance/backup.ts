import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  openFileParts,
  readBackupFile,
  toFileParts,
  verifyBackupFile,
  writeBackupFile,
  type BackupKeys,
} from '../../store/backup/backup-file.ts';
import { readConfig, type Config } from '../../config.ts';
import { readEncryptionKeys } from '../../config/server.ts';
import { finishRestore, restoreFolder } from '../../embedded/restore-folder.ts';
import { createKeyring } from '../../keyring.ts';
import { dumpDatabase, type BackupPart } from '../../store/backup/dump-database.ts';
import { examineDatabase } from '../../store/sql/examine-database.ts';
import { CommandError, type ExitCode, exitCodes } from '../errors.ts';
import { createPrinter } from '../output/printer.ts';
import { createProgress, throttleProgress } from '../output/progress.ts';
import { recordCommand } from '../record-command.ts';
import { loadEnvFile, type Shell } from '../shell.ts';
import { withPostgres } from '../../embedded/running-servers.ts';
import { newApiKeyCommand } from '../../embedded/data-folder.ts';
import { commandActor } from '../../audit/act.ts';
import { actAs } from '../../audit/audit-scope.ts';
import { readVersion } from '../../paths.ts';
import { loadDatabase } from '../../store/backup/load-database.ts';
import { unknownMigrations } from '../../store/migrations/migrate.ts';

interface Options {
  withKeys?: boolean;
  withoutKeys?: boolean;
  json?: boolean;
}

/** Copies the embedded database into a file, whether or not the service runs. */
export async function backUp(file: string, { withKeys = false, withoutKeys, json }: Options, shell: Shell): Promise<ExitCode> {
  const { dataDir, encryptionKeys } = readEmbeddedConfig(shell.env, 'pg_dump');
  const print = createPrinter(shell);
  const progress = throttleProgress(createProgress(shell));
  if (!withKeys && !withoutKeys && (await containsKeys(file)))
    throw new CommandError(
      exitCodes.confirmationRequired,
      `${file} is a backup with keys. Pass --with-keys to include them again, or --without-keys to replace it with a backup that has none.`,
    );
  await finishRestore(dataDir);
  const keyFile = join(dataDir, 'encryption-key');
  const keySource = encryptionKeys ? 'ENCRYPTION_KEYS' : keyFile;
  const includedKeys = withKeys ? (encryptionKeys ?? (await readKeyFile(keyFile))) : undefined;
  const keys: BackupKeys | undefined = includedKeys && {
    encryption: includedKeys.map((key) => key.toString('base64')).join('\n'),
    api: await readText(join(dataDir, 'api-key')),
  };
  const summary = { takenAt: '', tables: 0, rows: 0 };
  const watch = async function* (parts: AsyncIterable<BackupPart>) {
    let bytes = 0;
    for await (const part of parts) {
      if (part.kind === 'header') summary.takenAt = part.takenAt;
      if (part.kind === 'rows') progress.show({ text: 'Bytes copied:', done: (bytes += part.bytes.length) });
      if (part.kind === 'end') Object.assign(summary, { tables: part.tables, rows: part.rows });
      yield part;
    }
  };
  const bytes = await withPostgres(dataDir, async (url) => {
    if (includedKeys && !(await canDecrypt(url, includedKeys)))
      throw new CommandError(
        exitCodes.failed,
        `The secrets in the database are encrypted with a key that is not in ${keySource}. Set ENCRYPTION_KEYS to the value that the service uses, or omit --with-keys.`,
      );
    await recordCommand(url, { action: 'database.backed_up', actor: commandActor('backup'), changes: { keys: withKeys } });
    return writeBackupFile(file, toFileParts(watch(dumpDatabase(url)), { version: readVersion(), keys }));
  });
  progress.end();
  const { takenAt, tables, rows } = summary;
  if (json) print.json({ file, bytes, taken_at: takenAt, tables, rows, keys: withKeys ? 'included' : 'not_included' });
  else
    print.fields([
      ['File', file],
      ['Size', `${bytes.toLocaleString('en')} bytes`],
      ['Taken at', takenAt],
      ['Rows', `${rows.toLocaleString('en')} in ${tables} tables`],
      ['Keys', withKeys ? 'included' : 'not included'],
    ]);
  print.note(
    withKeys
      ? 'This file contains the keys to all secrets in it. Protect it like a password.'
      : `The secrets in this file cannot be read without the encryption keys in ${keySource}. Back up the keys separately, or use --with-keys.`,
  );
  return exitCodes.success;
}

/** False also for a damaged file, which nobody can restore. */
async function containsKeys(file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  const parts = readBackupFile(file);
  try {
    return (await openFileParts(file, parts)).header.keys !== undefined;
  } catch {
    return false;
  } finally {
    await parts.return(undefined);
  }
}

/** Only the embedded Postgres can be backed up and restored. */
function readEmbeddedConfig(env: NodeJS.ProcessEnv, tool: 'pg_dump' | 'pg_restore'): Config {
  loadEnvFile();
  const config = readConfig(env, 'start');
  if (config.database.url !== undefined)
    throw new CommandError(
      exitCodes.failed,
      `DATABASE_URL is set, but this command works only on the embedded Postgres of the data folder. Use \`${tool}\` instead, as the backup documentation shows.`,
    );
  return config;
}

async function readKeyFile(file: string): Promise<Buffer[]> {
  const content = await readText(file);
  if (content === undefined)
    throw new CommandError(
      exitCodes.failed,
      `No encryption key in ${file}. Set ENCRYPTION_KEYS to the value that the service uses, or omit --with-keys.`,
    );
  return readEncryptionKeys(content, file);
}

const canDecrypt = async (url: string, keys: Buffer[]) => (await examineDatabase(url, createKeyring(keys))).keysFit !== false;

const readText = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).trim() || undefined;

/** Fills an empty data folder. The whole file is verified before anything is written. */
export async function restore(file: string, { json }: { json?: boolean }, shell: Shell): Promise<ExitCode> {
  const { dataDir, encryptionKeys, apiKeys } = readEmbeddedConfig(shell.env, 'pg_restore');
  const print = createPrinter(shell);
  const progress = throttleProgress(createProgress(shell));
  progress.show({ text: `Verifying ${file}` });
  const size = await verifyBackupFile(file);
  let isLoading = false;
  const showRestored = (done: number) => isLoading && progress.show({ text: 'Bytes restored:', done, total: size });
  const { header, rest } = await openFileParts(file, readBackupFile(file, showRestored));
  const unknown = unknownMigrations(header.migrations);
  if (unknown.length > 0)
    throw new CommandError(
      exitCodes.failed,
      `${file} was created by a newer version of Rollcall (${header.version}; ${unknown.join(', ')}). Restore it with that version or a newer one.`,
    );
  const keyFiles = {
    ...(header.keys?.encryption !== undefined && { 'encryption-key': header.keys.encryption }),
    ...(header.keys?.api !== undefined && { 'api-key': header.keys.api }),
  };
  const loaded = await restoreFolder(dataDir, keyFiles, async (url) => {
    isLoading = true;
    const actor = commandActor('restore');
    const counts = await actAs({ actor }, () => loadDatabase(url, header, rest));
    await recordCommand(url, { action: 'database.restored', actor, changes: { taken_at: header.takenAt } });
    return counts;
  });
  showRestored(size);
  progress.end();
  if (json)
    print.json({
      file,
      data_folder: dataDir,
      taken_at: header.takenAt,
      tables: loaded.tables,
      rows: loaded.rows,
      keys: header.keys ? 'restored' : 'not_included',
    });
  else
    print.fields([
      ['Data folder', dataDir],
      ['Taken at', header.takenAt],
      ['Rows', `${loaded.rows.toLocaleString('en')} in ${loaded.tables} tables`],
      ['Keys', header.keys ? 'restored' : 'not in the backup'],
    ]);
  const [encryptionKeyFile, apiKeyFile] = [join(dataDir, 'encryption-key'), join(dataDir, 'api-key')];
  const needsEncryptionKeys = encryptionKeys === undefined && !existsSync(encryptionKeyFile);
  const needsApiKey = apiKeys === undefined && !existsSync(apiKeyFile);
  if (needsEncryptionKeys)
    print.note(
      `The backup contains no encryption keys. Before you start the service, put them into ${encryptionKeyFile} or ENCRYPTION_KEYS.`,
    );
  if (needsApiKey)
    print.note(
      `The backup contains no API key. Before you start the service, put the old one into ${apiKeyFile}, or create a new one: ${newApiKeyCommand(apiKeyFile)}`,
    );
  if (!needsEncryptionKeys && !needsApiKey) print.note('You can start the service. Pending webhooks will be delivered immediately.');
  return exitCodes.success;
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openFileParts, readBackupFile, verifyBackupFile } from '../../store/backup/backup-file.ts';
import { newApiKeyCommand } from '../../embedded/data-folder.ts';
import { restoreFolder } from '../../embedded/restore-folder.ts';
import { loadDatabase } from '../../store/backup/load-database.ts';
import { unknownMigrations } from '../../store/migrations/migrate.ts';
import { CommandError } from '../errors.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { createPrinter } from '../output/printer.ts';
import { createProgress, throttleProgress } from '../output/progress.ts';
import type { Shell } from '../shell.ts';
import { readEmbeddedConfig } from './back-up.ts';

/** Fills an empty data folder. The whole file is verified before anything is written. */
export async function restore(file: string, { json }: { json?: boolean }, shell: Shell): Promise<ExitCode> {
  const { dataDir, encryptionKeys, apiKeys } = readEmbeddedConfig(shell.env, 'pg_restore');
  const print = createPrinter(shell);
  const progress = throttleProgress(createProgress(shell));
  progress.show({ text: `Verifying ${file}` });
  const size = await verifyBackupFile(file);
  const { header, rest } = await openFileParts(
    file,
    readBackupFile(file, (done) => progress.show({ text: 'Bytes restored:', done, total: size })),
  );
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
  const loaded = await restoreFolder(dataDir, keyFiles, (url) => loadDatabase(url, header, rest));
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

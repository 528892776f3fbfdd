import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readBackupFile, verifyBackupFile } from '../../backup/backup-file.ts';
import { openFileParts } from '../../backup/backup-parts.ts';
import { newApiKeyCommand } from '../../embedded/data-folder.ts';
import { restoreFolder } from '../../embedded/restore-folder.ts';
import { loadDatabase } from '../../store/backup/load-database.ts';
import { unknownMigrations } from '../../store/migrate.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { CommandError } from '../failures.ts';
import { createPrinter } from '../print.ts';
import { createProgress } from '../progress.ts';
import type { Shell } from '../shell.ts';
import { readEmbeddedConfig } from './embedded-config.ts';
import { seldom } from './seldom.ts';

/** Fills an empty data folder. The file is checked as a whole before anything is written. */
export async function restore(file: string, { json }: { json?: boolean }, shell: Shell): Promise<ExitCode> {
  const { dataDir, encryptionKeys, apiKeys } = readEmbeddedConfig(shell.env, 'pg_restore');
  const print = createPrinter(shell);
  const progress = seldom(createProgress(shell));
  progress.show({ text: `Checking ${file}` });
  const size = await verifyBackupFile(file);
  const { header, rest } = await openFileParts(
    file,
    readBackupFile(file, (done) => progress.show({ text: 'Bytes restored', done, total: size })),
  );
  const unknown = unknownMigrations(header.migrations);
  if (unknown.length > 0)
    throw new CommandError(
      exitCodes.failed,
      `${file} is of a newer Rollcall (${header.version}; ${unknown.join(', ')}): restore it with that version or a newer one.`,
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
      ['As of', header.takenAt],
      ['Rows', `${loaded.rows.toLocaleString('en')} in ${loaded.tables} tables`],
      ['Keys', header.keys ? 'restored' : 'not in the backup'],
    ]);
  const [encryptionKeyFile, apiKeyFile] = [join(dataDir, 'encryption-key'), join(dataDir, 'api-key')];
  const lacksEncryptionKeys = encryptionKeys === undefined && !existsSync(encryptionKeyFile);
  const lacksApiKey = apiKeys === undefined && !existsSync(apiKeyFile);
  if (lacksEncryptionKeys)
    print.note(
      `The backup has no encryption keys: put them into ${encryptionKeyFile}, or into ENCRYPTION_KEYS, before you start the service.`,
    );
  if (lacksApiKey)
    print.note(
      `The backup has no API key: put the old one into ${apiKeyFile}, or make a new one (${newApiKeyCommand(apiKeyFile)}), before you start the service.`,
    );
  if (!lacksEncryptionKeys && !lacksApiKey) print.note('Start the service: pending webhooks are delivered at once.');
  return exitCodes.done;
}

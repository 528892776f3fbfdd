import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeBackupFile } from '../../backup/backup-file.ts';
import { toFileParts, type BackupKeys } from '../../backup/backup-parts.ts';
import { usePostgres } from '../../embedded/running-postgres.ts';
import { createKeyring } from '../../keyring.ts';
import { readEncryptionKeys } from '../../config/server.ts';
import { CommandError } from '../failures.ts';
import { examineDatabase } from '../../store/examine-database.ts';
import { completeRestore } from '../../embedded/restore-folder.ts';
import { dumpDatabase, type BackupPart } from '../../store/backup/dump-database.ts';
import { readVersion } from '../../shared/version.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { createPrinter } from '../print.ts';
import { createProgress } from '../progress.ts';
import type { Shell } from '../shell.ts';
import { readEmbeddedConfig } from './embedded-config.ts';
import { seldom } from './seldom.ts';

interface Options {
  withKeys?: boolean;
  json?: boolean;
}

/** Copies the embedded database into a file, whether or not the service runs. */
export async function backUp(file: string, { withKeys = false, json }: Options, shell: Shell): Promise<ExitCode> {
  const { dataDir, encryptionKeys } = readEmbeddedConfig(shell.env, 'pg_dump');
  const print = createPrinter(shell);
  const progress = seldom(createProgress(shell));
  await completeRestore(dataDir);
  const keyFile = join(dataDir, 'encryption-key');
  const where = encryptionKeys ? 'ENCRYPTION_KEYS' : keyFile;
  const ownKeys = withKeys ? (encryptionKeys ?? (await readKeyFile(keyFile))) : undefined;
  const keys: BackupKeys | undefined = ownKeys && {
    encryption: ownKeys.map((key) => key.toString('base64')).join('\n'),
    api: await readKey(join(dataDir, 'api-key')),
  };
  const seen = { takenAt: '', tables: 0, rows: 0 };
  const watch = async function* (parts: AsyncIterable<BackupPart>) {
    let bytes = 0;
    for await (const part of parts) {
      if (part.kind === 'header') seen.takenAt = part.takenAt;
      if (part.kind === 'rows') progress.show({ text: 'Bytes copied', done: (bytes += part.bytes.length) });
      if (part.kind === 'end') Object.assign(seen, { tables: part.tables, rows: part.rows });
      yield part;
    }
  };
  const bytes = await usePostgres(dataDir, async (url) => {
    if (ownKeys && !(await openWhatIsStored(url, ownKeys)))
      throw new CommandError(
        exitCodes.failed,
        `The secrets in the database were encrypted with another key than that in ${where}: set ENCRYPTION_KEYS as the service has it, or leave out --with-keys.`,
      );
    return writeBackupFile(file, toFileParts(watch(dumpDatabase(url)), { version: readVersion(), keys }));
  });
  progress.end();
  if (json)
    print.json({ file, bytes, taken_at: seen.takenAt, tables: seen.tables, rows: seen.rows, keys: withKeys ? 'included' : 'not_included' });
  else
    print.fields([
      ['File', file],
      ['Size', `${bytes.toLocaleString('en')} bytes`],
      ['As of', seen.takenAt],
      ['Rows', `${seen.rows.toLocaleString('en')} in ${seen.tables} tables`],
      ['Keys', withKeys ? 'included' : 'not included'],
    ]);
  print.note(
    withKeys
      ? 'This file opens every secret in it: guard it like a password.'
      : `Secrets in this file can't be read without the encryption keys, which are in ${where}: keep them in another place, or use --with-keys.`,
  );
  return exitCodes.done;
}

async function readKeyFile(file: string): Promise<Buffer[]> {
  const content = await readKey(file);
  if (content === undefined)
    throw new CommandError(
      exitCodes.failed,
      `There is no encryption key in ${file}: set ENCRYPTION_KEYS as the service has it, or leave out --with-keys.`,
    );
  return readEncryptionKeys(content, file);
}

const openWhatIsStored = async (url: string, keys: Buffer[]) => (await examineDatabase(url, createKeyring(keys))).keysFit !== false;

const readKey = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).trim() || undefined;

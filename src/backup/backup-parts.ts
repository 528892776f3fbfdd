import { StartupError } from '../errors.ts';
import type { BackupHeader, BackupPart } from '../store/backup/dump-database.ts';
import type { FilePart } from './backup-file.ts';

export interface BackupKeys {
  /** One a line, as in the data folder. */
  encryption: string | undefined;
  api: string | undefined;
}

/** Of the Rollcall that wrote it. */
interface Origin {
  version: string;
  keys: BackupKeys | undefined;
}

export async function* toFileParts(parts: AsyncIterable<BackupPart>, origin: Origin): AsyncGenerator<FilePart> {
  for await (const part of parts) {
    if (part.kind === 'rows') yield { bytes: part.bytes };
    else yield { json: part.kind === 'header' ? { ...part, ...origin } : part };
  }
}

/** The header, and what follows it. */
export async function openFileParts(file: string, parts: AsyncGenerator<FilePart>) {
  const { value } = await parts.next();
  const header = value && 'json' in value ? (value.json as { kind: string } & BackupHeader & Origin) : undefined;
  if (header?.kind !== 'header') throw new StartupError(`${file} is not written as a backup of Rollcall is.`);
  return { header, rest: toBackupParts(parts) };
}

async function* toBackupParts(parts: AsyncGenerator<FilePart>): AsyncGenerator<BackupPart> {
  for await (const part of parts) yield 'bytes' in part ? { kind: 'rows', bytes: part.bytes } : (part.json as BackupPart);
}

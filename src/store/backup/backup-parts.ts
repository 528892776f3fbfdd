import { StartupError } from '../../errors.ts';
import type { BackupHeader, BackupPart } from './dump-database.ts';
import type { FilePart } from './backup-file.ts';

export interface BackupKeys {
  /** One key per line, as in the data folder. */
  encryption: string | undefined;
  api: string | undefined;
}

/** The installation that wrote the backup. */
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

/** Reads the header. Returns it with the remaining parts. */
export async function openFileParts(file: string, parts: AsyncGenerator<FilePart>) {
  const { value } = await parts.next();
  const header = value && 'json' in value ? (value.json as { kind: string } & BackupHeader & Origin) : undefined;
  if (header?.kind !== 'header') throw new StartupError(`${file} is not a valid Rollcall backup.`);
  return { header, rest: toBackupParts(parts) };
}

async function* toBackupParts(parts: AsyncGenerator<FilePart>): AsyncGenerator<BackupPart> {
  for await (const part of parts) yield 'bytes' in part ? { kind: 'rows', bytes: part.bytes } : (part.json as BackupPart);
}

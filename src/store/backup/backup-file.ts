import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { StartupError } from '../../errors.ts';
import type { BackupHeader, BackupPart } from './dump-database.ts';

/**
 * The format of a backup file: a head line with the format's version, checksum and length, then gzip data. The data is a sequence of parts: one
 * byte for the kind, four bytes for the length, and JSON or rows in COPY format.
 */

type FilePart = { json: unknown } | { bytes: Buffer };

const format = 1;
const jsonKind = 0x4a;
const bytesKind = 0x44;
const maxPartBytes = 1_200_000_000;
const partHeadBytes = 5;

const headLine = (sha256: string, bytes: number) => `rollcall-backup ${format} sha256=${sha256} bytes=${String(bytes).padStart(15, '0')}\n`;
const headBytes = headLine('0'.repeat(64), 0).length;
const head = /^rollcall-backup (\d+) sha256=([0-9a-f]{64}) bytes=(\d{15})\n$/;
const anyFormat = /^rollcall-backup (\d+) /;

/** Writes a partial file that only the owner can read, syncs it, and renames it when it is complete. Returns the size. */
export async function writeBackupFile(file: string, parts: AsyncIterable<FilePart>): Promise<number> {
  await assertReplaceable(file);
  await removePartials(file);
  const partial = `${partialOf(file)}${process.pid}`;
  const handle = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(`${file} can't be written (${error.code}): choose a file in a folder that exists and is writable.`, {
      cause: error,
    });
  });
  try {
    const bytes = await writeParts(handle, partial, parts);
    await handle.sync();
    await rename(partial, file);
    return bytes;
  } finally {
    await handle.close();
    await rm(partial, { force: true });
  }
}

async function writeParts(handle: FileHandle, path: string, parts: AsyncIterable<FilePart>): Promise<number> {
  const hash = createHash('sha256');
  let bytes = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await handle.write(headLine('0'.repeat(64), 0), 0);
  await pipeline(Readable.from(frame(parts)), createGzip(), counting, createWriteStream(path, { flags: 'r+', start: headBytes }));
  await handle.write(headLine(hash.digest('hex'), bytes), 0);
  return headBytes + bytes;
}

async function* frame(parts: AsyncIterable<FilePart>): AsyncGenerator<Buffer> {
  for await (const part of parts) {
    const [kind, body] = 'json' in part ? [jsonKind, Buffer.from(JSON.stringify(part.json))] : [bytesKind, part.bytes];
    const start = Buffer.alloc(partHeadBytes);
    start.writeUInt8(kind);
    start.writeUInt32BE(body.length, 1);
    yield start;
    yield body;
  }
}

/** Only an existing backup may be replaced. */
async function assertReplaceable(file: string): Promise<void> {
  const found = await readStart(file);
  if (found !== undefined && !anyFormat.test(found))
    throw new StartupError(`${file} exists and is not a Rollcall backup: choose another name.`);
}

const partialOf = (file: string) => `${file}.partial-`;

/** Removes partial files of backup processes that have died. */
async function removePartials(file: string): Promise<void> {
  const folder = dirname(file);
  const names = await readdir(folder).catch(() => []);
  const partials = names.filter((name) => name.startsWith(basename(partialOf(file))));
  await Promise.all(
    partials.filter((name) => !isAlive(Number(name.split('-').at(-1)))).map((name) => rm(join(folder, name), { force: true })),
  );
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Reads the head line. Returns undefined if there is no file. */
async function readStart(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unreadable(file, error);
  });
  if (!handle) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } catch (error) {
    throw unreadable(file, error as NodeJS.ErrnoException);
  } finally {
    await handle.close();
  }
}

const unreadable = (file: string, error: NodeJS.ErrnoException) =>
  new StartupError(error.code === 'EISDIR' ? `${file} is a folder: specify a file.` : `${file} can't be read (${error.code}).`, {
    cause: error,
  });

/** Fails if the file is not a backup, or is damaged. Call it before the parts are read. Returns the size. */
export async function verifyBackupFile(file: string): Promise<number> {
  const start = await readStart(file);
  if (start === undefined) throw new StartupError(`There is no file ${file}.`);
  const written = anyFormat.exec(start)?.[1];
  if (written === undefined) throw new StartupError(`${file} is not a Rollcall backup.`);
  if (Number(written) !== format)
    throw new StartupError(`${file} has format ${written}, and this Rollcall reads format ${format}: restore it with a newer version.`);
  const [, , sha256, bytes] = head.exec(start) ?? [];
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of createReadStream(file, { start: headBytes }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    length += chunk.length;
  }
  if (length < Number(bytes)) throw new StartupError(`${file} is truncated: ${length} of ${Number(bytes)} bytes are there.`);
  if (length !== Number(bytes) || hash.digest('hex') !== sha256)
    throw new StartupError(`${file} is damaged: its checksum does not match. Use another backup.`);
  return headBytes + length;
}

/** Reads the parts. `onBytes` is called with the position in the file. */
export async function* readBackupFile(file: string, onBytes: (bytes: number) => void = () => undefined): AsyncGenerator<FilePart> {
  const source = createReadStream(file, { start: headBytes });
  const unpacked = createGunzip();
  const flowing = pipeline(source, unpacked).catch((error: Error) => void unpacked.destroy(error));
  try {
    let rest: Buffer[] = [];
    let length = 0;
    const take = (count: number) => {
      const all = rest.length === 1 ? rest[0]! : Buffer.concat(rest);
      rest = [all.subarray(count)];
      length -= count;
      return all.subarray(0, count);
    };
    let wanted: { kind: number; bytes: number } | undefined;
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      onBytes(headBytes + source.bytesRead);
      rest.push(chunk);
      length += chunk.length;
      for (;;) {
        if (!wanted && length >= partHeadBytes) {
          const start = take(partHeadBytes);
          wanted = { kind: start.readUInt8(), bytes: start.readUInt32BE(1) };
          if (wanted.bytes > maxPartBytes || ![jsonKind, bytesKind].includes(wanted.kind))
            throw new StartupError(`${file} is not a valid Rollcall backup.`);
        }
        if (!wanted || length < wanted.bytes) break;
        const body = take(wanted.bytes);
        yield wanted.kind === jsonKind ? { json: JSON.parse(body.toString()) as unknown } : { bytes: Buffer.from(body) };
        wanted = undefined;
      }
    }
    if (wanted || length > 0) throw new StartupError(`${file} ends in the middle of a part.`);
  } finally {
    source.destroy();
    unpacked.destroy();
    await flowing;
  }
}

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

import { randomBytes } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Writes a file that only its owner can read. It appears, or replaces the one before it, once all of its text is on the disk. */
export async function replaceFile(file: string, text: AsyncIterable<string>): Promise<void> {
  // A pipe or a device cannot be replaced.
  if (!(await isFileOrNew(file))) return pipeline(Readable.from(text), createWriteStream(file));
  // Otherwise a link would be replaced, and not what it points to.
  const target = await realpath(file).catch(() => file);
  // In a folder of others, a name that they know could be a link of theirs.
  const partial = `${target}.${randomBytes(8).toString('hex')}.partial`;
  // The signal then ends the process as it would have without a listener.
  const end = (signal: NodeJS.Signals) => {
    rmSync(partial, { force: true });
    for (const one of signals) process.off(one, end);
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.on(signal, end);
  try {
    const handle = await open(partial, 'wx', 0o600);
    await pipeline(Readable.from(text), handle.createWriteStream({ flush: true }));
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}

async function isFileOrNew(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}

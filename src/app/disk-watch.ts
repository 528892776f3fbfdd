import { statfs } from 'node:fs/promises';
import type { Logger } from '../logger.ts';

export interface DiskWatchDeps {
  /** Writes a few megabytes where the database does, and says whether there was room. */
  probeDatabase(): Promise<'room' | 'full'>;
  /** On the disk of the data folder, where this process runs the database itself. */
  freeBytes?: (() => Promise<number>) | undefined;
  minFreeBytes: number;
  log: Logger;
  everyMs?: number;
  /** A probe writes, so it is made less often than the free space is read. */
  probeEveryMs?: number;
  now?: () => number;
}

export interface DiskWatch {
  /** Why no changes are accepted now, in a sentence. */
  missing(): string | undefined;
  stop(): void;
}

/** Notices a disk that is almost full, so that changes are rejected before Postgres or Temporal fail to write what was accepted. */
export function createDiskWatch({
  probeDatabase,
  freeBytes,
  minFreeBytes,
  log,
  everyMs = 2_000,
  probeEveryMs = 15_000,
  now = () => performance.now(),
}: DiskWatchDeps): DiskWatch {
  let missing: string | undefined;
  let probed: 'room' | 'full' = 'room';
  let probeAtMs = -Infinity;
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      const found = (await lookAtFolder()) ?? (await lookAtDatabase());
      if (found !== missing) log[found === undefined ? 'info' : 'error']({ missing: found }, found ?? 'the disk has room again');
      missing = found;
    } finally {
      isLooking = false;
    }
  }

  async function lookAtFolder(): Promise<string | undefined> {
    const free = await freeBytes?.().catch(() => undefined);
    // As a round number: the sentence is not to change with each look.
    return free === undefined || free >= minFreeBytes
      ? undefined
      : `The disk is almost full: less than ${minFreeBytes} bytes are free (MIN_FREE_DISK_BYTES). Changes are rejected until there is room.`;
  }

  async function lookAtDatabase(): Promise<string | undefined> {
    const waitMs = probed === 'full' ? Math.min(probeEveryMs, 5_000) : probeEveryMs;
    if (now() - probeAtMs >= waitMs) {
      probeAtMs = now();
      // One that is away is told of elsewhere.
      probed = await probeDatabase().catch(() => probed);
    }
    return probed === 'full' ? 'The disk of the database is full. Changes are rejected until there is room.' : undefined;
  }

  const timer = setInterval(() => void look(), everyMs).unref();
  void look();
  return { missing: () => missing, stop: () => clearInterval(timer) };
}

export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

import { statfs } from 'node:fs/promises';
import type { Logger } from '../logger.ts';

export interface DiskWatchDeps {
  /** Writes a few megabytes to the database's disk, and returns whether there was room. */
  probeDatabase(): Promise<'room' | 'full'>;
  /** Reads the free bytes of the disk with the data folder. Set if this process runs the database itself. */
  freeBytes?: (() => Promise<number>) | undefined;
  minFreeBytes: number;
  log: Logger;
  everyMs?: number;
  /** A probe writes, so it runs less often than the free space is read. */
  probeEveryMs?: number;
  now?: () => number;
}

export interface DiskWatch {
  /** Why changes are rejected now, as a sentence. Undefined if they are accepted. */
  missing(): string | undefined;
  stop(): void;
}

/** Watches for an almost full disk, so that changes are rejected before Postgres or Temporal fail to write accepted ones. */
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
  let isChecking = false;

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    try {
      const found = (await checkFolder()) ?? (await checkDatabase());
      if (found !== missing) log[found === undefined ? 'info' : 'error']({ missing: found }, found ?? 'the disk has room again');
      missing = found;
    } finally {
      isChecking = false;
    }
  }

  async function checkFolder(): Promise<string | undefined> {
    const free = await freeBytes?.().catch(() => undefined);
    // It names the limit, not the free space, so that the message does not change with each check.
    return free === undefined || free >= minFreeBytes
      ? undefined
      : `The disk is almost full: less than ${minFreeBytes} bytes are free (MIN_FREE_DISK_BYTES). Changes are rejected until there is room.`;
  }

  async function checkDatabase(): Promise<string | undefined> {
    const waitMs = probed === 'full' ? Math.min(probeEveryMs, 5_000) : probeEveryMs;
    if (now() - probeAtMs >= waitMs) {
      probeAtMs = now();
      // An unavailable database is reported elsewhere.
      probed = await probeDatabase().catch(() => probed);
    }
    return probed === 'full' ? 'The disk of the database is full. Changes are rejected until there is room.' : undefined;
  }

  const timer = setInterval(() => void check(), everyMs).unref();
  void check();
  return { missing: () => missing, stop: () => clearInterval(timer) };
}

export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

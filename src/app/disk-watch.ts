import { statfs } from 'node:fs/promises';
import type { Logger } from '../logger.ts';

export interface DiskWatchDeps {
  /** Writes a few megabytes to the database's disk, and returns whether there was room. */
  probeDatabase(): Promise<'room' | 'full'>;
  /** Reads the free bytes of the disk with the data folder. Set if this process runs the database itself. */
  freeBytes?: (() => Promise<number>) | undefined;
  minFreeBytes: number;
  low: LowDisk;
  log: Logger;
  everyMs?: number;
  /** A probe writes, so it runs less often than the free space is read. */
  probeEveryMs?: number;
  now?: () => number;
}

interface LowDisk {
  /** With less free, directories that hold more than their share may not grow. */
  freeBytes: number;
  bytesPerDirectory: number;
  /** Finds those of the directories that hold more. Runs only while the disk is low. */
  findLargeDirectories(directoryIds: string[], bytesPerDirectory: number): Promise<Set<string>>;
}

export interface DiskWatch {
  /** Why changes are rejected now, as a sentence. Undefined if they are accepted. */
  missing(): string | undefined;
  /** Why this directory may only delete now, as a sentence. Undefined if it may grow. */
  growthError(directoryId: string): string | undefined;
  /** Why a directory may not be synced now. */
  syncError(directoryId: string): string | undefined;
  stop(): void;
}

/**
 * Watches for an almost full disk, so that changes are rejected before Postgres or Temporal fail to write accepted ones: first those of the
 * directories that hold most, then all.
 */
export function createDiskWatch({
  probeDatabase,
  freeBytes,
  minFreeBytes,
  low,
  log,
  everyMs = 2_000,
  probeEveryMs = 15_000,
  now = () => performance.now(),
}: DiskWatchDeps): DiskWatch {
  let missing: string | undefined;
  let probed: 'room' | 'full' = 'room';
  let free: number | undefined;
  let probeAtMs = -Infinity;
  let large: ReadonlySet<string> = new Set();
  /** Directories that wanted to grow since the last search: it measures no others, of which there may be very many. */
  let growing = new Set<string>();
  let [isChecking, isSearching] = [false, false];

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    try {
      const found = (await checkFolder()) ?? (await checkDatabase());
      if (found !== missing) log[found === undefined ? 'info' : 'error']({ missing: found }, found ?? 'the disk has room again');
      missing = found;
      // A slow database must not delay the next check.
      void checkDirectories();
    } finally {
      isChecking = false;
    }
  }

  async function checkFolder(): Promise<string | undefined> {
    free = await freeBytes?.().catch(() => undefined);
    // It names the limit, not the free space, so that the message does not change with each check.
    return free === undefined || free >= minFreeBytes
      ? undefined
      : `The disk is almost full: less than ${minFreeBytes} bytes are free (MIN_FREE_DISK_BYTES). Changes are rejected until there is room.`;
  }

  async function checkDirectories(): Promise<void> {
    if (free === undefined || free >= low.freeBytes) {
      if (large.size > 0) log.info({}, 'the disk has room again: all directories may grow');
      large = new Set();
      growing = new Set();
    } else if (growing.size + large.size > 0 && !isSearching) {
      isSearching = true;
      const measured = new Set([...growing, ...large]);
      growing = new Set();
      const found = await low.findLargeDirectories([...measured], low.bytesPerDirectory).catch(() => {
        growing = new Set([...growing, ...measured]);
        return large;
      });
      isSearching = false;
      if (found.size !== large.size)
        log.warn({ directories: [...found].slice(0, 20), count: found.size }, 'the disk is low: large directories may only delete');
      large = found;
    }
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

  const growthRejected = `The disk has less than ${low.freeBytes} free bytes (LOW_DISK_BYTES), and this directory holds more than ${low.bytesPerDirectory} (LOW_DISK_BYTES_PER_DIRECTORY). Only deletions are accepted until there is room.`;
  function growthError(directoryId: string): string | undefined {
    if (free !== undefined && free < low.freeBytes) growing.add(directoryId);
    return large.has(directoryId) ? growthRejected : undefined;
  }

  const timer = setInterval(() => void check(), everyMs).unref();
  void check();
  return {
    missing: () => missing,
    growthError,
    syncError: (directoryId) => missing ?? growthError(directoryId),
    stop: () => clearInterval(timer),
  };
}

export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

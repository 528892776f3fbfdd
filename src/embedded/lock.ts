import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../errors.ts';
import { createFile, replaceFile } from './private-files.ts';
import { toUnusableFolderError } from './data-folder.ts';
import { isRunning, readProcessIdentity } from './processes.ts';
import type { ServerLog } from './supervise.ts';

/** How long a predecessor that is still closing is waited for. */
export const defaultPredecessorWaitMs = 10_000;

export interface Lock {
  /** The server that works under this lock: it may live a moment longer than we do. */
  record(serverPid: number): Promise<void>;
  release(): Promise<void>;
}

export interface LockOptions {
  file: string;
  /** What is locked, as a person knows it. */
  data: string;
  predecessorWaitMs: number;
  log: ServerLog;
}

/** One Rollcall at a time on one server's data. A lock whose processes have all ended counts for nothing. */
export async function lockData({ file, data, predecessorWaitMs, log }: LockOptions): Promise<Lock> {
  const unusable = (error: unknown) => {
    throw toUnusableFolderError(dirname(file), error);
  };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch(unusable);
  const mine = (await readProcessIdentity(process.pid))!;
  const deadline = Date.now() + predecessorWaitMs;
  for (let attempt = 1; ; attempt += 1) {
    if (await createFile(file, mine).catch(unusable)) break;
    const found = await readFile(file, 'utf8').catch(() => '');
    const holder = await firstRunning(found);
    if (holder === undefined) await discardStaleLock(file, found, mine);
    else if (Date.now() > deadline) throw new StartupError(toInUseMessage(data, holder));
    else {
      if (attempt === 1) log(`${data} is in use by process ${holder}: waiting for it to close.`);
      await delay(50);
    }
  }
  return {
    async record(serverPid) {
      await replaceFile(file, `${mine}\n${(await readProcessIdentity(serverPid)) ?? ''}`);
    },
    release: () => rm(file, { force: true }),
  };
}

export const toInUseMessage = (data: string, pid: number) =>
  `${data} is in use by another Rollcall (process ${pid}): stop that one, or set ROLLCALL_DATA_DIR to a folder of this one's own.`;

async function firstRunning(lines: string): Promise<number | undefined> {
  for (const identity of lines.split('\n').filter(Boolean)) if (await isRunning(identity)) return Number.parseInt(identity, 10);
  return undefined;
}

/**
 * One at a time looks whether the lock is still the stale one, and takes it away: else two that found it stale would have a lock each, because
 * one takes away what the other one has just made.
 */
async function discardStaleLock(file: string, stale: string, mine: string) {
  const turn = `${file}.discard`;
  if (!(await createFile(turn, mine))) {
    const holder = await firstRunning(await readFile(turn, 'utf8').catch(() => mine));
    // It was killed in its turn.
    if (holder === undefined) await rm(turn, { force: true });
    return delay(10);
  }
  try {
    const found = await readFile(file, 'utf8').catch(() => undefined);
    if (found === stale) await rm(file, { force: true });
  } finally {
    await rm(turn, { force: true });
  }
}

import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../errors.ts';
import { createPrivateFile, replacePrivateFile } from './private-files.ts';
import { toUnusableFolderError } from './data-folder.ts';
import { isRunning, readProcessIdentity } from './processes.ts';
import type { ServerLog } from './supervise.ts';

/** How long to wait for a predecessor that is still shutting down. */
export const defaultPredecessorWaitMs = 10_000;

export interface Lock {
  /** Records the server's process, which may outlive this process for a moment. */
  record(serverPid: number): Promise<void>;
  release(): Promise<void>;
}

interface LockOptions {
  file: string;
  /** The locked data, for messages. */
  data: string;
  predecessorWaitMs: number;
  log: ServerLog;
}

/** Ensures that one Rollcall at a time uses a server's data. A lock is ignored if all its processes have ended. */
export async function lockDataFolder({ file, data, predecessorWaitMs, log }: LockOptions): Promise<Lock> {
  const unusable = (error: unknown) => {
    throw toUnusableFolderError(dirname(file), error);
  };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch(unusable);
  const mine = (await readProcessIdentity(process.pid))!;
  const deadline = Date.now() + predecessorWaitMs;
  for (let attempt = 1; ; attempt += 1) {
    if (await createPrivateFile(file, mine).catch(unusable)) break;
    const found = await readFile(file, 'utf8').catch(() => '');
    const holder = await firstRunning(found);
    if (holder === undefined) await discardStaleLock(file, found, mine);
    else if (Date.now() > deadline) throw new StartupError(toInUseMessage(data, holder));
    else {
      if (attempt === 1) log(`${data} is in use by process ${holder}; waiting for it to stop.`);
      await delay(50);
    }
  }
  return {
    async record(serverPid) {
      await replacePrivateFile(file, `${mine}\n${(await readProcessIdentity(serverPid)) ?? ''}`);
    },
    release: () => rm(file, { force: true }),
  };
}

export const toInUseMessage = (data: string, pid: number) =>
  `${data} is in use by another Rollcall (process ${pid}): stop it, or set ROLLCALL_DATA_DIR to another folder.`;

async function firstRunning(lines: string): Promise<number | undefined> {
  for (const identity of lines.split('\n').filter(Boolean)) if (await isRunning(identity)) return Number.parseInt(identity, 10);
  return undefined;
}

/**
 * One process at a time checks that the lock is still stale and removes it. Otherwise two processes that found it stale could both get a
 * lock, because one would remove the lock that the other has just created.
 */
async function discardStaleLock(file: string, stale: string, mine: string) {
  const turn = `${file}.discard`;
  if (!(await createPrivateFile(turn, mine))) {
    const holder = await firstRunning(await readFile(turn, 'utf8').catch(() => mine));
    // The process was killed while it held the turn.
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

import { expect } from '@jest/globals';
import { type HeldWrites, holdWrites } from './hold-writes.ts';
import { createInstallation, type InstallationOptions, withoutThreads } from './installation.ts';
import type { RunningRollcall } from './process.ts';
import { until } from './until.ts';

/** An installation with one process, which is killed again and again. Starting it once for each kill takes most of the time of these tests. */
export async function startKillable({ env = {}, ...options }: InstallationOptions = {}) {
  const installation = await createInstallation({ ...options, env: { ...withoutThreads, ...env } });
  let running: RunningRollcall | undefined = await installation.start();
  return {
    ...installation,
    /** Kills the process while its last of the writes waits, and starts it again. */
    async killWhile<Sent>(writes: HeldWrites, send: () => Promise<Sent>): Promise<Sent> {
      const killed = (running ??= await installation.start());
      // A run that has ended clears what it has staged. If that waits for the hold, the next run does not begin.
      await until(async () => (await installation.db('sync_runs').whereNotNull('finished_at').where({ is_cleared: false })).length === 0);
      const hold = await holdWrites(installation.db, writes);
      let sent: Sent;
      try {
        sent = await send();
        await hold.reached();
        running = undefined;
        expect(await killed.kill()).toEqual({ code: null, signal: 'SIGKILL' });
        await hold.abort();
      } finally {
        await hold.release();
      }
      running = await installation.start();
      return sent;
    },
    async remove() {
      await running?.kill();
      await installation.remove();
    },
  };
}

export type Killable = Awaited<ReturnType<typeof startKillable>>;

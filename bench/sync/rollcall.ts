import { setTimeout as sleep } from 'node:timers/promises';
import { startDelivering } from '../delivery/rollcall.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { withDatabase } from '../support/fill.ts';
import type { Servers } from '../support/servers.ts';
import { callApi } from './api.ts';
import type { Source } from './source.ts';
import type { SyncMode } from '../../src/directory/sync/sync-run.ts';
import type { WorldSize } from './world.ts';
import { imageSettings } from '../support/sides.ts';

export interface SyncingRollcall {
  pid: number;
  /** Measured from the request until the run is reported as ended. The totals of a run of mode `changes` are not checked. */
  sync(mode?: SyncMode): Promise<Synced>;
  stop(): Promise<void>;
}

export interface Synced {
  seconds: number;
  /** Until the staged data of the run is deleted; the next run waits for that. */
  clearedAfterSeconds: number;
  events: number;
}

interface Run {
  id: string;
  state: string;
  seen: { users: number; groups: number; members: number };
  failed: number;
  error: { message: string } | null;
}

const pollMs = 50;

/** Starts Rollcall as one process, with an authorized directory. */
export async function startSyncingRollcall(
  servers: Servers,
  { source, size, name }: { source: Source; size: WorldSize; name: string },
  cleanup: Cleanup,
): Promise<SyncingRollcall> {
  const { signal } = cleanup;
  const rollcall = await startDelivering(servers, cleanup, { name, ...imageSettings, ...source.environment });
  const directoryId = await source.createDirectory(rollcall);
  const path = `directory-sync/${directoryId}`;
  const countEvents = () =>
    queryOne<{ last_sequence: number }>(`select last_sequence from directories where id = :directoryId`).then((row) => row.last_sequence);
  return {
    pid: rollcall.pid,
    stop: () => rollcall.stop(),
    async sync(mode = 'full') {
      const before = await countEvents();
      const startedMs = performance.now();
      const since = () => (performance.now() - startedMs) / 1000;
      const run = await untilEnded(await startRun());
      const seconds = since();
      assertComplete(run, mode);
      await untilCleared();
      return { seconds, clearedAfterSeconds: since() - seconds, events: (await countEvents()) - before };
    },
  };

  async function startRun(): Promise<string> {
    return source.startRun ? source.startRun(rollcall, directoryId) : (await callApi<Run>(rollcall, 'POST', `${path}/sync`)).id;
  }

  async function untilEnded(runId: string): Promise<Run> {
    for (;;) {
      const run = await callApi<Run>(rollcall, 'GET', `${path}/syncs/${runId}`);
      if (run.state !== 'queued' && run.state !== 'running') return run;
      await sleep(pollMs, undefined, { signal });
    }
  }

  async function untilCleared(): Promise<void> {
    while (
      (await queryOne<{ left: number }>(`select count(*) as left from sync_runs where directory_id = :directoryId and not is_cleared`))
        .left > 0
    )
      await sleep(pollMs, undefined, { signal });
  }

  function queryOne<Row>(sql: string): Promise<Row> {
    return withDatabase(rollcall.environment.DATABASE_URL, async (db) => {
      const { rows } = await db.raw<{ rows: [Row] }>(sql, { directoryId });
      return rows[0];
    });
  }

  function assertComplete({ state, seen, failed, error }: Run, mode: SyncMode): void {
    const isComplete =
      mode === 'changes' || (seen.users === size.users && seen.groups === size.groups && seen.members === size.groups * size.members);
    if (state !== 'succeeded' || failed > 0 || !isComplete)
      throw new Error(`Rollcall's run ${state}: ${error?.message ?? `${JSON.stringify(seen)} seen, ${failed} failed`}`);
  }
}

import type { SyncMode } from '../../src/directory/sync/sync-run.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatNumber, printTarget, startTable } from '../support/table.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { readMemory, readPeakRssKiB, resetPeakRss } from '../support/processes.ts';
import type { Servers } from '../support/servers.ts';
import { startSyncingRollcall, type Synced } from './rollcall.ts';
import type { Source } from './source.ts';
import { countObjects, type WorldSize } from './world.ts';

interface Run {
  title: string;
  /** Changes the provider before the run. */
  before?: () => Promise<void>;
  mode?: SyncMode;
}

export interface MeasuredRun extends Synced {
  perSecond: number;
  beforeMiB: number;
  growthMiB: number;
}

const restMs = 5000;
const targetMiB = 150;

/** Measures runs of one directory, one after the other, in their own service. */
export async function measureRuns(
  servers: Servers,
  { source, size, name, runs }: { source: Source; size: WorldSize; name: string; runs: readonly Run[] },
  cleanup: Cleanup,
): Promise<MeasuredRun[]> {
  const print = startTable(
    [`${name} sync`, 'seconds', 'objects/s', 'events', 'before MiB', 'growth MiB', 'clearing s'].map((title) => ({ title, width: 13 })),
  );
  const rollcall = await startSyncingRollcall(servers, { source, size, name }, cleanup);
  const measured: MeasuredRun[] = [];
  for (const { title, before, mode } of runs) {
    await before?.();
    await sleep(restMs, undefined, { signal: cleanup.signal });
    resetPeakRss(rollcall.pid);
    const beforeKiB = readMemory(rollcall.pid).rssKiB;
    const synced = await rollcall.sync(mode);
    const run = {
      ...synced,
      perSecond: countObjects(size) / synced.seconds,
      beforeMiB: beforeKiB / 1024,
      growthMiB: (readPeakRssKiB(rollcall.pid) - beforeKiB) / 1024,
    };
    print([
      title,
      formatNumber(run.seconds),
      run.perSecond.toFixed(0),
      String(run.events),
      ...[run.beforeMiB, run.growthMiB, run.clearedAfterSeconds].map(formatNumber),
    ]);
    measured.push(run);
  }
  await rollcall.stop();
  console.log('');
  const startMiB = measured[0]!.beforeMiB;
  printTarget({
    title: `${name}: resident growth since the start, after each run`,
    value: measured.map(({ beforeMiB, growthMiB }) => beforeMiB + growthMiB - startMiB),
    relation: '<',
    bound: targetMiB,
    unit: ' MiB',
  });
  return measured;
}

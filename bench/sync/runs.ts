import { setTimeout as sleep } from 'node:timers/promises';
import { formatNumber, printTarget, startTable } from '../support/table.ts';
import type { Closing } from '../support/closing.ts';
import { readMemory, readPeakRssKiB, resetPeakRss } from '../support/processes.ts';
import type { Servers } from '../support/servers.ts';
import { startSyncingRollcall, type Synced } from './rollcall.ts';
import type { Source } from './source.ts';
import { countObjects, type WorldSize } from './world.ts';

interface Run {
  title: string;
  /** What happens at the provider before. */
  before?: () => Promise<void>;
  of?: 'all' | 'changes';
}

export interface MeasuredRun extends Synced {
  perSecond: number;
  beforeMiB: number;
  growthMiB: number;
}

const restMs = 5000;
const aimMiB = 150;

/** Runs of one directory, one after the other, in a service of its own. */
export async function measureRuns(
  servers: Servers,
  { source, size, name, runs }: { source: Source; size: WorldSize; name: string; runs: Run[] },
  closing: Closing,
): Promise<MeasuredRun[]> {
  const print = startTable(
    [`${name} sync`, 'seconds', 'objects/s', 'events', 'before MiB', 'growth MiB', 'clearing s'].map((title) => ({ title, width: 13 })),
  );
  const rollcall = await startSyncingRollcall(servers, { source, size, name }, closing);
  const measured: MeasuredRun[] = [];
  for (const { title, before, of } of runs) {
    await before?.();
    await sleep(restMs, undefined, { signal: closing.signal });
    resetPeakRss(rollcall.pid);
    const beforeKiB = readMemory(rollcall.pid).rssKiB;
    const synced = await rollcall.sync(of);
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
    bound: aimMiB,
    unit: ' MiB',
  });
  return measured;
}

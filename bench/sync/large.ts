import { setTimeout as sleep } from 'node:timers/promises';
import { printTarget, formatNumber, startTable } from '../support/table.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { readMemory, readPeakRssKiB, resetPeakRss } from '../support/processes.ts';
import type { Servers } from '../support/servers.ts';
import { startGoogle } from './google.ts';
import { startSyncingRollcall, type SyncingRollcall, type Synced } from './rollcall.ts';
import { countObjects, type WorldSize } from './world.ts';

interface MeasuredSync extends Synced {
  perSecond: number;
  beforeMiB: number;
  growthMiB: number;
}

const restMs = 5000;
const targetMiB = 150;
const targetRatio = 5;

/** Measures the first sync of a workspace, and a sync without changes. */
export async function measureLarge(servers: Servers, size: WorldSize, cleanup: Cleanup): Promise<object> {
  const { users, groups, members } = size;
  console.log(`${users} users, ${groups} groups, ${groups * members} memberships:\n`);
  const print = startTable(
    ['sync', 'seconds', 'objects/s', 'events', 'before MiB', 'growth MiB', 'clearing s'].map((title) => ({ title, width: 10 })),
  );
  const google = await startGoogle(size, cleanup);
  const rollcall = await startSyncingRollcall(servers, { google, size, name: 'large' }, cleanup);
  const syncs: MeasuredSync[] = [];
  for (const title of ['first', 'unchanged']) {
    const synced = await measureSync(rollcall, size, cleanup);
    const { seconds, perSecond, events, beforeMiB, growthMiB, clearedAfterSeconds } = synced;
    print([
      title,
      formatNumber(seconds),
      perSecond.toFixed(0),
      String(events),
      ...[beforeMiB, growthMiB, clearedAfterSeconds].map(formatNumber),
    ]);
    syncs.push(synced);
  }
  await rollcall.stop();
  await google.stop();

  const [first, unchanged] = syncs as [MeasuredSync, MeasuredSync];
  const startMiB = first.beforeMiB;
  const growthsMiB = syncs.map(({ beforeMiB, growthMiB }) => beforeMiB + growthMiB - startMiB);
  console.log('');
  printTarget({
    title: 'resident growth since the start, first and unchanged',
    value: growthsMiB,
    relation: '<',
    bound: targetMiB,
    unit: ' MiB',
  });
  printTarget({
    title: 'speed of an unchanged sync vs the first',
    value: first.seconds / unchanged.seconds,
    relation: '≥',
    bound: targetRatio,
    unit: 'x',
  });
  printTarget({ title: 'events of an unchanged sync', value: unchanged.events, relation: '≤', bound: 0, unit: '' });
  return { size, first, unchanged };
}

/** Including the cleanup afterwards. */
async function measureSync({ pid, sync }: SyncingRollcall, size: WorldSize, { signal }: Cleanup): Promise<MeasuredSync> {
  await sleep(restMs, undefined, { signal });
  resetPeakRss(pid);
  const beforeKiB = readMemory(pid).rssKiB;
  const synced = await sync();
  return {
    ...synced,
    perSecond: countObjects(size) / synced.seconds,
    beforeMiB: beforeKiB / 1024,
    growthMiB: (readPeakRssKiB(pid) - beforeKiB) / 1024,
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { printTarget, formatNumber, startTable } from '../support/table.ts';
import type { Closing } from '../support/closing.ts';
import { readMemory, readPeakRssKiB, resetPeakRss } from '../support/processes.ts';
import type { Servers } from '../support/servers.ts';
import { startGoogle } from './google.ts';
import { startSyncingRollcall, type SyncingRollcall, type Synced } from './rollcall.ts';
import { countObjects, type WorldSize } from './world.ts';

interface Watched extends Synced {
  perSecond: number;
  beforeMiB: number;
  growthMiB: number;
}

const restMs = 5000;
const aimMiB = 150;
const aimRatio = 5;

/** The first sync of a workspace, and an unchanged one. */
export async function measureLarge(servers: Servers, size: WorldSize, closing: Closing): Promise<object> {
  const { users, groups, members } = size;
  console.log(`${users} users, ${groups} groups, ${groups * members} memberships:\n`);
  const print = startTable(
    ['sync', 'seconds', 'objects/s', 'events', 'before MiB', 'growth MiB', 'clearing s'].map((title) => ({ title, width: 10 })),
  );
  const google = await startGoogle(size, closing);
  const rollcall = await startSyncingRollcall(servers, { google, size, name: 'large' }, closing);
  const syncs: Watched[] = [];
  for (const title of ['first', 'unchanged']) {
    const synced = await watch(rollcall, size, closing);
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

  const [first, unchanged] = syncs as [Watched, Watched];
  const startMiB = first.beforeMiB;
  const growthsMiB = syncs.map(({ beforeMiB, growthMiB }) => beforeMiB + growthMiB - startMiB);
  console.log('');
  printTarget({
    title: 'resident growth since the start, first and unchanged',
    value: growthsMiB,
    relation: '<',
    bound: aimMiB,
    unit: ' MiB',
  });
  printTarget({
    title: 'speed of an unchanged sync vs the first',
    value: first.seconds / unchanged.seconds,
    relation: '≥',
    bound: aimRatio,
    unit: 'x',
  });
  printTarget({ title: 'events of an unchanged sync', value: unchanged.events, relation: '≤', bound: 0, unit: '' });
  return { size, first, unchanged };
}

/** Including the cleanup afterwards. */
async function watch({ pid, sync }: SyncingRollcall, size: WorldSize, { signal }: Closing): Promise<Watched> {
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

import { printTarget, formatNumber, startTable } from '../support/table.ts';
import type { Cleanup } from '../support/cleanup.ts';
import type { Side } from '../support/options.ts';
import type { Servers } from '../support/servers.ts';
import { sideNames } from '../support/sides.ts';
import { median } from '../support/statistics.ts';
import { startSyncingPolis } from './polis.ts';
import { startGoogle } from './google.ts';
import { startSyncingRollcall } from './rollcall.ts';
import { countObjects, type WorldSize } from './world.ts';

interface Racer {
  side: Side;
  /** In seconds. */
  sync(): Promise<number>;
  stop(): Promise<void>;
}

const targetRatio = 3;

/** Alternates between the sides: one first sync, then unchanged syncs in rounds. */
export async function measureSmall(
  servers: Servers,
  { size, sides, rounds }: { size: WorldSize; sides: Side[]; rounds: number },
  cleanup: Cleanup,
): Promise<object> {
  const { users, groups, members } = size;
  console.log(`\n${users} users, ${groups} groups of ${members}:\n`);
  const google = await startGoogle(size, cleanup);
  const racers: Racer[] = [];
  for (const side of sides) {
    if (side === 'polis') racers.push({ side, ...(await startSyncingPolis(servers, { google, size }, cleanup)) });
    else {
      const { sync, stop } = await startSyncingRollcall(servers, { source: google, size, name: 'small' }, cleanup);
      racers.push({ side, stop, sync: async () => (await sync()).seconds });
    }
  }
  const print = startTable([
    { title: 'sync', width: 9 },
    ...sides.flatMap((side) => [
      { title: `${sideNames[side]} s`, width: 10 },
      { title: 'objects/s', width: 9 },
    ]),
    { title: 'speed', width: 6 },
  ]);
  const race = async (title: string, times: number) => {
    const seconds: Partial<Record<Side, number[]>> = {};
    for (let round = 0; round < times; round += 1) for (const { side, sync } of racers) (seconds[side] ??= []).push(await sync());
    const { rollcall, polis } = seconds;
    const ratio = rollcall && polis && median(polis.map((one, round) => one / rollcall[round]!));
    print([
      title,
      ...sides.map((side) => median(seconds[side]!)).flatMap((one) => [formatNumber(one), (countObjects(size) / one).toFixed(0)]),
      ratio === undefined ? '' : `${formatNumber(ratio)}x`,
    ]);
    return { seconds, ratio };
  };
  const first = await race('first', 1);
  const unchanged = await race('unchanged', rounds);
  for (const { stop } of racers) await stop();
  await google.stop();

  const ratios = [first.ratio, unchanged.ratio].filter((ratio) => ratio !== undefined);
  if (ratios.length > 0) {
    console.log('');
    printTarget({ title: 'speed vs Polis, first and unchanged', value: ratios, relation: '≥', bound: targetRatio, unit: 'x' });
  }
  return { size, first, unchanged };
}

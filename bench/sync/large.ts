import type { Closing } from '../support/closing.ts';
import type { Servers } from '../support/servers.ts';
import { printTarget } from '../support/table.ts';
import { startGoogle } from './google.ts';
import { type MeasuredRun, measureRuns } from './runs.ts';
import type { WorldSize } from './world.ts';

const aimRatio = 5;

/** The first sync of a workspace, and an unchanged one. */
export async function measureLarge(servers: Servers, size: WorldSize, closing: Closing): Promise<object> {
  const { users, groups, members } = size;
  console.log(`${users} users, ${groups} groups, ${groups * members} memberships:\n`);
  const google = await startGoogle(size, closing);
  const runs = [{ title: 'first' }, { title: 'unchanged' }];
  const [first, unchanged] = (await measureRuns(servers, { source: google, size, name: 'google', runs }, closing)) as [
    MeasuredRun,
    MeasuredRun,
  ];
  await google.stop();
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

import { startGoogle } from './sync/google.ts';
import { type MeasuredRun, measureRuns } from './sync/runs.ts';
import { measureSmall } from './sync/small.ts';
import { makeSize, type WorldSize } from './sync/world.ts';
import type { Cleanup } from './support/cleanup.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { assertProc } from './support/processes.ts';
import { startServers, type Servers } from './support/servers.ts';
import { printTarget } from './support/table.ts';

const targetRatio = 5;
const small = { users: 5000, groups: 100, members: 40 };

const introduction = `
The first sync of a Google Workspace until everything is stored, and a sync without changes. A process on this machine plays Google's API
without delay. Rollcall runs as with \`npm start\`: one process for everything, on Postgres (fsync on, default settings) and Temporal's
development server, with the heap limit and the allocator settings of the image. Its memory is the peak resident size that the kernel
reports, compared with the idle size right after the start.
Polis is @boxyhq/saml-jackson 26.2.0 behind a bare HTTP server, in the same Postgres. It reads the same API without encryption, and stores
no event.
`;

export async function measureSync(options: Options, cleanup: Cleanup): Promise<object> {
  assertProc();
  const machine = introduce(introduction);
  const servers = await startServers(cleanup);
  const { sides, rounds } = options;
  const size = makeSize(options.users);
  const large = sides.includes('rollcall') ? await measureFirstAndUnchanged(servers, size, cleanup) : undefined;
  const versus = await measureSmall(servers, { size: { ...small, users: Math.min(size.users, small.users) }, sides, rounds }, cleanup);
  return { machine, options, large, versus };
}

/** Measures the first sync of a workspace, and a sync without changes. */
async function measureFirstAndUnchanged(servers: Servers, size: WorldSize, cleanup: Cleanup): Promise<object> {
  const { users, groups, members } = size;
  console.log(`${users} users, ${groups} groups, ${groups * members} memberships:\n`);
  const google = await startGoogle(size, cleanup);
  const runs = [{ title: 'first' }, { title: 'unchanged' }];
  const [first, unchanged] = (await measureRuns(servers, { source: google, size, name: 'google', runs }, cleanup)) as [
    MeasuredRun,
    MeasuredRun,
  ];
  await google.stop();
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

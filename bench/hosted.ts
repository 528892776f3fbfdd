import type { Cleanup } from './support/cleanup.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { assertProc } from './support/processes.ts';
import { startServers } from './support/servers.ts';
import { printTarget } from './support/table.ts';
import { startEntra } from './sync/entra.ts';
import { startGoogle } from './sync/google.ts';
import { type MeasuredRun, measureRuns } from './sync/runs.ts';
import { makeSize } from './sync/world.ts';

const introduction = `
Syncs of a directory of Microsoft Entra ID compared with the first sync of a Google Workspace of the same size, in one run. Processes on this
machine play both providers without delay. Rollcall runs as with \`npm start\`. Its memory is the peak resident size that the kernel reports.
`;

/** Each provider in a service of its own, one after the other. */
export async function measureHosted(options: Options, cleanup: Cleanup): Promise<object> {
  assertProc();
  const machine = introduce(introduction);
  const servers = await startServers(cleanup);
  const size = makeSize(options.users);
  console.log(`${size.users} users, ${size.groups} groups, ${size.groups * size.members} memberships:\n`);

  const google = await startGoogle(size, cleanup);
  const [peer] = (await measureRuns(servers, { source: google, size, name: 'google', runs: [{ title: 'first' }] }, cleanup)) as [
    MeasuredRun,
  ];
  await google.stop();

  const entra = await startEntra(size, cleanup);
  const runs = [
    { title: 'first' },
    { title: 'unchanged', mode: 'changes' as const },
    { title: '1 % changed', mode: 'changes' as const, before: entra.change },
  ];
  const [first, unchanged, changed] = (await measureRuns(servers, { source: entra, size, name: 'entra', runs }, cleanup)) as [
    MeasuredRun,
    MeasuredRun,
    MeasuredRun,
  ];
  await entra.stop();

  printTarget({ title: "entra: first sync vs Google's", value: first.seconds / peer.seconds, relation: '≤', bound: 1.2, unit: 'x' });
  printTarget({
    title: 'entra: speed of an unchanged sync vs the first',
    value: first.seconds / unchanged.seconds,
    relation: '≥',
    bound: 50,
    unit: 'x',
  });
  printTarget({ title: 'entra: events of an unchanged sync', value: unchanged.events, relation: '≤', bound: 0, unit: '' });
  printTarget({ title: 'entra: 1 % changed vs the first', value: changed.seconds / first.seconds, relation: '≤', bound: 0.1, unit: 'x' });
  return { machine, options, size, peer, entra: { first, unchanged, changed } };
}

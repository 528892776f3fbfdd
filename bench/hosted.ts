import type { Cleanup } from './support/cleanup.ts';
import { introduce } from './support/machine.ts';
import type { Options, Provider } from './support/options.ts';
import { assertProc } from './support/processes.ts';
import { startServers } from './support/servers.ts';
import { printTarget } from './support/table.ts';
import { createCsvSource } from './sync/csv.ts';
import { startEntra } from './sync/entra.ts';
import { startGoogle } from './sync/google.ts';
import { type MeasuredRun, measureRuns } from './sync/runs.ts';
import type { ChangingSource } from './sync/source.ts';
import { makeSize } from './sync/world.ts';

const introduction = `
Syncs of directories of Microsoft Entra ID and of CSV files compared with the first sync of a Google Workspace of the same size, in one run. Processes on this
machine play both providers without delay. Rollcall runs as with \`npm start\`, with the heap limit and the allocator settings of the image. Its memory is the peak
resident size that the kernel reports.
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

  const measured: Record<string, object> = {};
  for (const provider of options.providers) {
    const source = provider === 'csv' ? createCsvSource(size) : await startEntra(size, cleanup);
    measured[provider] = await measureProvider(provider, source);
    await source.stop();
  }
  return { machine, options, size, google: peer, ...measured };

  async function measureProvider(provider: Provider, source: ChangingSource): Promise<object> {
    // Files always have everything.
    const mode = provider === 'csv' ? 'full' : 'changes';
    const runs = [
      { title: 'first' },
      { title: 'unchanged', mode },
      { title: '1 % changed', mode: 'changes', before: source.change },
    ] as const;
    const [first, unchanged, changed] = (await measureRuns(servers, { source, size, name: provider, runs }, cleanup)) as [
      MeasuredRun,
      MeasuredRun,
      MeasuredRun,
    ];
    printTarget({
      title: `${provider}: speed of the first sync vs Google's`,
      value: peer.seconds / first.seconds,
      relation: '≥',
      ...firstTargets[provider],
    });
    if (provider === 'entra')
      printTarget({
        title: 'entra: speed of an unchanged sync vs the first',
        value: first.seconds / unchanged.seconds,
        relation: '≥',
        bound: 50,
        unit: 'x',
      });
    printTarget({ title: `${provider}: events of an unchanged sync`, value: unchanged.events, relation: '≤', bound: 0, unit: '' });
    printTarget({
      title: `${provider}: 1 % changed vs the first`,
      value: changed.seconds / first.seconds,
      relation: '≤',
      bound: provider === 'csv' ? 0.5 : 0.1,
      unit: 'x',
    });
    return { first, unchanged, changed };
  }
}

/** Of Entra: within 1.2 times as long. */
const firstTargets = { entra: { bound: 0.83, unit: 'x' }, csv: { bound: 3, unit: 'x' } } as const;

import { printTarget, startTable } from './support/table.ts';
import type { Cleanup } from './support/cleanup.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { makeFolder } from './support/servers.ts';
import { embeddedEnvironment, startService } from './support/service.ts';
import { median } from './support/statistics.ts';

const targetSeconds = 2;

const introduction = `
Time from \`npm start\` until /health/ready responds, with all servers embedded: with an empty data folder, and again with an existing
one. Packages and servers are already installed.
`;

export async function measureStart({ rounds }: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const firstMs: number[] = [];
  const laterMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const environment = embeddedEnvironment(await makeFolder(cleanup));
    firstMs.push(await timeStart(environment, cleanup));
    laterMs.push(await timeStart(environment, cleanup));
    laterMs.push(await timeStart(environment, cleanup));
  }
  const print = startTable([
    { title: 'start', width: 5 },
    { title: 'median ms', width: 9 },
    { title: 'all', width: 40 },
  ]);
  for (const [title, times] of [['first', firstMs] as const, ['later', laterMs] as const])
    print([title, median(times).toFixed(0), times.map((ms) => ms.toFixed(0)).join(' ')]);
  console.log('');
  printTarget({ title: 'later start', value: median(laterMs) / 1000, relation: '<', bound: targetSeconds, unit: ' s' });
  return { machine, firstMs, laterMs };
}

async function timeStart(environment: Record<string, string>, cleanup: Cleanup): Promise<number> {
  const startedMs = performance.now();
  const service = await startService({ name: '`npm start`', command: ['npm', 'start'], environment }, cleanup);
  const ms = performance.now() - startedMs;
  await service.stop();
  return ms;
}

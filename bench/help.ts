import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../src/paths.ts';
import { printTarget, startTable } from './support/table.ts';
import type { Cleanup } from './support/cleanup.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { median } from './support/statistics.ts';

const targetMs = 120;
const runsPerRound = 5;

const introduction = `
Time of \`rollcall --help\` compared with an empty Node process, in alternation.
`;

export async function measureHelp({ rounds }: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const bareMs: number[] = [];
  const helpMs: number[] = [];
  const program = join(packageRoot, 'dist/src/main.js');
  for (let turn = 0; turn < rounds * runsPerRound && !cleanup.signal.aborted; turn += 1) {
    bareMs.push(await timeNode(['-e', '0']));
    helpMs.push(await timeNode([program, '--help']));
  }
  const print = startTable([
    { title: 'command', width: 16 },
    { title: 'median ms', width: 9 },
    { title: 'all', width: 40 },
  ]);
  for (const [title, times] of [['node -e 0', bareMs] as const, ['rollcall --help', helpMs] as const])
    print([title, median(times).toFixed(0), times.map((ms) => ms.toFixed(0)).join(' ')]);
  console.log('');
  printTarget({ title: 'rollcall --help', value: median(helpMs), relation: '<', bound: targetMs, unit: ' ms' });
  printTarget({ title: 'vs an empty Node process', value: median(helpMs) / median(bareMs), relation: '<', bound: 4, unit: 'x' });
  return { machine, bareMs, helpMs };
}

const run = promisify(execFile);

async function timeNode(args: string[]): Promise<number> {
  const startedMs = performance.now();
  await run(process.execPath, args);
  return performance.now() - startedMs;
}

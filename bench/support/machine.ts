import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem, type as systemType } from 'node:os';

export type Machine = ReturnType<typeof readMachine>;

/** Prints the machine and what the benchmark measures. */
export function introduce(introduction: string): Machine {
  const machine = readMachine();
  console.log(describeMachine(machine));
  console.log(introduction);
  return machine;
}

/** Reads what is needed to compare the figures of two runs. */
export function readMachine() {
  return {
    date: new Date().toISOString(),
    commit: readCommit(),
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: systemType(),
    node: process.version,
    loadBefore: loadavg()[0]!,
  };
}

function describeMachine(machine: Machine): string {
  const { date, commit, loadBefore } = machine;
  return [
    `${date.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, load before ${loadBefore.toFixed(1)}`,
    describeHardware(machine),
  ].join('\n');
}

export const describeHardware = ({ cores, processor, memoryGiB, system, node }: Machine): string =>
  `${cores} cores (${processor}), ${memoryGiB} GiB, ${system}, Node ${node.slice(1)}`;

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

function readCommit(): string {
  try {
    // Results are written into the README, so changes of it do not count.
    const changed = git('status', '--porcelain', '--', '.', ':!bench/README.md');
    return `${git('rev-parse', '--short=8', 'HEAD')}${changed === '' ? '' : '-dirty'}`;
  } catch {
    return 'unknown';
  }
}

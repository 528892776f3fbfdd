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

/** Needed to compare the figures of two runs. */
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

export function describeMachine(machine: Machine): string {
  const { date, commit, cores, processor, memoryGiB, system, node, loadBefore } = machine;
  return [
    `${date.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, Node ${node.slice(1)}, ${system}`,
    `${cores} cores (${processor}), ${memoryGiB} GiB, load before ${loadBefore.toFixed(1)}`,
  ].join('\n');
}

function readCommit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}

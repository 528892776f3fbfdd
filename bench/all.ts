import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../src/errors.ts';
import type { Cleanup } from './support/cleanup.ts';
import { describeHardware, readMachine } from './support/machine.ts';
import type { TargetResult } from './support/table.ts';
import { readTargetTable, type TargetRun } from './support/target-table.ts';

const readme = 'bench/README.md';
const [startMark, endMark] = ['<!-- all: start -->', '<!-- all: end -->'];
/** Options that contain a folder of this machine, which must not get into the README. */
const folderOption = /(--(?:before|temporal-server)[ =])\S+/g;
const timeoutMs = 45 * 60_000;
const killAfterMs = 60_000;

interface Figures extends Pick<TargetRun, 'machine'> {
  targets: TargetResult[];
}

interface AllOptions {
  /** Every benchmark. */
  benchmarks: string[];
  /** The benchmarks to run. If it is empty, all run, and the table is created again. */
  names: string[];
  /** Options that each benchmark gets. */
  options: string[];
}

/** Runs each benchmark in its own process, and writes its targets into the README. A failed benchmark is a row, and fails the run. */
export async function measureAll({ benchmarks, names, options }: AllOptions, cleanup: Cleanup): Promise<Record<string, Figures>> {
  const text = await readFile(readme, 'utf8');
  const [from, to] = [text.indexOf(startMark) + startMark.length, text.indexOf(endMark)];
  if (from < startMark.length || to < from) throw new StartupError(`${readme} must contain ${startMark} and ${endMark}.`);
  const table = readTargetTable(names.length > 0 ? text.slice(from, to) : '', { machine: describeHardware(readMachine()), benchmarks });
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  cleanup.add(() => rm(folder, { recursive: true }));
  const shown = options.join(' ').replaceAll(folderOption, '$1DIR');
  const figures: Record<string, Figures> = {};
  for (const name of names.length > 0 ? names : benchmarks) {
    console.log(`\n== ${name}\n`);
    const file = join(folder, `${name}.json`);
    const machine = readMachine();
    const failure = await runChild([process.argv[1]!, name, ...options, '--json', file], cleanup);
    cleanup.signal.throwIfAborted();
    if (failure === undefined) {
      figures[name] = JSON.parse(await readFile(file, 'utf8')) as Figures;
      table.add(name, { machine: figures[name].machine, options: shown, result: figures[name].targets });
    } else {
      process.exitCode = 1;
      table.add(name, { machine, options: shown, result: failure });
    }
    // Written after each benchmark, so that a canceled run keeps its results.
    await writeFile(readme, `${text.slice(0, from)}\n\n${table.toMarkdown()}\n\n${text.slice(to)}`);
  }
  return figures;
}

/** Returns why the process failed, or undefined. The process prints to this terminal. */
async function runChild(args: string[], cleanup: Cleanup): Promise<string | undefined> {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let hasTimedOut = false;
  const stop = async () => {
    child.kill('SIGTERM');
    const killing = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    await exited;
    clearTimeout(killing);
  };
  cleanup.add(stop);
  const timer = setTimeout(() => {
    hasTimedOut = true;
    void stop();
  }, timeoutMs);
  const [code] = await exited;
  clearTimeout(timer);
  if (hasTimedOut) return `stopped after ${timeoutMs / 60_000} minutes`;
  return code === 0 ? undefined : `failed with ${code ?? 'a signal'}`;
}

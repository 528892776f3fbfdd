import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../src/errors.ts';
import type { Closing } from './support/closing.ts';
import { describeMachine, readMachine } from './support/machine.ts';
import type { TargetResult } from './support/table.ts';

const readme = 'bench/README.md';
const [startMark, endMark] = ['<!-- all: start -->', '<!-- all: end -->'];
const timeoutMs = 45 * 60_000;
const killAfterMs = 60_000;
const header = ['Benchmark', 'What', 'Result', 'Target', 'Met'];

interface Figures {
  targets: TargetResult[];
}

interface AllOptions {
  names: string[];
  /** For each benchmark. */
  options: string[];
}

/** Runs each benchmark in its own process, and writes the targets of all into the README. A failed benchmark is a row, and fails the run. */
export async function measureAll({ names, options }: AllOptions, closing: Closing): Promise<Record<string, Figures>> {
  const text = await readFile(readme, 'utf8');
  const [from, to] = [text.indexOf(startMark), text.indexOf(endMark)];
  if (from < 0 || to < from) throw new StartupError(`${readme} must contain ${startMark} and ${endMark}.`);
  const machine = describeMachine(readMachine()).replace('\n', ', ');
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  closing.add(() => rm(folder, { recursive: true }));
  const [rows, figures]: [string[][], Record<string, Figures>] = [[], {}];
  for (const name of names) {
    console.log(`\n== ${name}\n`);
    const file = join(folder, `${name}.json`);
    const failure = await runChild([process.argv[1]!, name, ...options, '--json', file], closing);
    closing.signal.throwIfAborted();
    if (failure === undefined) {
      figures[name] = JSON.parse(await readFile(file, 'utf8')) as Figures;
      rows.push(...figures[name].targets.map(({ title, seen, aim, met }) => [name, title, seen, aim, met ? 'yes' : '**no**']));
    } else {
      process.exitCode = 1;
      rows.push([name, failure, '', '', '**no**']);
    }
  }
  const command = ['npm run bench -- all', ...names, ...options].join(' ');
  const section = [startMark, '', `\`${command}\`, ${machine}:`, '', ...formatRows([header, ...rows]), ''].join('\n');
  await writeFile(readme, `${text.slice(0, from)}${section}\n${text.slice(to)}`);
  return figures;
}

/** Returns why the process failed. It prints to this terminal. */
async function runChild(args: string[], closing: Closing): Promise<string | undefined> {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let late = false;
  const stop = async () => {
    child.kill('SIGTERM');
    const killing = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    await exited;
    clearTimeout(killing);
  };
  closing.add(stop);
  const timer = setTimeout(() => {
    late = true;
    void stop();
  }, timeoutMs);
  const [code] = await exited;
  clearTimeout(timer);
  if (late) return `stopped after ${timeoutMs / 60_000} minutes`;
  return code === 0 ? undefined : `failed with ${code ?? 'a signal'}`;
}

/** As Prettier formats a table. */
function formatRows(rows: string[][]): string[] {
  const escaped = rows.map((cells) => cells.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = header.map((_, column) => Math.max(...escaped.map((cells) => cells[column]!.length)));
  const format = (cells: string[], fill: string) => `| ${widths.map((width, column) => cells[column]!.padEnd(width, fill)).join(' | ')} |`;
  const [titles, ...others] = escaped.map((cells) => format(cells, ' '));
  return [
    titles!,
    format(
      header.map(() => ''),
      '-',
    ),
    ...others,
  ];
}

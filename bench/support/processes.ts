import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { StartupError } from '../../src/errors.ts';

/** Only on Linux: without /proc, no processes are found. */
export interface ProcessFacts {
  pid: number;
  /** `postgres`, `temporal`, `node` … */
  name: string;
  cpuMs: number;
}

const tickMs = 10;

export function assertProc(): void {
  if (process.platform !== 'linux') throw new StartupError('This benchmark requires Linux: it reads /proc.');
}

/** The process and all its descendants. */
export function readProcessTree(rootPid: number): ProcessFacts[] {
  const all = readProcesses();
  const found: ProcessFacts[] = [];
  const walk = (pid: number) => {
    const process = all.get(pid);
    if (process) found.push(process);
    for (const child of all.values()) if (child.parentPid === pid) walk(child.pid);
  };
  walk(rootPid);
  return found;
}

export const readCpuMs = (rootPid: number) => readProcessTree(rootPid).reduce((sum, { cpuMs }) => sum + cpuMs, 0);

/** Returns the CPU time of the main thread of the first Node process in the tree. */
export function readMainThreadCpuMs(rootPid: number): number {
  const node = readProcessTree(rootPid).find(({ name }) => name === 'node');
  return node ? parseStat(read(`/proc/${node.pid}/task/${node.pid}/stat`), 2).cpuMs : Number.NaN;
}

export interface Memory {
  rssKiB: number;
  /** Proportional set size: shared pages are divided among the processes that use them. Falls back to RSS. */
  pssKiB: number;
}

export function readMemory(pid: number): Memory {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  const rssKiB = Number(/^(?:Rss|VmRSS):\s+(\d+)/m.exec(rollup || read(`/proc/${pid}/status`))?.[1] ?? 0);
  return { rssKiB, pssKiB: Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? rssKiB) };
}

/** Resets the peak that the kernel records. */
export const resetPeakRss = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, '5');
export const readPeakRssKiB = (pid: number) => Number(/^VmHWM:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? Number.NaN);

function readProcesses(): Map<number, ProcessFacts & { parentPid: number }> {
  const found = new Map<number, ProcessFacts & { parentPid: number }>();
  if (process.platform !== 'linux') return found;
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    // Includes the time of ended children: Postgres starts a child per connection.
    const { state, parentPid, cpuMs } = parseStat(read(`/proc/${pid}/stat`), 4);
    if (state && state !== 'Z') found.set(pid, { pid, name: readName(pid), cpuMs, parentPid });
  }
  return found;
}

/** The times are, in this order: user, system, user of ended children, system of ended children. */
function parseStat(stat: string, times: 2 | 4) {
  const [state, parentPid, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpuMs = fields.slice(9, 9 + times).reduce((sum, ticks) => sum + Number(ticks), 0) * tickMs;
  return { state, parentPid: Number(parentPid), cpuMs };
}

/** Children of Postgres replace their command line: `postgres: checkpointer`. */
function readName(pid: number): string {
  const [command = ''] = read(`/proc/${pid}/cmdline`).split('\0');
  return command.startsWith('postgres:') ? 'postgres' : basename(command);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

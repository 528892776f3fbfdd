import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { StartupError } from '../../src/errors.ts';

/** Linux alone: elsewhere there is no /proc, and nothing is found. */
export interface ProcessFacts {
  pid: number;
  /** `postgres`, `temporal`, `node` … */
  name: string;
  cpuMs: number;
}

const tickMs = 10;

export function wantProc(): void {
  if (process.platform !== 'linux') throw new StartupError('This benchmark reads /proc, which only Linux has.');
}

/** A process and everything below it. */
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

export interface Memory {
  rssKiB: number;
  /** Shared pages count by the share of those who have them; without the kernel's word for it the same as RSS. */
  pssKiB: number;
}

export function readMemory(pid: number): Memory {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  const rssKiB = Number(/^(?:Rss|VmRSS):\s+(\d+)/m.exec(rollup || read(`/proc/${pid}/status`))?.[1] ?? 0);
  return { rssKiB, pssKiB: Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? rssKiB) };
}

/** The kernel keeps the most that a process ever had resident; from here on it counts anew. */
export const resetPeakRss = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, '5');
export const readPeakRssKiB = (pid: number) => Number(/^VmHWM:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? Number.NaN);

function readProcesses(): Map<number, ProcessFacts & { parentPid: number }> {
  const found = new Map<number, ProcessFacts & { parentPid: number }>();
  if (process.platform !== 'linux') return found;
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    const stat = read(`/proc/${pid}/stat`);
    const [state, parentPid, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (!state || state === 'Z') continue;
    // Its own, and that of children that have ended: Postgres' come and go with connections.
    const cpuMs = fields.slice(9, 13).reduce((sum, ticks) => sum + Number(ticks), 0) * tickMs;
    found.set(pid, { pid, name: readName(pid), cpuMs, parentPid: Number(parentPid) });
  }
  return found;
}

/** Postgres' children write their own command line: `postgres: checkpointer`. */
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

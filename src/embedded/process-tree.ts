import { readdir, readFile } from 'node:fs/promises';
import { runCommand } from './run-command.ts';

/** A process and all that it started, parents first. */
export async function processTree(pid: number): Promise<number[]> {
  const parents = process.platform === 'linux' ? await readProc() : await askPs();
  const tree = [pid];
  for (const parent of tree) tree.push(...parents.filter(([, itsParent]) => itsParent === parent).map(([child]) => child));
  return tree;
}

/** Ends a process and all that it started. A child that starts meanwhile is left to notice that its parent is gone. */
export async function killTree(pid: number): Promise<void> {
  signalAll(await processTree(pid), 'SIGKILL');
}

export function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // It has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

async function readProc(): Promise<[number, number][]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    pids.map(async (pid): Promise<[number, number]> => {
      const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return [Number(pid), Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[1])];
    }),
  );
}

async function askPs(): Promise<[number, number][]> {
  const { output } = await runCommand(['ps', '-A', '-o', 'pid=,ppid=']);
  return output
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
}

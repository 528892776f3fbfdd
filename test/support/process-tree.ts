import { readdir, readFile } from 'node:fs/promises';
import { runCommand } from '../../src/embedded/run-command.ts';

/** A process and all that came of it, parents first. */
export async function processTree(pid: number): Promise<number[]> {
  const parents = process.platform === 'linux' ? await readProc() : await askPs();
  const tree = [pid];
  for (const parent of tree) tree.push(...parents.filter(([, itsParent]) => itsParent === parent).map(([child]) => child));
  return tree;
}

/** Stops them where they are, as on a machine that hangs: connections stay open, and nothing answers. */
export async function freeze(pid: number): Promise<{ thaw(): Promise<void> }> {
  const tree = await processTree(pid);
  send(tree, 'SIGSTOP');
  return { thaw: () => Promise.resolve(send(tree, 'SIGCONT')) };
}

function send(pids: number[], signal: NodeJS.Signals) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
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

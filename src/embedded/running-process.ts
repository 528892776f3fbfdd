import { readFile } from 'node:fs/promises';
import { runCommand } from './run-command.ts';

/** Tells a process from a later one that was given the same number; undefined once it has ended, zombies included. */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const [state, ...startedAt] = (await runCommand(['ps', '-o', 'stat=,lstart=', '-p', String(pid)])).output.trim().split(/\s+/);
    return !state || state.startsWith('Z') ? undefined : `${pid} ${startedAt.join(' ')}`;
  }
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state, ...fields] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return !state || state === 'Z' || state === 'X' ? undefined : `${pid} ${fields[18]}`;
}

export async function isRunning(identity: string): Promise<boolean> {
  return (await processIdentity(Number.parseInt(identity, 10))) === identity;
}

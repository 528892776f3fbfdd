import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Ends everything with one sentence that says what to do. */
export class Refusal extends Error {}

export function run(command, args, { sentence, ...options } = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status !== 0) throw new Refusal(error ? `${sentence} (${error.message})` : sentence);
}

/** A name that a person can read, of this or another process; empty when there is no such process. */
export function commandLine(pid) {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return '';
    }
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
}

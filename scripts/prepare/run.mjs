import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** An expected failure. Its message says what to do. */
export class ScriptError extends Error {}

export function run(command, args, { sentence, ...options } = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status !== 0) throw new ScriptError(error ? `${sentence} (${error.message})` : sentence);
}

/** The command line of a process; empty if the process does not exist. */
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

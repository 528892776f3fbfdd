import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface ChildProgram extends AsyncDisposable {
  child: ChildProcessWithoutNullStreams;
  output(): string;
  isRunning(): boolean;
}

/** Runs until it is disposed, then is killed with its child processes. */
export function startProgram(command: string, args: string[], options: { cwd: string; env: Record<string, string> }): ChildProgram {
  const child = spawn(command, args, { ...options, env: { ...baseEnv, ...options.env }, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  child.stdin.on('error', () => undefined);
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    child,
    output: () => output,
    isRunning,
    async [Symbol.asyncDispose]() {
      if (isRunning()) process.kill(-child.pid!, 'SIGKILL');
      await exited;
    },
  };
}

/** What compilers and shells need, without variables that point to another Rollcall. */
export const baseEnv: Record<string, string> = {
  // Java decodes its environment by locale.
  LANG: 'C.UTF-8',
  ...Object.fromEntries(
    ['PATH', 'HOME', 'JAVA_HOME', 'GOPATH', 'GOCACHE', 'GOROOT'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  ),
};

export const isOnThisMachine = (command: string) =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));

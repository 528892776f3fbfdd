import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../errors.ts';
import { type SpawnAs, killProcessTree, serverEnvironment } from './processes.ts';
/**
 * A server must not outlive this process, even on SIGKILL. So it runs under a watchdog, a shell that holds our end of a pipe and stops the
 * server at end of file. Its own process group protects it from the terminal's Ctrl-C, because Rollcall drains first. A server that does
 * not end in time is killed with its children; frozen children would not notice that their parent is gone. The children are killed first,
 * because the watchdog ends as soon as the server is gone.
 */
const watchdog = `umask 077; stop_signal=$1; left=$2; shift 2; exec 4<&0
children_of() {
  if [ ! -r /proc/self/stat ]; then ps -A -o pid=,ppid= | while read -r pid parent; do [ "$parent" != "$1" ] || echo "$pid"; done; return; fi
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    fields=\${line##*) }; fields=\${fields#* }
    [ "\${fields%% *}" != "$1" ] || echo "\${line%% *}"
  done
}
"$@" </dev/null 3>&- 4<&- & server=$!
(read -r _ <&4; kill -$stop_signal $server
while [ $left -gt 0 ] && kill -0 $server; do sleep 1; left=$((left - 1)); done
if kill -0 $server; then kill -KILL $(children_of $server) $server; fi) >/dev/null 2>&1 3>&- & reader=$!
exec 4<&-; echo $server >&3; exec 3>&-
wait $server; code=$?
kill $reader 2>/dev/null; exit $code`;

export interface Child {
  /** The process ID of the server, not of its watchdog. */
  readonly pid: number;
  /** Resolves when the server and all its children are gone. */
  readonly exited: Promise<number | null>;
  output(): string;
  /** Stops the server and waits. After `killAfterSeconds`, it is killed. */
  stop(): Promise<void>;
  /** Kills the server and its children immediately, even if they are frozen. */
  kill(): Promise<void>;
}

interface ChildOptions {
  /** The name for messages, for example `Postgres`. */
  name: string;
  command: string[];
  spawnAs?: SpawnAs;
  env?: NodeJS.ProcessEnv;
  stopSignal?: 'INT' | 'TERM';
  isReady: (pid: number) => boolean | Promise<boolean>;
  readyTimeoutMs?: number;
  killAfterSeconds?: number;
  signal?: AbortSignal;
}

export class ChildExitedError extends StartupError {
  readonly output: string;
  constructor(name: string, code: number | null, output: string) {
    super(`${name} exited with ${code ?? 'a signal'} before it was ready: ${readLastLine(output) || 'no output.'}`);
    this.output = output;
  }
}

export async function startChild({
  name,
  command,
  spawnAs = {},
  env = serverEnvironment(),
  stopSignal = 'TERM',
  isReady,
  readyTimeoutMs = 60_000,
  killAfterSeconds = 10,
  signal,
}: ChildOptions): Promise<Child> {
  const watchdogProcess = spawn('/bin/sh', ['-c', watchdog, 'sh', stopSignal, `${killAfterSeconds}`, ...command], {
    ...spawnAs,
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  let ended = false;
  const exited = new Promise<number | null>((resolve) => {
    watchdogProcess.once('error', (error) => (output += error.message));
    // `close` instead of `exit`: the server holds the pipes, so they close only when the server is gone too.
    watchdogProcess.once('close', (code) => resolve(code));
  });
  void exited.then(() => (ended = true));
  const collect = (chunk: Buffer) => void (output = (output + chunk.toString()).slice(-20_000));
  watchdogProcess.stdout.on('data', collect);
  watchdogProcess.stderr.on('data', collect);
  watchdogProcess.stdin.on('error', () => undefined);
  let pid = 0;
  (watchdogProcess.stdio[3] as Readable).on('data', (chunk: Buffer) => (pid = Number(chunk.toString())));

  const child: Omit<Child, 'pid'> = {
    exited,
    output: () => output,
    async stop() {
      watchdogProcess.stdin.end();
      await exited;
    },
    async kill() {
      // Not by process group: each child of Postgres has its own.
      if (!ended && watchdogProcess.pid !== undefined) await killProcessTree(watchdogProcess.pid);
      await exited;
    },
  };

  const deadline = Date.now() + readyTimeoutMs;
  while (pid === 0 || !(await isReady(pid))) {
    if (ended) throw new ChildExitedError(name, await exited, output);
    if (signal?.aborted || Date.now() > deadline) {
      await child.stop();
      signal?.throwIfAborted();
      throw new StartupError(`${name} was not ready after ${readyTimeoutMs} ms: ${readLastLine(output)}`);
    }
    await delay(10);
  }
  return { ...child, pid };
}

export const readLastLine = (output: string) => output.trim().split('\n').at(-1)!.trim();

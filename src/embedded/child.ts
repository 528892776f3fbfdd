import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../errors.ts';
import { killProcessTree } from './processes.ts';
import { type SpawnAs, serverEnvironment } from './run-command.ts';

/**
 * A server must not outlive this process, even on SIGKILL: its keeper, a shell, holds our end of a pipe and ends the
 * server at end of file. A group of its own keeps the terminal's Ctrl-C from it: we drain first. What the server writes is nobody else's.
 * One that does not end in time is killed with its children: frozen ones, which do not notice that their parent is gone, would stay.
 * The children go first: the keeper ends the one that kills as soon as the server is gone.
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
  /** The server's own process, not its keeper's. */
  readonly pid: number;
  /** Settles once the server and all its own children are gone. */
  readonly exited: Promise<number | null>;
  output(): string;
  /** Asks the server to end and waits for its end; after `killAfterSeconds` it is killed. */
  stop(): Promise<void>;
  /** Ends it and its children at once, also if they are frozen. */
  kill(): Promise<void>;
}

export interface ChildOptions {
  /** What a person calls it: `Postgres`. */
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
    super(`${name} ended with ${code ?? 'a signal'} before it was ready: ${readLastLine(output) || 'it said nothing.'}`);
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
  const keeperProcess = spawn('/bin/sh', ['-c', watchdog, 'sh', stopSignal, `${killAfterSeconds}`, ...command], {
    ...spawnAs,
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  let ended = false;
  const exited = new Promise<number | null>((resolve) => {
    keeperProcess.once('error', (error) => (output += error.message));
    // `close`, not `exit`: the server holds our pipes, so it is gone and not only its keeper.
    keeperProcess.once('close', (code) => resolve(code));
  });
  void exited.then(() => (ended = true));
  const collect = (chunk: Buffer) => void (output = (output + chunk.toString()).slice(-20_000));
  keeperProcess.stdout.on('data', collect);
  keeperProcess.stderr.on('data', collect);
  keeperProcess.stdin.on('error', () => undefined);
  let pid = 0;
  (keeperProcess.stdio[3] as Readable).on('data', (chunk: Buffer) => (pid = Number(chunk.toString())));

  const child: Omit<Child, 'pid'> = {
    exited,
    output: () => output,
    async stop() {
      keeperProcess.stdin.end();
      await exited;
    },
    async kill() {
      // Not its group: each child of Postgres has one of its own.
      if (!ended && keeperProcess.pid !== undefined) await killProcessTree(keeperProcess.pid);
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

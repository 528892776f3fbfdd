import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../src/paths.ts';
import { afterEachFile } from './after-each-file.ts';
import { isHarmlessCoreLine } from './core-lines.ts';
import { until } from './until.ts';
import { watchResponses } from './watch-responses.ts';

const build = join(packageRoot, 'dist');

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface RollcallProcess extends AsyncDisposable {
  pid: number;
  exited: Promise<Exit>;
  /** Standard output and standard error, interleaved. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** Kills it, and returns its exit. */
  kill(): Promise<Exit>;
}

export interface RunningRollcall extends RollcallProcess {
  baseUrl: string;
  readyAfterMs: number;
}

export interface ProcessOptions {
  command?: string[];
  /** The whole environment, beside PATH and the path of the Temporal binary. */
  env: Record<string, string>;
  /** A folder without a `.env`. */
  folder: string;
  /** A path in the build. Default: `rollcall`. */
  program?: string;
  /** A command that runs Node. */
  prefix?: string[];
  root?: string;
}

const started = new Set<ChildProcess>();
/** Messages of Temporal's native core, which are not in the log and do not end the process. */
const panics: string[] = [];
afterEachFile(async () => {
  await Promise.all([...started].map(end));
  const found = panics.splice(0);
  if (found.length > 0) throw new Error(`Native code panicked:\n${found.join('\n')}`);
});

/** Runs the built program as a process, which is killed after the tests of the file. */
export function spawnRollcall({ command = ['start'], env, folder, program = 'src/main.js', prefix = [], root }: ProcessOptions) {
  const [file, ...args] = [...prefix, process.execPath, join(root ? join(root, 'dist') : build, program), ...command];
  const { PATH = '', TEMPORAL_BINARY } = process.env;
  const child = spawn(file!, args, {
    cwd: folder,
    // Several services run at the same time.
    env: { PATH, TEMPORAL_UI_PORT: '0', ...(TEMPORAL_BINARY && { TEMPORAL_BINARY }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      started.delete(child);
      if (output.includes('panicked at')) panics.push(output.slice(output.indexOf('panicked at')));
      resolve({ code, signal });
    });
  });
  const kill = async () => {
    await end(child);
    return exited;
  };
  return {
    pid: child.pid!,
    exited,
    output: () => output,
    signal: (name) => void child.kill(name),
    kill,
    [Symbol.asyncDispose]: async () => void (await kill()),
  } satisfies RollcallProcess;
}

/** Waits until it has printed that it is ready. */
export async function startRollcall(options: ProcessOptions): Promise<RunningRollcall> {
  const startedAtMs = performance.now();
  const spawned = spawnRollcall(options);
  let exit: Exit | undefined;
  void spawned.exited.then((ended) => (exit = ended));
  await until(() => exit !== undefined || addressIn(spawned.output()), { timeoutMs: 120_000 }).catch(() => undefined);
  const baseUrl = addressIn(spawned.output());
  if (baseUrl === undefined) {
    await spawned.kill();
    throw new Error(`It did not become ready:\n${spawned.output()}`);
  }
  // A worker serves only its health.
  if (!options.command?.includes('worker')) void spawned.exited.then(watchResponses(baseUrl).forget);
  return { ...spawned, baseUrl, readyAfterMs: performance.now() - startedAtMs };
}

function addressIn(output: string): string | undefined {
  return (/Rollcall is ready at (\S+)/.exec(output) ?? /"address":"([^"]+)","msg":"rollcall \w+ is ready"/.exec(output))?.[1];
}

/** Errors in the log that no outage explains, and all lines that are not of the log. */
export const unexplainedLines = ({ output }: RollcallProcess): string[] => {
  const lines = output()
    .replace(/^Rollcall is ready at [^]*?^ {2}Help .*$/m, '')
    .split('\n');
  return lines
    .slice(lines.findIndex((line) => line.startsWith('{')))
    .filter((line) => line !== '' && !/^\{"level":[1-4]0,/.test(line) && !isHarmlessCoreLine(line));
};

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
}

/** What each of them reports as missing at `/health/ready`. */
export const missingIn = (parts: RunningRollcall[]): Promise<{ status: number; missing: string[] }[]> =>
  Promise.all(
    parts.map(async ({ baseUrl }) => {
      const response = await fetch(`${baseUrl}/health/ready`);
      const { error } = (await response.json()) as { error: { missing: string[] } | null };
      return { status: response.status, missing: error?.missing ?? [] };
    }),
  );

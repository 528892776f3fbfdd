import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/cli/run.ts';
import type { Shell } from '../../src/cli/shell.ts';
import { packageRoot } from '../../src/paths.ts';
import { afterEachFile } from '../support/after-each-file.ts';
import { apiKey, installRuntimeOnce } from '../support/service.ts';

const program = join(packageRoot, 'dist/src/main.js');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  stdout(): string;
  stderr(): string;
  signal(name: NodeJS.Signals): void;
  ended: Promise<Ended>;
}

export interface Place {
  env?: Record<string, string>;
  folder?: string;
  /** What is typed, or piped, into the command. */
  stdin?: string;
}

const running = new Set<ReturnType<typeof spawn>>();
afterEachFile(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** The built command line, as a script runs it: without a terminal. */
export function startRollcallCommand(args: string[], { env = {}, folder = tmpdir() }: Place = {}): Running {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk: Buffer) => (said[name] += chunk.toString()));
  return {
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    signal: (name) => void child.kill(name),
    ended: new Promise((resolve) => {
      child.once('close', (code) => {
        running.delete(child);
        resolve({ code, ...said });
      });
    }),
  };
}

const maxRunMs = 200_000;

/**
 * In a process of its own, which must read `.env`, handle signals or start a service. Loading its code takes most of its time. One that hangs
 * fails with what it printed.
 */
export async function runRollcall(args: string[], place: Place = {}): Promise<Ended> {
  const { ended, signal } = startRollcallCommand(args, place);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    signal('SIGKILL');
  }, maxRunMs);
  const result = await ended;
  clearTimeout(timer);
  if (isLate) throw new Error(`\`rollcall ${args.join(' ')}\` did not end in ${maxRunMs} ms:\n${result.stdout}${result.stderr}`);
  return result;
}

/** In this process, one after the other: each works in its folder. */
export async function callRollcall(args: string[], { env = {}, folder = tmpdir(), stdin }: Place = {}): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof said) =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        said[name] += chunk.toString();
        done();
      },
    });
  const { PATH = '' } = process.env;
  const shell = {
    env: { PATH, ...env },
    stdin: Readable.from(stdin === undefined ? [] : [Buffer.from(stdin)]),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
  };
  // Otherwise the first connection to Temporal would install another one.
  installRuntimeOnce();
  const before = process.cwd();
  process.chdir(folder);
  try {
    const code = await runCommandLine(args, shell as unknown as Shell);
    return { code: code ?? null, ...said };
  } finally {
    process.chdir(before);
  }
}

export const at = ({ baseUrl }: { baseUrl: string }): { env: Record<string, string> } => ({
  env: { ROLLCALL_URL: baseUrl, ROLLCALL_API_KEY: apiKey },
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ChildExitedError, startChild, type Child } from '../../../src/embedded/child.ts';
import { findFreePort } from '../../../src/embedded/free-port.ts';
import { packageRoot } from '../../../src/paths.ts';
import { freeze } from '../process-tree.ts';

/** A process of Rollcall that is started again whenever it has ended, like by a platform. */
export interface Part {
  name: string;
  baseUrl: string;
  configure(env: Record<string, string>): void;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
  freeze(ms: number): Promise<void>;
  log(): Promise<string>;
}

export interface PartOptions {
  name: string;
  command: 'api' | 'worker';
  env: Record<string, string>;
  folder: string;
  signal: AbortSignal;
}

/** In a folder without a `.env`, and with its log in a file. */
const script = 'cd "$1" || exit; exec >>"$2" 2>&1; shift 2; exec "$@"';
const startAgainMs = 300;

export async function createPart({ name, command, env, folder, signal }: PartOptions): Promise<Part> {
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const logFile = join(folder, `${name.replace(' ', '-')}.log`);
  let settings: Record<string, string> = { LOG_LEVEL: 'warn', PORT: String(port), ...env };
  let child: Child | undefined;

  return {
    name,
    baseUrl,
    configure: (more) => void (settings = { ...settings, ...more }),
    async start() {
      while (!child) {
        signal.throwIfAborted();
        try {
          child = await spawn();
        } catch (error) {
          // If Postgres is down, it says so, ends, and is started again.
          if (!(error instanceof ChildExitedError)) throw error;
          await delay(startAgainMs, undefined, { signal });
        }
      }
    },
    kill: () => end('kill'),
    stop: () => end('stop'),
    async freeze(ms) {
      const frozen = await freeze(child!.pid);
      try {
        await delay(ms, undefined, { signal });
      } finally {
        await frozen.thaw();
      }
    },
    log: () => readFile(logFile, 'utf8').catch(() => ''),
  };

  function spawn() {
    const variables = Object.entries(settings).map(([variable, value]) => `${variable}=${value}`);
    const program = [process.execPath, join(packageRoot, 'dist/src/main.js'), command];
    return startChild({
      name,
      command: ['/bin/sh', '-c', script, 'sh', folder, logFile, 'env', ...variables, ...program],
      env: process.env,
      isReady: () => isReady(baseUrl),
      signal,
    });
  }

  async function end(how: 'kill' | 'stop') {
    const ending = child;
    child = undefined;
    await ending?.[how]();
  }
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/health/ready`);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

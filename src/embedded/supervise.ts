import { setTimeout as delay } from 'node:timers/promises';
import { readLastLine, type Child } from './child.ts';

const firstBackOffMs = 100;
const maxBackOffMs = 5_000;
const healthyAfterMs = 10_000;

/** Logs a message; problems have the level `warn`. */
export type ServerLog = (message: string, level?: 'info' | 'warn') => void;

export interface Supervised {
  /** Changes when the server is restarted. */
  pid(): number;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

interface SupervisedServer {
  name: string;
  start: (signal: AbortSignal) => Promise<Child>;
  /** Says why a server that runs must be restarted. */
  findFault?: () => Promise<string | undefined>;
  checkEveryMs?: number;
  log: ServerLog;
}

/** Starts a server and restarts it whenever it exits unexpectedly or has a fault. */
export async function supervise({ name, start, findFault, checkEveryMs = 5_000, log }: SupervisedServer): Promise<Supervised> {
  const ending = new AbortController();
  let child = await start(ending.signal);
  let faulty: Child | undefined;
  let startedAt = Date.now();
  let backOffMs = firstBackOffMs;

  async function startAgain() {
    for (;;) {
      if (Date.now() - startedAt > healthyAfterMs) backOffMs = firstBackOffMs;
      await delay(backOffMs, undefined, { signal: ending.signal });
      backOffMs = Math.min(backOffMs * 2, maxBackOffMs);
      startedAt = Date.now();
      try {
        child = await start(ending.signal);
        if (ending.signal.aborted) await child.stop();
        else log(`${name} restarted: process ${child.pid}.`);
        return;
      } catch (error) {
        if (ending.signal.aborted) throw error;
        log(`${name} failed to restart: ${error instanceof Error ? error.message : String(error)}`, 'warn');
      }
    }
  }

  async function watch() {
    for (;;) {
      const code = await child.exited;
      if (ending.signal.aborted) return;
      if (child !== faulty)
        log(`${name} (process ${child.pid}) exited unexpectedly with ${code ?? 'a signal'}: ${readLastLine(child.output())}`, 'warn');
      await startAgain();
    }
  }

  async function check(find: () => Promise<string | undefined>) {
    for (;;) {
      await delay(checkEveryMs, undefined, { signal: ending.signal }).catch(() => undefined);
      if (ending.signal.aborted) return;
      const checked = child;
      try {
        const fault = await find();
        if (fault === undefined || ending.signal.aborted || checked !== child) continue;
        faulty = checked;
        log(`${name} (process ${checked.pid}) is killed and restarted: ${fault}`, 'warn');
        await checked.kill();
      } catch (error) {
        log(`${name} could not be checked: ${error instanceof Error ? error.message : String(error)}`, 'warn');
      }
    }
  }
  const watching = Promise.all([watch(), findFault && check(findFault)]).catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });

  const end = async (how: 'stop' | 'kill') => {
    ending.abort();
    await child[how]();
    await watching;
  };
  return { pid: () => child.pid, stop: () => end('stop'), kill: () => end('kill') };
}

import { writeFile } from 'node:fs/promises';
import { WebSocket } from 'undici';

interface Result {
  usedSize?: number;
  profile?: object;
}

export interface Inspector {
  heapBytes(): Promise<number>;
  /** Writes a CPU profile until it is stopped. */
  startProfile(file: string): Promise<() => Promise<void>>;
  close(): void;
}

const timeoutMs = 30_000;

/** Reads the live heap of a Node process with `--inspect`, after a full collection, so that garbage does not count. */
export async function openInspector(output: string): Promise<Inspector> {
  const url = /Debugger listening on (ws:\S+)/.exec(output)?.[1];
  if (url === undefined) throw new Error(`No inspector in the output:\n${output}`);
  const socket = new WebSocket(url);
  const waiting = new Map<number, (result: Result) => void>();
  let lastId = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: Result };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('The inspector cannot be reached.')), { once: true });
  });
  /** Fails if the process has ended or is stuck. */
  const call = (method: string) =>
    new Promise<Result>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No response to ${method}.`)), timeoutMs);
      waiting.set((lastId += 1), (result) => {
        clearTimeout(timer);
        resolve(result);
      });
      socket.send(JSON.stringify({ id: lastId, method }));
    });
  return {
    async heapBytes() {
      await call('HeapProfiler.collectGarbage');
      return (await call('Runtime.getHeapUsage')).usedSize!;
    },
    async startProfile(file) {
      await call('Profiler.enable');
      await call('Profiler.start');
      return async () => writeFile(file, JSON.stringify((await call('Profiler.stop')).profile));
    },
    close: () => socket.close(),
  };
}

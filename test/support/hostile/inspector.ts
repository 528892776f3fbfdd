import { WebSocket } from 'undici';

export interface Inspector {
  heapBytes(): Promise<number>;
  close(): void;
}

const timeoutMs = 10_000;

/** Asks a Node process that was started with `--inspect` for its live heap: a full collection first, so that garbage does not count. */
export async function openInspector(output: string): Promise<Inspector> {
  const url = /Debugger listening on (ws:\S+)/.exec(output)?.[1];
  if (url === undefined) throw new Error(`No inspector in the output:\n${output}`);
  const socket = new WebSocket(url);
  const waiting = new Map<number, (result: { usedSize?: number }) => void>();
  let lastId = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: { usedSize?: number } };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('The inspector cannot be reached.')), { once: true });
  });
  /** Fails if the process has ended or is stuck. */
  const call = (method: string) =>
    new Promise<{ usedSize?: number }>((resolve, reject) => {
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
    close: () => socket.close(),
  };
}

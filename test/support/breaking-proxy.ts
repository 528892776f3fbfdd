import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

interface BreakingProxy {
  url: string;
  /** Ends the connection of the next statement with these words: before it is sent, or in place of the response, when it is committed. */
  breakAt(words: string, moment: 'request' | 'response'): void;
  close(): void;
}

/** A proxy to a database. With `breaksForever` it accepts no more connections after the first one that it ended. */
export async function openBreakingProxy(url: string, { breaksForever = false } = {}): Promise<BreakingProxy> {
  const [start, end] = [new URL(url), new URL(url)];
  const sockets = new Set<Socket>();
  let broken: { words: string; moment: 'request' | 'response' } | undefined;
  const server = createServer((near) => {
    const far = connect(Number(end.port), end.hostname);
    let losesResponse = false;
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    far.on('data', (chunk: Buffer) => {
      if (!losesResponse) return near.write(chunk);
      // The last message, "ready for query": everything is committed.
      return chunk.subarray(-6, -1).equals(readyForQuery) ? near.destroy() : undefined;
    });
    near.on('data', (chunk: Buffer) => {
      if (!broken || !chunk.includes(broken.words)) return far.write(chunk);
      const { moment } = broken;
      broken = undefined;
      if (breaksForever) server.close();
      if (moment === 'request') return near.destroy();
      losesResponse = true;
      return far.write(chunk);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  start.port = String((server.address() as AddressInfo).port);
  return {
    url: start.href,
    breakAt: (words, moment) => (broken = { words, moment }),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5]);

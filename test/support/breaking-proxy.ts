import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

type BreakMoment = 'request' | 'response' | 'silence';

interface BreakingProxy {
  url: string;
  /**
   * Breaks the connection of the next statement with these words. It ends before the statement is sent, or in place of the response, when the
   * statement is committed; or it stays open and silent.
   */
  breakAt(words: string, moment: BreakMoment): void;
  /** Whether no statement is left to break. */
  hasBroken(): boolean;
  close(): void;
}

/** A proxy to a database. With `breaksForever` it accepts no more connections after the first one that it ended. */
export async function openBreakingProxy(url: string, { breaksForever = false } = {}): Promise<BreakingProxy> {
  const [start, end] = [new URL(url), new URL(url)];
  const sockets = new Set<Socket>();
  let broken: { words: string; moment: BreakMoment } | undefined;
  const server = createServer((near) => {
    const far = connect(Number(end.port), end.hostname);
    let losesResponse = false;
    let isSilent = false;
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
      if (isSilent) return;
      if (!broken || !chunk.includes(broken.words)) return far.write(chunk);
      const { moment } = broken;
      broken = undefined;
      if (breaksForever) server.close();
      if (moment === 'request') return near.destroy();
      if (moment === 'silence') return void (isSilent = true);
      losesResponse = true;
      return far.write(chunk);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  start.port = String((server.address() as AddressInfo).port);
  return {
    url: start.href,
    breakAt: (words, moment) => (broken = { words, moment }),
    hasBroken: () => broken === undefined,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5]);

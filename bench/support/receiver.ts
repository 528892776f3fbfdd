import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from './cleanup.ts';

export interface Receiver {
  url: string;
  /** Number of requests. */
  received(): number;
  /** Number of events, if `onEvent` is given. */
  events(): number;
}

export interface ReceiverOptions {
  /** Called for each event with the ID of its resource. Without it, bodies are not parsed. */
  onEvent?: (resourceId: string, atMs: number) => void;
  delayMs?: number;
}

interface DeliveredEvent {
  data: { id: string };
}

/** A webhook receiver that always responds with 200. */
export async function startReceiver(cleanup: Cleanup, { onEvent, delayMs }: ReceiverOptions = {}): Promise<Receiver> {
  let [received, events] = [0, 0];
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const atMs = performance.now();
    received += 1;
    if (onEvent) {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
      const delivered = [JSON.parse(text) as DeliveredEvent | DeliveredEvent[]].flat();
      events += delivered.length;
      for (const { data } of delivered) onEvent(data.id, atMs);
    } else {
      for await (const chunk of request) void chunk;
    }
    if (delayMs !== undefined) await sleep(delayMs);
    response.writeHead(200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.add(async () => {
    server.close();
    server.closeAllConnections();
    await Promise.resolve();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    received: () => received,
    events: () => events,
  };
}

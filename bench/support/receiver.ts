import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Closing } from './closing.ts';

export interface Receiver {
  url: string;
  received(): number;
}

/** A webhook receiver that is always content. */
export async function startReceiver(closing: Closing): Promise<Receiver> {
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    request.resume().on('end', () => response.writeHead(200).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.add(async () => {
    server.close();
    server.closeAllConnections();
    await Promise.resolve();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`, received: () => received };
}

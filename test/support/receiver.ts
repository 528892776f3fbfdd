import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  event: any;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Responds to the next requests. Default: 200. */
  respond: (response: ServerResponse, request: IncomingMessage, count: number) => void;
  close(): Promise<void>;
}

/** A webhook endpoint on loopback. A given receiver becomes a new one. */
export async function startReceiver(receiver = {} as Receiver): Promise<Receiver> {
  Object.assign<Receiver, Receiver>(receiver, {
    url: '',
    received: [],
    respond: (response) => void response.end('ok'),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  });
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      receiver.received.push({ headers: request.headers, text, event: JSON.parse(text) as unknown });
      receiver.respond(response, request, receiver.received.length);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

export const fail = (response: ServerResponse) => void response.writeHead(500).end();
export const take = (response: ServerResponse) => void response.end();
export const sequencesOf = (received: Received[]) => received.map(({ event }) => event.sequence);

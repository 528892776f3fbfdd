import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { StartupError } from '../errors.ts';
import { refuseUnreadable } from './refuse-unreadable.ts';

export interface Listening {
  port: number;
  /** Takes no more requests, and answers those that it has; what still runs after the given time is cut. */
  close(patienceMs: number): Promise<void>;
}

export async function listen(handler: RequestListener, { host, port }: { host: string; port: number }): Promise<Listening> {
  let isClosing = false;
  // Node would refuse a missing Host itself, without a word.
  const options = { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000, requireHostHeader: false };
  const server = createServer(options, (request, response) => {
    if (lacksHost(request)) return refuseUnreadable({ code: 'NO_HOST' }, request.socket);
    // A client that is told so opens another connection elsewhere, instead of finding this one reset.
    if (isClosing) response.setHeader('Connection', 'close');
    handler(request, response);
  });
  server.on('clientError', refuseUnreadable);
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new StartupError(`Port ${port} on ${host} is taken: stop what uses it, or set PORT to another.`);
    if (code === 'EACCES') throw new StartupError(`Port ${port} is not allowed for this user: set PORT to one above 1023.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartupError(`HOST ${host} is no address of this machine: set it to one that is.`);
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close(patienceMs) {
      isClosing = true;
      const closed = once(server, 'close');
      server.close();
      // A connection that becomes idle after its answer is let go too.
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      const cut = setTimeout(() => server.closeAllConnections(), patienceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}

const lacksHost = ({ headers, httpVersion }: IncomingMessage) => headers.host === undefined && httpVersion === '1.1';

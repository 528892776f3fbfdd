import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { StartupError } from '../../errors.ts';
import type { IsIn } from '../../limits/networks.ts';
import type { Logger } from '../../logger.ts';
import { createAcceptFirst } from './connections/accept-first.ts';
import { ChunkLimitedRequest, closeAfterTooManyChunks } from './connections/chunk-limit.ts';
import {
  defaultConnectionLimits,
  endSlowReaders,
  inOrder,
  limitConnections,
  type ConnectionLimits,
} from './connections/connection-limits.ts';
import { parseInPieces } from './connections/parse-in-pieces.ts';
import { refuseUnreadable } from './connections/reject-unreadable.ts';

export interface Listening {
  port: number;
  /** Takes no more requests, and answers those that it has; what still runs after the given time is cut. */
  close(patienceMs: number): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  maxConnections: number;
  /** They open connections for many, and have no limit of their own. */
  isTrustedProxy?: IsIn;
  log?: Pick<Logger, 'warn'>;
  limits?: Partial<ConnectionLimits>;
}

const maxHeaders = 200;
/** Connections that the kernel keeps until they are accepted. Beyond it the kernel drops those of every client, who try again after seconds. */
const backlog = 4_096;

export async function listen(
  handler: RequestListener,
  { host, port, maxConnections, isTrustedProxy = () => false, log, limits: given }: ListenOptions,
): Promise<Listening> {
  const limits = { ...defaultConnectionLimits, ...given };
  let isClosing = false;
  const options = {
    IncomingMessage: ChunkLimitedRequest,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // Node's own 30 s would be what a slow head really gets.
    connectionsCheckingInterval: limits.checkEveryMs,
    // Node would refuse a missing Host itself, without a word.
    requireHostHeader: false,
  };
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (lacksHost(request)) return refuseUnreadable({ code: 'NO_HOST' }, request.socket);
    if (request.rawHeaders.length > 2 * maxHeaders) return refuseUnreadable({ code: 'TOO_MANY_HEADERS' }, request.socket);
    closeAfterTooManyChunks(request, response);
    // A client that is told so opens another connection elsewhere, instead of finding this one reset.
    if (isClosing) response.setHeader('Connection', 'close');
    handler(request, response);
    return undefined;
  };
  const acceptFirst = createAcceptFirst(handle);
  const server = createServer(options, inOrder(acceptFirst.handle, limits));
  parseInPieces(server);
  acceptFirst.watch(server);
  // Node would answer an expectation that it does not know itself, past authentication and the log.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.maxRequestsPerSocket = limits.maxRequestsPerConnection;
  // More than are taken, so that one that is too much is seen, and not left out in silence.
  server.maxHeadersCount = maxHeaders + 1;
  server.on('clientError', refuseUnreadable);
  limitConnections(server, { maxConnections, isTrustedProxy, log });
  const slowReaders = endSlowReaders(server, limits);
  try {
    server.listen({ port, host, backlog });
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
      slowReaders.stop();
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}

const lacksHost = ({ headers, httpVersion }: IncomingMessage) => headers.host === undefined && httpVersion === '1.1';

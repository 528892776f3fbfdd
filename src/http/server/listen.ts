import { isLongUpload } from './connections/long-uploads.ts';
import { type IncomingMessage, type RequestListener, STATUS_CODES, type ServerResponse, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { StartupError } from '../../errors.ts';
import type { NetworkMatcher } from '../../limits/networks.ts';
import type { Logger } from '../../logger.ts';
import { createAcceptFirst } from './connections/accept-first.ts';
import { ChunkLimitedRequest, closeAfterTooManyChunks, endParsing, parseInPieces } from './connections/chunk-limit.ts';
import {
  defaultConnectionLimits,
  endSlowReaders,
  inOrder,
  limitConnections,
  type ConnectionLimits,
} from './connections/connection-limits.ts';
import type { Duplex } from 'node:stream';
import { toErrorBody } from '../../scim/errors.ts';

export interface Listening {
  port: number;
  /** Accepts no more requests and finishes those in progress. Connections that are still open after the timeout are closed. */
  close(timeoutMs: number): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  maxConnections: number;
  /** Trusted proxies open connections for many clients, and are not limited. */
  isTrustedProxy?: NetworkMatcher;
  log?: Pick<Logger, 'warn'>;
  limits?: Partial<ConnectionLimits>;
}

const maxHeaders = 200;
/**
 * Connections that the kernel queues until they are accepted. Beyond it, the kernel drops
 * connections of all clients, which retry after seconds.
 */
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
    // Node's default of 30 s would be the real timeout of slow headers.
    connectionsCheckingInterval: limits.checkEveryMs,
    // Node would reject a missing Host itself, with an empty response.
    requireHostHeader: false,
  };
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (lacksHost(request)) return rejectUnreadable({ code: 'NO_HOST' }, request.socket);
    if (request.rawHeaders.length > 2 * maxHeaders) return rejectUnreadable({ code: 'TOO_MANY_HEADERS' }, request.socket);
    closeAfterTooManyChunks(request, response);
    // The client then opens a new connection elsewhere, instead of getting a reset on this one.
    if (isClosing) response.setHeader('Connection', 'close');
    handler(request, response);
    return undefined;
  };
  const acceptFirst = createAcceptFirst(handle);
  const server = createServer(options, inOrder(acceptFirst.handle, limits));
  parseInPieces(server);
  acceptFirst.watch(server);
  // Node would respond to an unknown expectation itself, without authentication and without a log line.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.maxRequestsPerSocket = limits.maxRequestsPerConnection;
  // One more than allowed, so that too many headers are seen and not silently dropped.
  server.maxHeadersCount = maxHeaders + 1;
  server.on('clientError', rejectUnreadable);
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
      throw new StartupError(`HOST ${host} is not an address of this machine: set it to one that is.`);
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close(timeoutMs) {
      isClosing = true;
      const closed = once(server, 'close');
      server.close();
      // Also closes connections that become idle after their response.
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
      await closed;
      slowReaders.stop();
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}

const lacksHost = ({ headers, httpVersion }: IncomingMessage) => headers.host === undefined && httpVersion === '1.1';

const lingerMs = 2_000;

/** Errors before there is a request, mostly from Node's parser. */
const errors: Record<string, { status: number; detail: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The headers are larger than 16 KiB (fixed limit). Send a long filter by POST to /.search.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'The chunk extensions of the body are larger than 16 KiB (fixed limit).' },
  TOO_MANY_HEADERS: { status: 431, detail: 'The request has more than 200 headers (fixed limit).' },
  NO_HOST: { status: 400, detail: 'The request has no Host header.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request did not arrive in time.' },
};
const malformed = { status: 400, detail: 'The request is not valid HTTP.' };

/** Responds to what never became a request. The client then has a moment to read the response; what it still sends is ignored. */
function rejectUnreadable({ code = '' }: { code?: string }, socket: Duplex): void {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && isLongUpload(socket)) return;
  endParsing(socket);
  if (!socket.writable || code === 'ECONNRESET') return;
  socket.end(toResponse(errors[code] ?? malformed));
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}

/** The path is unknown, and so the format of the error: the body has both. */
function toResponse(error: { status: number; detail: string }): string {
  const { status, detail } = error;
  const body = JSON.stringify({
    ...toErrorBody(error),
    data: null,
    error: { code: 'invalid_request', message: detail, status },
  });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../../logger.ts';
import { toSource, type NetworkMatcher } from '../../../limits/networks.ts';

/** The limits of a connection. Tests use shorter times. */
export interface ConnectionLimits {
  /** For all headers, from the start of the connection. */
  headersTimeoutMs: number;
  /** The whole request must arrive within this time. */
  requestTimeoutMs: number;
  /** Between two requests. */
  keepAliveTimeoutMs: number;
  /** How often timeouts are checked. */
  checkEveryMs: number;
  /** The client must read a response within this time plus its size divided by the rate. */
  responseTimeoutMs: number;
  responseBytesPerSecond: number;
  maxRequestsPerConnection: number;
  /** Requests of one connection that wait for the previous response. */
  maxPipelined: number;
}

export const defaultConnectionLimits: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  // Longer than the 60 s of most load balancers, so that they close first.
  keepAliveTimeoutMs: 65_000,
  checkEveryMs: 1_000,
  responseTimeoutMs: 30_000,
  responseBytesPerSecond: 100_000,
  maxRequestsPerConnection: 10_000,
  maxPipelined: 16,
};

interface LimitConnectionsOptions {
  maxConnections: number;
  isTrustedProxy: NetworkMatcher;
  log?: Pick<Logger, 'warn'> | undefined;
}

const logEveryMs = 60_000;

/**
 * Limits the number of connections; further ones are closed, not queued. One source may have at most half of them, so that it cannot block
 * the others.
 */
export function limitConnections(server: Server, { maxConnections, isTrustedProxy, log }: LimitConnectionsOptions): void {
  const perSource = Math.max(1, Math.floor(maxConnections / 2));
  const counts = new Map<string, number>();
  let rejected = 0;
  let loggedAtMs = -Infinity;
  server.maxConnections = maxConnections;
  server.on('drop', (data) => noteRejected(data?.remoteAddress));
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isTrustedProxy(address)) return;
    const source = toSource(address);
    const count = (counts.get(source) ?? 0) + 1;
    if (count > perSource) {
      noteRejected(address);
      socket.destroy();
      return;
    }
    counts.set(source, count);
    socket.once('close', () => {
      const left = counts.get(source)! - 1;
      if (left > 0) counts.set(source, left);
      else counts.delete(source);
    });
  });

  function noteRejected(source: string | undefined) {
    rejected += 1;
    if (Date.now() - loggedAtMs < logEveryMs) return;
    log?.warn({ source, connections: rejected, maxConnections, perSource }, 'connections are rejected: MAX_CONNECTIONS is reached');
    loggedAtMs = Date.now();
    rejected = 0;
  }
}

const slowest = new WeakMap<Socket, number>();

/** Lets the client read this response at another rate than `responseBytesPerSecond`. */
export function allowSlowReader(response: ServerResponse, bytesPerSecond: number): void {
  const { socket } = response;
  // A call in this process has none.
  if (!socket) return;
  slowest.set(socket, bytesPerSecond);
  response.once('close', () => slowest.delete(socket));
}

/** Closes connections whose clients do not read their responses. It only polls, so that a request costs nothing more. */
export function endSlowReaders(
  server: Server,
  { checkEveryMs, responseTimeoutMs, responseBytesPerSecond }: ConnectionLimits,
): { stop(): void } {
  const sockets = new Set<Socket>();
  const unread = new Map<Socket, { sinceMs: number; bytes: number; readBefore: number }>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      unread.delete(socket);
    });
  });
  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const socket of sockets) check(socket, nowMs);
  }, checkEveryMs).unref();
  return { stop: () => clearInterval(timer) };

  function check(socket: Socket, nowMs: number) {
    const waiting = socket.writableLength;
    if (waiting === 0) {
      unread.delete(socket);
      return;
    }
    // A stream may be longer than its buffer, which a client that reads all the time never empties.
    const readSoFar = socket.bytesWritten - waiting;
    const { sinceMs, bytes, readBefore } = unread.get(socket) ?? { sinceMs: nowMs, bytes: 0, readBefore: readSoFar };
    const most = Math.max(bytes, waiting);
    unread.set(socket, { sinceMs, bytes: most, readBefore });
    const bytesPerSecond = slowest.get(socket) ?? responseBytesPerSecond;
    if (nowMs - sinceMs > responseTimeoutMs + ((most + readSoFar - readBefore) / bytesPerSecond) * 1_000) socket.destroy();
  }
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Handles one request of a connection at a time. HTTP/1.1 responds in order anyway, but Node begins all pipelined requests together. It is
 * not a semaphore: a connection with a waiting request is not read.
 */
export function inOrder(handle: Handle, { maxPipelined }: Pick<ConnectionLimits, 'maxPipelined'>): Handle {
  const busy = new WeakMap<Socket, [request: IncomingMessage, response: ServerResponse][]>();
  return function begin(request, response) {
    const { socket } = request;
    const waiting = busy.get(socket);
    if (waiting === undefined) return start(socket, request, response);
    if (socket.destroyed) return;
    if (waiting.length >= maxPipelined) {
      socket.destroy();
      return;
    }
    waiting.push([request, response]);
    // The request in progress has been received completely, or this one would not exist.
    socket.pause();
  };

  function start(socket: Socket, request: IncomingMessage, response: ServerResponse, waiting: [IncomingMessage, ServerResponse][] = []) {
    busy.set(socket, waiting);
    response.once('close', () => {
      const next = waiting.shift();
      if (next === undefined || !socket.writable) {
        busy.delete(socket);
        return;
      }
      if (waiting.length === 0) socket.resume();
      start(socket, ...next, waiting);
    });
    handle(request, response);
  }
}

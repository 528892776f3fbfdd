import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { createChunkBuffer } from '../shared/chunk-buffer.ts';
import { restartTlsLimit } from './limit-tls.ts';
import { onNextRequestSent, takeConnectionTimings, type ConnectionTimings } from './connection-timings.ts';

interface PostRequest {
  dispatcher: Dispatcher;
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
}

/** What happened during an attempt. */
export interface PostResult {
  end: 'completed' | 'timeout' | 'aborted' | Error;
  /** Set once the request was sent. */
  address?: string;
  response?: WebhookResponse;
  timings: Partial<ConnectionTimings> & { firstByteMs?: number; totalMs: number };
}

export interface WebhookResponse {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** The body continued, or may have. */
  truncated: boolean;
}

const maxBodyBytes = 16_384;
/** The limit of interim responses, such as 103. They precede the response, and a receiver could send them until the timeout. */
const maxInterimResponses = 16;

class TooManyInterimResponsesError extends Error {
  readonly code = 'TOO_MANY_INTERIM_RESPONSES';
}

/**
 * Sends one request. The response is not decompressed, redirects are not followed, and the body is read only as far as it is kept. The
 * timeout covers everything. It uses its own timer and listener, because AbortSignal.any and .timeout cost 20 µs and live until the
 * timeout.
 */
export function httpPost(
  { dispatcher, url, headers, body }: PostRequest,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
) {
  return new Promise<PostResult>((resolve) => {
    const fromMs = performance.now();
    const posted: Omit<PostResult, 'end'> = { timings: { totalMs: 0 } };
    const chunks = createChunkBuffer();
    let bytes = 0;
    let interimResponses = 0;
    let isOver = false;
    let sent: { controller: Dispatcher.DispatchController; atMs: number } | undefined;

    const timer = setTimeout(giveUp, timeoutMs, 'timeout');
    const onAbort = () => giveUp('aborted');
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) return finish('aborted');

    dispatcher.dispatch(
      // The timer above replaces undici's timeouts.
      { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body, headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart(controller) {
          // Timed out while connecting: nothing has been sent.
          if (isOver) return controller.abort(new Error('given up'));
          sent = { controller, atMs: performance.now() };
          onNextRequestSent((socket) => {
            limitReading(socket);
            if (socket.remoteAddress !== undefined) posted.address = socket.remoteAddress;
            Object.assign(posted.timings, takeConnectionTimings(socket));
          });
        },
        onResponseStart(controller, statusCode, responseHeaders) {
          if (isOver) return;
          if (statusCode < 200) {
            interimResponses += 1;
            if (interimResponses > maxInterimResponses) stopReading(controller, new TooManyInterimResponsesError());
            return;
          }
          posted.timings.firstByteMs = performance.now() - sent!.atMs;
          posted.response = { statusCode, headers: responseHeaders, body: Buffer.alloc(0), truncated: true };
        },
        onResponseData(controller, chunk) {
          if (isOver) return;
          chunks.add(chunk);
          bytes += chunk.length;
          if (bytes <= maxBodyBytes) return;
          stopReading(controller, 'completed');
        },
        onResponseEnd() {
          if (posted.response && !isOver) posted.response.truncated = false;
          finish('completed');
        },
        onResponseError(_, error) {
          finish(error);
        },
      },
    );

    function giveUp(end: 'timeout' | 'aborted') {
      finish(end);
      sent?.controller.abort(new Error(end));
    }

    function stopReading(controller: Dispatcher.DispatchController, end: PostResult['end']) {
      finish(end);
      // Outside the parser's call. If this was the end of the response, the connection stays open.
      queueMicrotask(() => controller.abort(new Error('enough was read')));
    }

    function finish(end: PostResult['end']) {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      posted.timings.totalMs = performance.now() - fromMs;
      if (posted.response) posted.response.body = chunks.concat().subarray(0, maxBodyBytes);
      resolve({ ...posted, end });
    }
  });
}

/** Maximum bytes read in one attempt, including what nothing else counts: the reason phrase, chunk extensions, interim responses. */
const maxReadBytes = 512 * 1024;

/** Maximum TLS session tickets in one attempt. They are not part of `bytesRead`, and each must be parsed. Servers send two or four. */
const maxSessionTickets = 32;

const readings = new WeakMap<Socket, { limit: number; tickets: number }>();

class TooMuchReadError extends Error {
  readonly code = 'TOO_MUCH_READ';
}

/** Must be called when a request is sent: undici has added its own listener by then. */
function limitReading(socket: Socket): void {
  const known = readings.get(socket);
  const reading = known ?? { limit: 0, tickets: 0 };
  Object.assign(reading, { limit: socket.bytesRead + maxReadBytes, tickets: 0 });
  restartTlsLimit(socket);
  if (known) return;
  readings.set(socket, reading);
  const disconnect = () => void socket.destroy(new TooMuchReadError());
  socket.prependListener('readable', () => void (socket.bytesRead > reading.limit && disconnect()));
  socket.on('session', () => void ((reading.tickets += 1) > maxSessionTickets && disconnect()));
}

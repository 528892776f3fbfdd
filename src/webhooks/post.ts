import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { createChunks } from '../shared/collect-chunks.ts';
import { onNextRequestSent, takeConnectionTimings, type ConnectionTimings } from './connection-timings.ts';

export interface PostRequest {
  dispatcher: Dispatcher;
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
}

/** What was seen of an exchange until it was over. */
export interface PostResult {
  end: 'answered' | 'timeout' | 'aborted' | Error;
  /** Once there was a connection and the request went out. */
  address?: string;
  response?: WebhookResponse;
  timings: Partial<ConnectionTimings> & { firstByteMs?: number; totalMs: number };
}

export interface WebhookResponse {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** There was more, or may have been. */
  truncated: boolean;
}

const maxBodyBytes = 16_384;
/** Such as 103: they may come before the answer, and a receiver could send them until the time is up. */
const maxInterimResponses = 16;

class TooManyInterimResponsesError extends Error {
  readonly code = 'TOO_MANY_INTERIM_ANSWERS';
}

/**
 * One request, its answer read as it comes: not unpacked, redirects not followed, and no further than it is kept. The time is for
 * the whole of it. A timer and a listener of our own, for AbortSignal.any and .timeout cost 20 µs and live until the time is up.
 */
export function post({ dispatcher, url, headers, body }: PostRequest, { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number }) {
  return new Promise<PostResult>((resolve) => {
    const fromMs = performance.now();
    const posted: Omit<PostResult, 'end'> = { timings: { totalMs: 0 } };
    const chunks = createChunks();
    let bytes = 0;
    let interimAnswers = 0;
    let isOver = false;
    let sent: { controller: Dispatcher.DispatchController; atMs: number } | undefined;

    const timer = setTimeout(giveUp, timeoutMs, 'timeout');
    const onAbort = () => giveUp('aborted');
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) return finish('aborted');

    dispatcher.dispatch(
      // Our own timer covers what undici's would.
      { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body, headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart(controller) {
          // Given up while it was connecting: nothing has been sent, and nothing will be.
          if (isOver) return controller.abort(new Error('given up'));
          sent = { controller, atMs: performance.now() };
          onNextRequestSent((socket) => {
            limitReading(socket);
            if (socket.remoteAddress !== undefined) posted.address = socket.remoteAddress;
            Object.assign(posted.timings, takeConnectionTimings(socket));
          });
        },
        onResponseStart(controller, statusCode, answered) {
          if (isOver) return;
          if (statusCode < 200) {
            interimAnswers += 1;
            if (interimAnswers > maxInterimResponses) stopReading(controller, new TooManyInterimResponsesError());
            return;
          }
          posted.timings.firstByteMs = performance.now() - sent!.atMs;
          posted.response = { statusCode, headers: answered, body: Buffer.alloc(0), truncated: true };
        },
        onResponseData(controller, chunk) {
          if (isOver) return;
          chunks.add(chunk);
          bytes += chunk.length;
          if (bytes <= maxBodyBytes) return;
          stopReading(controller, 'answered');
        },
        onResponseEnd() {
          if (posted.response && !isOver) posted.response.truncated = false;
          finish('answered');
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
      // Not within the parser's call; and if this was the whole answer after all, the connection stays.
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

/**
 * What is read in one exchange, with all that is no part of the answer and that nobody else counts: the words of the status line,
 * extensions of chunks, interim answers.
 */
const maxReadBytes = 512 * 1024;

const readLimits = new WeakMap<Socket, number>();

class TooMuchReadError extends Error {
  readonly code = 'TOO_MUCH_READ';
}

/** As a request is written. undici listens to the socket by then. */
function limitReading(socket: Socket): void {
  const isNew = !readLimits.has(socket);
  readLimits.set(socket, socket.bytesRead + maxReadBytes);
  if (isNew)
    socket.prependListener('readable', () => void (socket.bytesRead > readLimits.get(socket)! && socket.destroy(new TooMuchReadError())));
}

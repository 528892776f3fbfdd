import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { waitAtMost } from '../shared/timeout.ts';

export interface InjectedRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | ReadableStream<Uint8Array> | undefined;
  signal?: AbortSignal | undefined;
}

interface InjectedResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export type Inject = (request: InjectedRequest) => Promise<InjectedResponse>;

/**
 * Passes a request to the service's HTTP code without a server or a connection. It replaces light-my-request, which depends on a package
 * that CommonJS test runners cannot load.
 */
export const createInject =
  (handler: Handler): Inject =>
  (injected) =>
    new Promise((resolve, reject) => {
      const request = toRequest(injected);
      const response = new ServerResponse(request);
      const chunks: Buffer[] = [];
      const keep = (chunk: unknown) => {
        if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
      };
      const { signal } = injected;
      // Without a connection, only the signal shows that the caller has left.
      const abort = () => {
        // As Node does, so that later checks see it too.
        response.destroyed = true;
        response.emit('close');
        reject(signal!.reason as Error);
      };
      response.write = (chunk: unknown) => {
        keep(chunk);
        return true;
      };
      response.end = (chunk?: unknown) => {
        keep(chunk);
        signal?.removeEventListener('abort', abort);
        // Otherwise the end would look like a caller who has disconnected.
        Object.defineProperty(response, 'writableEnded', { value: true });
        resolve({ status: response.statusCode, headers: toText(response.getHeaders()), body: Buffer.concat(chunks).toString() });
        response.emit('finish');
        response.emit('close');
        return response;
      };
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) return abort();
      handler(request, response).catch((error: Error) => {
        signal?.removeEventListener('abort', abort);
        reject(error);
      });
    });

function toRequest({ method, path, headers, body }: InjectedRequest): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  const bytes = body === undefined || body instanceof ReadableStream ? undefined : Buffer.from(body as string);
  request.method = method;
  request.url = path;
  request.httpVersion = '1.1';
  request.headers = { host: 'in-process', ...headers, ...(bytes && { 'content-length': String(bytes.length) }) };
  if (body instanceof ReadableStream) {
    request.headers['transfer-encoding'] = 'chunked';
    feed(request, body);
  } else {
    if (bytes) request.push(bytes);
    request.push(null);
  }
  // Otherwise its end would count as a broken connection and create errors for each call.
  request.complete = true;
  return request;
}

/** Each chunk is read when the one before it was taken. */
function feed(request: IncomingMessage, body: ReadableStream<Uint8Array>): void {
  const reader = body.getReader();
  // oxlint-disable-next-line no-underscore-dangle -- Node's name
  request._read = () => {
    // Node's own notes that somebody reads.
    // oxlint-disable-next-line no-underscore-dangle -- Node's name
    IncomingMessage.prototype._read.call(request, 0);
    void reader.read().then(
      ({ done, value }) => void request.push(done ? null : Buffer.from(value)),
      (error: unknown) => void request.destroy(error as Error),
    );
  };
}

const toText = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );

/** A `fetch` for the typed client. */
export const createInjectedFetch =
  (send: Inject): typeof fetch =>
  async (input, { method = 'GET', headers, body, signal } = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const form = body instanceof FormData ? new Response(body) : undefined;
    const response = await send({
      method,
      path: `${pathname}${search}`,
      headers: { ...Object.fromEntries(new Headers(headers)), ...(form && { 'content-type': form.headers.get('content-type')! }) },
      body: form?.body ?? (typeof body === 'string' ? body : undefined),
      signal: signal ?? undefined,
    });
    return new Response(response.body === '' ? null : response.body, { status: response.status, headers: response.headers });
  };

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface CallTracker {
  watch(handler: Handler): Handler;
  /** Rejects new calls and waits for those in flight, at most `timeoutMs`. */
  end(timeoutMs: number): Promise<void>;
}

/** Tracks the requests in flight. */
export function createCallTracker(): CallTracker {
  const running = new Set<Promise<void>>();
  let isEnding = false;
  return {
    watch: (handler) => (request, response) => {
      if (isEnding) return Promise.resolve(respondStopped(request, response));
      const call = handler(request, response).finally(() => running.delete(call));
      running.add(call);
      return call;
    },
    async end(timeoutMs) {
      isEnding = true;
      await waitAtMost(timeoutMs, Promise.allSettled(running));
    },
  };
}

const message = 'Rollcall has stopped in this process. Nothing was changed.';

/** Uses the error format of the requested API. */
function respondStopped({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const isScim = url.startsWith('/api/scim/v2.0/');
  const body = isScim
    ? { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '503', detail: message }
    : { data: null, error: { code: 'unavailable', message, status: 503 } };
  response.statusCode = 503;
  response.setHeader('Content-Type', isScim ? 'application/scim+json' : 'application/json');
  response.setHeader('Retry-After', '5');
  response.end(JSON.stringify(body));
}

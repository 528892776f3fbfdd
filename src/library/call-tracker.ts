import type { IncomingMessage, ServerResponse } from 'node:http';
import { waitAtMost } from '../shared/timeout.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface CallTracker {
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

/** In the error format of the requested API. */
function respondStopped({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const isScim = url.startsWith('/api/scim/v2.0/');
  const body = isScim
    ? { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '503', detail: message }
    : { data: null, error: { code: 'unavailable', message } };
  response.statusCode = 503;
  response.setHeader('Content-Type', isScim ? 'application/scim+json' : 'application/json');
  response.setHeader('Retry-After', '5');
  response.end(JSON.stringify(body));
}

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

export interface AcceptFirst {
  /** To be given what the server receives. */
  handle: (request: IncomingMessage, response: ServerResponse) => void;
  watch(server: Server): void;
}

/** How long requests wait for connections that are still to be accepted, */
const maxWaitMs = 200;
/** and how long those that have waited are begun in one turn of the event loop. */
const maxBeginMs = 1;

type Received = [request: IncomingMessage, response: ServerResponse];

/**
 * Node accepts one connection in each turn of its event loop. When hundreds come at once, and the work for each begins at once, the last one
 * waits for the work of all. So while connections keep coming in turn after turn, requests wait until all are accepted. Then they begin,
 * one of each directory and then the next of each. A request on a connection that is already open waits only while others do.
 */
export function createAcceptFirst(handler: RequestListener, now = () => performance.now()): AcceptFirst {
  /** By directory; the next in turn is the first. */
  const waiting = new Map<string, Received[]>();
  let isLooking = false;
  let hasAccepted = false;
  let sinceMs = 0;

  return {
    handle(request, response) {
      if (!isLooking) return handler(request, response);
      const directory = directoryOf(request);
      const queue = waiting.get(directory);
      if (queue) queue.push([request, response]);
      else waiting.set(directory, [[request, response]]);
    },

    watch(server) {
      server.on('connection', () => {
        hasAccepted = true;
        if (isLooking) return;
        isLooking = true;
        sinceMs = now();
        setImmediate(look);
      });
    },
  };

  /** Once in each turn of the event loop, when it has accepted a connection and read the others. */
  function look() {
    const mayWait = hasAccepted && now() - sinceMs < maxWaitMs;
    hasAccepted = false;
    if (!mayWait) begin();
    isLooking = mayWait || waiting.size > 0;
    if (isLooking) setImmediate(look);
  }

  function begin() {
    const untilMs = now() + maxBeginMs;
    for (const [directory, queue] of waiting) {
      const [request, response] = queue.shift()!;
      waiting.delete(directory);
      // The map gives it again after the others.
      if (queue.length > 0) waiting.set(directory, queue);
      // Its caller has left meanwhile: nobody wants an answer.
      if (!request.socket.destroyed && !request.socket.readableEnded) handler(request, response);
      if (now() > untilMs) return;
    }
  }
}

/** As the address says it: nobody is authenticated yet. */
const directoryOf = ({ url = '' }: IncomingMessage) => /^\/+api\/+scim\/+v2\.0\/+([^/?]+)/.exec(url)?.[1] ?? '';

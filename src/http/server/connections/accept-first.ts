import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

interface AcceptFirst {
  handle: (request: IncomingMessage, response: ServerResponse) => void;
  watch(server: Server): void;
}

/** How long requests wait for other connections to be accepted. */
const maxWaitMs = 200;
/** How much of one turn of the event loop is used to begin waiting requests. */
const maxBeginMs = 1;

type Received = [request: IncomingMessage, response: ServerResponse];

/**
 * Node accepts one connection in each turn of its event loop. When hundreds arrive together and each begins its work immediately, the last
 * one waits for the work of all. So while every turn brings a new connection, requests wait until all are accepted. Then they begin, one of
 * each directory in turn. A request on a connection that is already open waits only while others do.
 */
export function createAcceptFirst(handler: RequestListener, now = () => performance.now()): AcceptFirst {
  /** Requests that wait, by directory. The first entry is the next in turn. */
  const waiting = new Map<string, Received[]>();
  let isScheduled = false;
  let hasAccepted = false;
  let sinceMs = 0;

  return {
    handle(request, response) {
      if (!isScheduled) return handler(request, response);
      const directory = directoryOf(request);
      const queue = waiting.get(directory);
      if (queue) queue.push([request, response]);
      else waiting.set(directory, [[request, response]]);
    },

    watch(server) {
      server.on('connection', () => {
        hasAccepted = true;
        if (isScheduled) return;
        isScheduled = true;
        sinceMs = now();
        setImmediate(runTurn);
      });
    },
  };

  /** Runs once in each turn of the event loop, after it has accepted a connection and read the others. */
  function runTurn() {
    const mayWait = hasAccepted && now() - sinceMs < maxWaitMs;
    hasAccepted = false;
    if (!mayWait) begin();
    isScheduled = mayWait || waiting.size > 0;
    if (isScheduled) setImmediate(runTurn);
  }

  function begin() {
    const untilMs = now() + maxBeginMs;
    for (const [directory, queue] of waiting) {
      const [request, response] = queue.shift()!;
      waiting.delete(directory);
      // Moves the directory to the end of the map.
      if (queue.length > 0) waiting.set(directory, queue);
      // Skips requests whose caller has left.
      if (!request.socket.destroyed && !request.socket.readableEnded) handler(request, response);
      if (now() > untilMs) return;
    }
  }
}

/** The directory in the path. It is not authenticated yet. */
const directoryOf = ({ url = '' }: IncomingMessage) => /^\/+api\/+scim\/+v2\.0\/+([^/?]+)/.exec(url)?.[1] ?? '';

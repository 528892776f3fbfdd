import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { areChunksTooSmall } from '../../../shared/chunk-buffer.ts';
import { hasTooManyChunks, maxUnreadBytes, tooManyChunks } from '../connections/chunk-limit.ts';

const maxDrainMs = 5_000;

/**
 * Discards the rest of a body while the response is sent: a client that writes the whole body before it reads must get the response, and
 * not a broken connection. After a limit of time or bytes the connection is closed.
 */
export async function drainBody(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const drained = drainUpToLimit(request);
  // Such a connection is closed right after the response, so the response has to wait.
  if (!response.shouldKeepAlive || response.hasHeader('Connection')) return void (await drained);
  void drained.then((isWhole) => isWhole || request.destroy());
}

function drainUpToLimit(request: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    if (hasTooManyChunks(request)) return resolve(false);
    const end = (isWhole: boolean) => {
      clearTimeout(cut);
      resolve(isWhole);
    };
    const cut = setTimeout(() => end(false), maxDrainMs);
    let bytes = 0;
    let chunks = 0;
    finished(request, () => end(true));
    request.once(tooManyChunks, () => end(false));
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks += 1;
      if (bytes > maxUnreadBytes || areChunksTooSmall(chunks, bytes)) end(false);
    });
    request.resume();
  });
}

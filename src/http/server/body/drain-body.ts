import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { areTooSmall } from '../../../shared/collect-chunks.ts';
import { hasTooManyChunks, maxUnreadBytes, tooManyChunks } from '../connections/chunk-limit.ts';

const patienceMs = 5_000;

/**
 * Lets what is left of a body pass unread, while the answer leaves: a client that writes all of it before it listens is to find the
 * answer, and not a broken connection. One that goes on for too long finds just that.
 */
export async function passOver(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const passed = passUntilEnough(request);
  // Such a connection is closed as soon as it is answered: there the answer has to wait.
  if (!response.shouldKeepAlive || response.hasHeader('Connection')) return void (await passed);
  void passed.then((isWhole) => isWhole || request.destroy());
}

function passUntilEnough(request: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    if (hasTooManyChunks(request)) return resolve(false);
    const end = (isWhole: boolean) => {
      clearTimeout(cut);
      resolve(isWhole);
    };
    const cut = setTimeout(() => end(false), patienceMs);
    let bytes = 0;
    let chunks = 0;
    finished(request, () => end(true));
    request.once(tooManyChunks, () => end(false));
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks += 1;
      if (bytes > maxUnreadBytes || areTooSmall(chunks, bytes)) end(false);
    });
    request.resume();
  });
}

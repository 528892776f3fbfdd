import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { areTooSmall } from '../collect-chunks.ts';

const maxBytes = 32 * 1024 * 1024;
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
    let bytes = 0;
    let chunks = 0;
    const cut = setTimeout(() => resolve(false), patienceMs);
    finished(request, () => {
      clearTimeout(cut);
      resolve(true);
    });
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks += 1;
      if (bytes > maxBytes || areTooSmall(chunks, bytes)) resolve(false);
    });
    request.resume();
  });
}

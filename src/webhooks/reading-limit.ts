import type { Socket } from 'node:net';

/**
 * What is read in one exchange, with all that is no part of the answer and that nobody else counts: the words of the status line,
 * extensions of chunks, interim answers.
 */
const longestExchange = 512 * 1024;

const readUpTo = new WeakMap<Socket, number>();

class TooMuchRead extends Error {
  readonly code = 'TOO_MUCH_READ';
}

/** As a request is written. undici listens to the socket by then. */
export function limitReading(socket: Socket): void {
  const isNew = !readUpTo.has(socket);
  readUpTo.set(socket, socket.bytesRead + longestExchange);
  if (isNew) socket.prependListener('readable', () => void (socket.bytesRead > readUpTo.get(socket)! && socket.destroy(new TooMuchRead())));
}

import type { Socket } from 'node:net';

/**
 * What is read in one exchange, with all that is no part of the answer and that nobody else counts: the words of the status line,
 * extensions of chunks, interim answers.
 */
const longestExchange = 512 * 1024;

/** To resume TLS with. They count as nothing that is read, and each is unpacked; servers send two or four. */
const mostTickets = 32;

interface Limits {
  readUpTo: number;
  tickets: number;
}
const limits = new WeakMap<Socket, Limits>();

class TooMuchRead extends Error {
  readonly code = 'TOO_MUCH_READ';
}

/** As a request is written. undici listens to the socket by then. */
export function limitReading(socket: Socket): void {
  const known = limits.get(socket);
  const of = known ?? { readUpTo: 0, tickets: 0 };
  Object.assign(of, { readUpTo: socket.bytesRead + longestExchange, tickets: 0 });
  if (known) return;
  limits.set(socket, of);
  const hangUp = () => void socket.destroy(new TooMuchRead());
  socket.prependListener('readable', () => void (socket.bytesRead > of.readUpTo && hangUp()));
  socket.on('session', () => void ((of.tickets += 1) > mostTickets && hangUp()));
}

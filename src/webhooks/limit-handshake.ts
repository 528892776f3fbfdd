import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Long certificate chains of public authorities have 8 KB. */
const maxHandshakeBytes = 24 * 1024;

class LongHandshakeError extends Error {
  readonly code = 'LONG_HANDSHAKE';
}

interface LimitedTransport {
  /** What TLS reads from and writes to. */
  stream: Duplex;
  /** To be called when the connection is secure: what follows is not limited here. */
  endLimit(): void;
}

/**
 * Ends a TLS handshake that is longer than `maxHandshakeBytes` before OpenSSL sees the rest. OpenSSL compares each name in a receiver's
 * certificates with each name constraint, also in a chain that nobody trusts: 90 KB of certificates block the event loop for a second.
 */
export function limitHandshake(socket: Socket): LimitedTransport {
  let bytesLeft = maxHandshakeBytes;
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (chunk: Buffer) => {
    bytesLeft -= chunk.length;
    if (bytesLeft < 0) stream.destroy(new LongHandshakeError());
    else if (!stream.push(chunk)) socket.pause();
  });
  socket.on('end', () => stream.push(null));
  socket.on('error', (error) => stream.destroy(error));
  socket.on('close', () => stream.destroy());
  return { stream, endLimit: () => void (bytesLeft = Infinity) };
}

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Long certificate chains of public authorities have 8 KB. */
const maxHandshakeBytes = 24 * 1024;
/** Maximum bytes of an attempt without data in them: tickets, key updates and what surrounds each record. */
const maxOverheadBytes = 192 * 1024;

class LongHandshakeError extends Error {
  readonly code = 'LONG_HANDSHAKE';
}

class TooMuchOverheadError extends Error {
  readonly code = 'TOO_MUCH_OVERHEAD';
}

interface LimitedTls {
  /** What TLS reads from and writes to. */
  stream: Duplex;
  /** To be called when the connection is secure. */
  begin(secure: Socket): void;
}

const begun = new WeakMap<Socket, () => void>();

/** Gives the next attempt over a connection the whole limit. */
export const restartTlsLimit = (secure: Socket): void => begun.get(secure)?.();

/**
 * Limits what a receiver can make TLS compute, before OpenSSL sees it. OpenSSL compares each name in a receiver's certificates with each name
 * constraint, also in a chain that nobody trusts: 90 KB of certificates block the event loop for a second. Later each record without data
 * costs a computation.
 */
export function limitTls(socket: Socket): LimitedTls {
  let received = 0;
  let limit = maxHandshakeBytes;
  let secured: Socket | undefined;
  const restart = () => void (limit = overhead() + maxOverheadBytes);
  const overhead = () => received - (secured?.bytesRead ?? 0);
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
    received += chunk.length;
    if (overhead() > limit) stream.destroy(secured ? new TooMuchOverheadError() : new LongHandshakeError());
    else if (!stream.push(chunk)) socket.pause();
  });
  socket.on('end', () => stream.push(null));
  socket.on('error', (error) => stream.destroy(error));
  socket.on('close', () => stream.destroy());

  return {
    stream,
    begin(secure) {
      secured = secure;
      begun.set(secure, restart);
      restart();
    },
  };
}

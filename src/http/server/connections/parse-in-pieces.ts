import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const pieceBytes = 4_096;
const ended = new WeakSet<Duplex>();

/**
 * Passes what is read from a connection to Node's parser in pieces. The parser can't be stopped within its input, and calls back for each
 * part: one read of 64 KiB can contain ten thousand chunks of a body, or two thousand requests. Most reads are smaller than a piece.
 */
export function parseInPieces(server: Server): void {
  server.on('connection', (socket: Socket) => {
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (!parse) return;
    socket.removeListener('data', parse);
    socket.on('data', (bytes: Buffer) => {
      for (let from = 0; from < bytes.length && !socket.destroyed && !ended.has(socket); from += pieceBytes) {
        if (isPaused(socket)) {
          socket.pause();
          socket.unshift(bytes.subarray(from));
          return;
        }
        parse(bytes.subarray(from, from + pieceBytes));
      }
    });
  });
}

/**
 * While a client does not read its responses, Node pauses the connection, and its parser must be given nothing, also if other code has resumed
 * the connection meanwhile: it would end the process. Node resumes it.
 */
const isPaused = (socket: Socket) => socket.isPaused() || (socket as { ['_paused']?: boolean })['_paused'] === true;

/** Ignores everything that this connection sends from now on. The rest of the current piece is still parsed. */
export const endParsing = (socket: Duplex) => void ended.add(socket);

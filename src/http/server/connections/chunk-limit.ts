import { IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { areChunksTooSmall } from '../../../shared/chunk-buffer.ts';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * How much of a rejected body is discarded, so that a client that writes the whole body before it reads gets its response.
 */
export const maxUnreadBytes = 32 * 1024 * 1024;

/** The event of a request with too many chunks. */
export const tooManyChunks = 'tooManyChunks';

/**
 * Counts the chunks of a request as they leave Node's parser, whether they are read or not. From the first chunk beyond the limit they are
 * dropped, and nothing more of the connection is parsed.
 */
export class ChunkLimitedRequest extends IncomingMessage {
  hasTooManyChunks = false;
  #hasResponse = false;
  #chunks = 0;
  #bytes = 0;

  override push(chunk: Buffer | null): boolean {
    if (this.hasTooManyChunks) return false;
    if (this.#hasResponse && this.#bytes > maxUnreadBytes) {
      endParsing(this.socket);
      this.socket.destroySoon();
      return false;
    }
    if (chunk !== null) {
      this.#chunks += 1;
      this.#bytes += chunk.length;
      if (areChunksTooSmall(this.#chunks, this.#bytes)) {
        this.hasTooManyChunks = true;
        endParsing(this.socket);
        this.emit(tooManyChunks);
        return false;
      }
    }
    return super.push(chunk);
  }

  /** Node calls it after the response to a request that was not read. Node's own version drops the chunks before they are counted. */
  _dump(): void {
    this.#hasResponse = true;
    this.removeAllListeners('data');
    this.resume();
  }
}

export const hasTooManyChunks = (request: IncomingMessage) => request instanceof ChunkLimitedRequest && request.hasTooManyChunks;

/** Such a request is the last of its connection: nothing after it is parsed. */
export function closeAfterTooManyChunks(request: IncomingMessage, response: ServerResponse): void {
  const close = () => {
    if (response.writableFinished) return request.socket.destroySoon();
    if (!response.headersSent) response.setHeader('Connection', 'close');
    response.once('finish', () => request.socket.destroySoon());
  };
  if (hasTooManyChunks(request)) close();
  else request.once(tooManyChunks, close);
}

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

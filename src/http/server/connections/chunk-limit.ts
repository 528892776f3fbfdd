import { IncomingMessage, type ServerResponse } from 'node:http';
import { areChunksTooSmall } from '../../../shared/chunk-buffer.ts';
import { endParsing } from './parse-in-pieces.ts';

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

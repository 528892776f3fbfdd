import { IncomingMessage, type ServerResponse } from 'node:http';
import { areTooSmall } from '../../../shared/collect-chunks.ts';
import { endParsing } from './parse-in-pieces.ts';

/**
 * So much of a body that nobody wants is passed over. A client that writes all of it before it listens is to find
 * its answer.
 */
export const maxUnreadBytes = 32 * 1024 * 1024;

/** The event of a request that has them. */
export const tooManyChunks = 'tooManyChunks';

/**
 * A request whose chunks are counted as they leave Node's parser, whoever reads them, and also if nobody does. From the first that is too
 * many they are dropped, and nothing more of the connection is parsed.
 */
export class ChunkLimitedRequest extends IncomingMessage {
  hasTooManyChunks = false;
  #isAnswered = false;
  #chunks = 0;
  #bytes = 0;

  override push(chunk: Buffer | null): boolean {
    if (this.hasTooManyChunks) return false;
    if (this.#isAnswered && this.#bytes > maxUnreadBytes) {
      endParsing(this.socket);
      this.socket.destroySoon();
      return false;
    }
    if (chunk !== null) {
      this.#chunks += 1;
      this.#bytes += chunk.length;
      if (areTooSmall(this.#chunks, this.#bytes)) {
        this.hasTooManyChunks = true;
        endParsing(this.socket);
        this.emit(tooManyChunks);
        return false;
      }
    }
    return super.push(chunk);
  }

  /** Node calls it for a request that is answered and was not read. Its own drops the chunks before they are counted. */
  _dump(): void {
    this.#isAnswered = true;
    this.removeAllListeners('data');
    this.resume();
  }
}

export const hasTooManyChunks = (request: IncomingMessage) => request instanceof ChunkLimitedRequest && request.hasTooManyChunks;

/** Such a request is the last of its connection: what follows is never parsed. */
export function closeAfterTooManyChunks(request: IncomingMessage, response: ServerResponse): void {
  const close = () => {
    if (response.writableFinished) return request.socket.destroySoon();
    if (!response.headersSent) response.setHeader('Connection', 'close');
    response.once('finish', () => request.socket.destroySoon());
  };
  if (hasTooManyChunks(request)) close();
  else request.once(tooManyChunks, close);
}

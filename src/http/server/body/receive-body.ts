import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../errors.ts';
import { hasTooManyChunks, tooManyChunks } from '../connections/chunk-limit.ts';

/**
 * Passes on each chunk as it arrives, and waits for the promise that may be returned for it. It uses events because an async iterator costs
 * as much as all other work on a small body. Rejects if the connection ends early or the callback throws; then the rest is still unread.
 */
export function receiveBody(request: IncomingMessage, take: (chunk: Buffer) => Promise<void> | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () =>
      void request
        .off('data', onData)
        .off('end', onEnd)
        .off('close', onClose)
        .off('error', fail)
        .off(tooManyChunks, onTooManyChunks)
        .pause();
    const fail = (error: unknown) => {
      stop();
      reject(error);
    };
    let waiting: Promise<void> | undefined;
    const onData = (chunk: Buffer) => {
      try {
        const turn = take(chunk);
        if (!turn) return;
        waiting = turn;
        request.pause();
        turn.then(() => request.resume(), fail);
      } catch (error) {
        fail(error);
      }
    };
    // A pause does not delay the end of a request whose last chunk has arrived.
    const onEnd = () => {
      stop();
      if (waiting) waiting.then(resolve, reject);
      else resolve();
    };
    const onClose = () => fail(new Error('The connection has ended.'));
    const onTooManyChunks = () => fail(tooSmallChunks());
    if (hasTooManyChunks(request)) return onTooManyChunks();
    if (request.readableEnded) return resolve();
    if (request.destroyed) return onClose();
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', fail).on(tooManyChunks, onTooManyChunks);
  });
}

export const tooSmallChunks = () =>
  new AppError(
    'invalid_request',
    'The body has more than 1000 small chunks, of 62 bytes or less on average (fixed limit): send larger ones.',
  );

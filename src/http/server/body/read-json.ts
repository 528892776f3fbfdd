import type { Context } from 'koa';
import { AppError } from '../../../errors.ts';
import { createYieldToEventLoop } from '../../../shared/yield-to-event-loop.ts';
import { type BodyLimit, type CountedBody, largeBodyBytes, smallBodyBytes, smallBodyValues } from './body-limits.ts';
import { throwIfDisconnected } from '../caller-connection.ts';
import { areChunksTooSmall, createChunkBuffer } from '../../../shared/chunk-buffer.ts';
import { receiveBody, tooSmallChunks } from './receive-body.ts';
import { shorten } from '../../../scim/resource/size-limits.ts';
import { keepSentBody } from '../record-requests.ts';
import { rejectUnstorable } from './reject-unstorable.ts';
import { maxNames, pathAt, scanJson } from './scan-json.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { hasTooManyChunks, maxUnreadBytes, tooManyChunks } from '../connections/chunk-limit.ts';

const jsonTypes = ['application/json', 'application/scim+json'];

/**
 * Reads a body as JSON, with limits of bytes, values and depth, and rejects what Postgres or receivers cannot store. A large body keeps its
 * turn until `releaseBody`.
 */
export async function readJson(ctx: Context, limit: BodyLimit): Promise<unknown> {
  if (ctx.is(jsonTypes) !== null && ctx.get('content-type') !== '' && !ctx.is(jsonTypes))
    throw new AppError('unsupported_media_type', `The body must be ${jsonTypes.join(' or ')}.`);
  if (!/^(identity)?$/i.test(ctx.get('content-encoding'))) throw new AppError('unsupported_media_type', 'The body must not be compressed.');
  const { bytes, counted } = await readBytes(ctx, limit);
  throwIfDisconnected(ctx);
  const isSmall = bytes.length <= smallBodyBytes;
  if (!isSmall) await limit.scheduler?.beginProcessing(ctx, ownerOf(ctx));
  // Each step over a large body takes tens of milliseconds: the event loop runs in between.
  const pause = createYieldToEventLoop(() => throwIfDisconnected(ctx));
  const scan = scanJson(bytes, limit.maxValues);
  if (isSmall && scan.values > smallBodyValues) await limit.scheduler?.beginProcessing(ctx, ownerOf(ctx));
  if (scan.values > limit.maxValues) throw tooManyValues(limit);
  if (scan.hasTooManyNames) throw tooManyNames();
  const overloaded = counted?.addValues(scan.values);
  if (overloaded) throw overloaded;
  if (!isSmall) await pause();
  const text = decode(bytes);
  const kept = keepSentBody(ctx, bytes, text);
  if (text === undefined) throw new AppError('invalid_request', 'The body is not valid UTF-8.');
  if (!isSmall) await pause();
  let value: unknown;
  try {
    value = JSON.parse(text);
    kept.isJson = true;
  } catch {
    throw new AppError('invalid_request', text.trim() === '' ? 'The body is empty; it must be JSON.' : 'The body is not valid JSON.');
  }
  if (!isSmall) await pause();
  rejectUnstorable(value, text);
  if (!isSmall) await pause();
  if (scan.lossyNumberAt !== undefined) throw lossyNumber(pathAt(bytes.toString('utf8', 0, scan.lossyNumberAt)));
  return value;
}

/** Whether the request brings a body, as far as its headers say. */
export const hasBody = (ctx: Context): boolean =>
  ctx.request.length !== 0 && (ctx.request.length !== undefined || ctx.get('transfer-encoding') !== '');

/** Reads a body up to the limit of bytes. The rest of a larger one is discarded. */
export async function readBytes(
  ctx: Context,
  { maxBytes, setting = 'fixed limit', inFlight, scheduler }: BodyLimit,
): Promise<{ bytes: Buffer; counted?: CountedBody | undefined }> {
  const afterDraining = async (error: AppError) => {
    await drainBody(ctx.req, ctx.res);
    return error;
  };
  const tooLarge = () => new AppError('payload_too_large', `The body is larger than ${maxBytes} bytes (${setting}).`);
  if (ctx.request.length > maxBytes) throw await afterDraining(tooLarge());
  const counted = inFlight?.open(ownerOf(ctx));
  ctx.res.once('close', () => counted?.release());
  const chunks = createChunkBuffer();
  let received = 0;
  let count = 0;
  let isLarge = false;
  try {
    await receiveBody(ctx.req, (chunk) => {
      received += chunk.length;
      count += 1;
      if (received > maxBytes) throw tooLarge();
      if (areChunksTooSmall(count, received)) throw tooSmallChunks();
      const overloaded = counted?.add(chunk.length);
      if (overloaded) throw overloaded;
      chunks.add(chunk);
      if (isLarge || received <= largeBodyBytes) return undefined;
      isLarge = true;
      return scheduler?.beginReading(ctx, ownerOf(ctx));
    });
  } catch (error) {
    const failure =
      error instanceof AppError
        ? await afterDraining(error)
        : new AppError('invalid_request', 'The connection ended before the body was complete.', { cause: error });
    counted?.release();
    throw failure;
  }
  if (ctx.res.destroyed) counted?.release();
  return { bytes: chunks.concat(), counted };
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const ownerOf = ({ state }: Context) => (state as { directoryId?: string }).directoryId ?? '';

const tooManyValues = ({ maxValues, valuesSetting: setting = 'fixed limit' }: BodyLimit) =>
  new AppError('payload_too_large', `The body holds more than ${maxValues} JSON values (${setting}).`);

const tooManyNames = () =>
  new AppError('payload_too_large', `The objects in the body have more than ${maxNames} different names together (fixed limit).`);

const lossyNumber = (path: string) =>
  new AppError('invalid_request', `${shorten(path) || 'The body'} is a number that loses digits in JavaScript: send it as a string.`, {
    scimType: 'invalidValue',
    ...(path && { field: path }),
  });

const maxDrainMs = 5_000;

/**
 * Discards the rest of a body while the response is sent: a client that writes the whole body before it reads must get the response, and
 * not a broken connection. After a limit of time or bytes the connection is closed.
 */
export async function drainBody(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const drained = drainUpToLimit(request);
  // Such a connection is closed right after the response, so the response has to wait.
  if (!response.shouldKeepAlive || response.hasHeader('Connection')) return void (await drained);
  void drained.then((isWhole) => isWhole || request.destroy());
}

function drainUpToLimit(request: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    if (hasTooManyChunks(request)) return resolve(false);
    const end = (isWhole: boolean) => {
      clearTimeout(cut);
      resolve(isWhole);
    };
    const cut = setTimeout(() => end(false), maxDrainMs);
    let bytes = 0;
    let chunks = 0;
    finished(request, () => end(true));
    request.once(tooManyChunks, () => end(false));
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks += 1;
      if (bytes > maxUnreadBytes || areChunksTooSmall(chunks, bytes)) end(false);
    });
    request.resume();
  });
}

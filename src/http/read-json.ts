import type { Context } from 'koa';
import { AppError } from '../errors.ts';
import { passOver } from './pass-over.ts';
import { keepSentBody } from './record-requests.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';

const jsonTypes = ['application/json', 'application/scim+json'];

/** Reads a body as JSON, bounded in size and depth, with nothing in it that Postgres or a receiver could not hold. */
export async function readJson(ctx: Context, maxBytes: number): Promise<unknown> {
  const hasBody = ctx.is(jsonTypes) !== null;
  if (hasBody && ctx.get('content-type') !== '' && !ctx.is(jsonTypes))
    throw new AppError('unsupported_media_type', `The body must be ${jsonTypes.join(' or ')}.`);
  if (!/^(identity)?$/i.test(ctx.get('content-encoding'))) throw new AppError('unsupported_media_type', 'The body must not be compressed.');
  const bytes = await readBytes(ctx, maxBytes);
  const text = decode(bytes);
  const kept = keepSentBody(ctx, bytes, text);
  if (text === undefined) throw new AppError('invalid_request', 'The body is not valid UTF-8.');
  let value: unknown;
  try {
    value = JSON.parse(text);
    kept.isJson = true;
  } catch {
    throw new AppError('invalid_request', text.trim() === '' ? 'The body is empty; JSON is wanted.' : 'The body is not valid JSON.');
  }
  refuseUnstorable(value, text);
  return value;
}

async function readBytes(ctx: Context, maxBytes: number): Promise<Buffer> {
  const tooLarge = async () => {
    await passOver(ctx.req, ctx.res);
    return new AppError('payload_too_large', `The body is larger than ${maxBytes} bytes.`);
  };
  if (ctx.request.length > maxBytes) throw await tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw await tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_request', 'The connection ended before the body was whole.', { cause: error });
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

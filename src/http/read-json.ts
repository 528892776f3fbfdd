import type { Context } from 'koa';
import { AppError } from '../errors.ts';
import { isCleanText } from '../scim/text.ts';
import { keepSentBody } from './record-requests.ts';

const jsonTypes = ['application/json', 'application/scim+json'];
const maxDepth = 64;

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
  try {
    refuseUnstorable(value, 0);
  } catch (error) {
    throw error instanceof Unstorable ? refusal(error) : error;
  }
  return value;
}

async function readBytes(ctx: Context, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => {
    // The rest is not read: the connection ends with the answer.
    ctx.set('Connection', 'close');
    return new AppError('payload_too_large', `The body is larger than ${maxBytes} bytes.`);
  };
  if (ctx.request.length > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge();
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

/** Names the place only when something is wrong: most bodies are in order, and some are large. */
function refuseUnstorable(value: unknown, depth: number): void {
  if (typeof value === 'string') {
    if (!isCleanText(value)) throw new Unstorable(unclean);
    return;
  }
  if (typeof value === 'number' && !isPlainNumber(value)) throw new Unstorable('must not hold a number that large or that small');
  if (typeof value !== 'object' || value === null) return;
  if (depth === maxDepth) throw new AppError('invalid_request', `The body is nested deeper than ${maxDepth} levels.`);
  for (const [name, inner] of Object.entries(value)) {
    if (!isCleanText(name)) throw new Unstorable(unclean);
    try {
      refuseUnstorable(inner, depth + 1);
    } catch (error) {
      if (error instanceof Unstorable) error.path.unshift(name);
      throw error;
    }
  }
}

class Unstorable extends Error {
  readonly path: string[] = [];
}

/** Postgres writes a number out in full: 1e308 has 309 digits, and 1e400 is none to JavaScript. */
const isPlainNumber = (value: number) => value === 0 || (Math.abs(value) < 1e21 && Math.abs(value) > 1e-21);

const unclean = 'must not contain NUL characters or lone surrogates';

function refusal({ path, message }: Unstorable): AppError {
  const field = path.join('.');
  return new AppError('invalid_request', `${field || 'The body'} ${message}.`, field ? { field } : {});
}

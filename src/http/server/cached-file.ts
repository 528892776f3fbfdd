import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'koa';

/** A file that is written once and kept, with its hash. */
export interface CachedFile {
  bytes: Buffer;
  compressed: Buffer;
  etag: string;
}

export async function toCachedFile(text: string): Promise<CachedFile> {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, compressed: await promisify(gzip)(bytes), etag };
}

/** Callers may keep it, and check each time whether it has changed. */
export function sendCached(ctx: Context, type: 'json' | 'html' | 'js' | 'css', { bytes, compressed, etag }: CachedFile): void {
  ctx.set('ETag', etag);
  ctx.set('Cache-Control', 'no-cache');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.vary('Accept-Encoding');
  ctx.type = type;
  const isCompressed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isCompressed) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isCompressed ? compressed : bytes;
  if (isUnchanged(ctx.get('if-none-match'), etag)) ctx.status = 304;
}

/** Koa's own comparison ignores the tag when the request has `Cache-Control: no-cache`, which fetch adds by itself. */
const isUnchanged = (given: string, etag: string) =>
  given
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === etag || one === '*');

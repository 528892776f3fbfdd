import type { Context, Middleware } from 'koa';
import type { Logger } from '../../logger.ts';
import { ScimError, toErrorBody } from '../../scim/errors.ts';
import { throwIfDisconnected } from '../server/caller-connection.ts';
import { assertResponded, toAppError } from '../server/errors.ts';
import { type YieldToEventLoop, createYieldToEventLoop } from '../../shared/yield-to-event-loop.ts';
import { toScimError } from './to-scim-error.ts';
import { releaseBody } from '../server/body/body-limits.ts';

const mediaType = 'application/scim+json; charset=utf-8';

const scimPaths =
  'The paths below a directory are /Users, /Groups, /Bulk, /.search, /ServiceProviderConfig, /ResourceTypes and /Schemas. A query must be at the end.';

/** Writes every error as a SCIM error message. */
export function scimErrors(log: Logger): Middleware {
  return async function respondInScim(ctx, next) {
    try {
      await next();
      assertResponded(ctx, scimPaths);
    } catch (thrown) {
      releaseBody(ctx);
      const error = thrown instanceof ScimError ? thrown.details : toScimError(toAppError(ctx, thrown, log));
      ctx.state['scimError'] = error;
      ctx.status = error.status;
      await sendScim(ctx, toErrorBody(error));
    }
  };
}

/** Writes a SCIM body. The status is set before. */
export async function sendScim(ctx: Context, body: unknown): Promise<void> {
  const written = writeJson(body, () => throwIfDisconnected(ctx));
  ctx.body = typeof written === 'string' ? written : await written;
  ctx.type = mediaType;
}

/** Longer lists are written in parts. */
const itemsPerChunk = 64;
/** How deep long lists are: the resources of a list, and their members or groups. */
const maxDepth = 4;

/**
 * Like `JSON.stringify`, but without blocking the event loop: a response may have 200,000 members. A long value becomes a promise of bytes.
 * The check can stop it by throwing.
 */
function writeJson(value: unknown, check: () => void): Promise<Buffer> | string {
  return isLong(value, maxDepth) ? writeLong(value, check) : (JSON.stringify(value) ?? 'null');
}

async function writeLong(value: unknown, check: () => void): Promise<Buffer> {
  const parts: Buffer[] = [];
  await write(value, maxDepth, { pause: createYieldToEventLoop(check), add: (text) => void parts.push(Buffer.from(text)) });
  return Buffer.concat(parts);
}

interface Writing {
  pause: YieldToEventLoop;
  add(text: string): void;
}

function isLong(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  if (Array.isArray(value) && value.length > itemsPerChunk) return true;
  for (const name in value) if (isLong((value as Record<string, unknown>)[name], depth - 1)) return true;
  return false;
}

async function write(value: unknown, depth: number, writing: Writing): Promise<void> {
  await writing.pause();
  if (!isLong(value, depth)) writing.add(JSON.stringify(value) ?? 'null');
  else if (Array.isArray(value)) await writeList(value, depth, writing);
  else {
    writing.add('{');
    let comma = '';
    for (const [name, inner] of Object.entries(value as object)) {
      if (inner === undefined) continue;
      writing.add(`${comma}${JSON.stringify(name)}:`);
      await write(inner, depth - 1, writing);
      comma = ',';
    }
    writing.add('}');
  }
}

async function writeList(items: unknown[], depth: number, writing: Writing): Promise<void> {
  const hasLong = items.some((item) => isLong(item, depth - 1));
  writing.add('[');
  for (let from = 0; from < items.length; from += hasLong ? 1 : itemsPerChunk) {
    if (from > 0) writing.add(',');
    if (hasLong) await write(items[from], depth - 1, writing);
    else writing.add(JSON.stringify(items.slice(from, from + itemsPerChunk)).slice(1, -1));
    await writing.pause();
  }
  writing.add(']');
}

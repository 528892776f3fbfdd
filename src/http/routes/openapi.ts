import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { createFairSlots } from '../../shared/fair-slots.ts';
import { signalOf, throwIfLeft } from '../caller-left.ts';
import { once } from '../once.ts';

export interface OpenApiRoutesDeps {
  baseUrl(): string;
  version: string;
  limiting?: unknown;
}

/** They are half a megabyte each, and open: one is written in each turn of the event loop. MAX_CONNECTIONS bounds how many wait. */
const oneAtATime = { name: 'descriptions', atOnce: 1, perDirectory: 1, maxWaiting: Infinity, maxWaitingPerDirectory: Infinity };

/** What the service says of itself. It tells nothing about anybody, so nobody has to say who he is. */
export function openApiRoutes({ baseUrl, version, limiting }: OpenApiRoutesDeps): Router {
  const router = new Router();
  // The address under which the service is reached is known only once it listens; and whoever does not ask need not load it.
  const document = once(async () => {
    const { createDocument } = await import('../openapi/document.ts');
    return createDocument({ baseUrl: baseUrl(), version, limiting: limiting !== undefined });
  });
  const description = once(async () => withTag(JSON.stringify(await document())));
  const reference = once(async () => {
    const [{ renderReference }, { referenceContentSecurityPolicy: policy }] = await Promise.all([
      import('../reference/render-reference.ts'),
      import('../reference/content-security-policy.ts'),
    ]);
    return { ...(await withTag(renderReference(await document()))), policy };
  });

  const turns = createFairSlots(oneAtATime);
  const inTurn: Middleware = async (ctx, next) => {
    const leave = await turns.enter('', signalOf(ctx));
    try {
      await setImmediate();
      throwIfLeft(ctx);
      await next();
    } finally {
      leave();
    }
  };

  router.get('/', (ctx) => ctx.redirect('/docs'));
  router.get('/openapi.json', inTurn, async (ctx) => answerKept(ctx, 'json', await description()));
  router.get('/docs', inTurn, async (ctx) => {
    const { policy, ...kept } = await reference();
    ctx.set('Content-Security-Policy', policy);
    ctx.set('Referrer-Policy', 'no-referrer');
    answerKept(ctx, 'html', kept);
  });
  return router;
}

interface Kept {
  bytes: Buffer;
  compressed: Buffer;
  etag: string;
}

/** A caller may keep it, and asks each time whether it is still the same. */
function answerKept(ctx: Context, type: 'json' | 'html', { bytes, compressed, etag }: Kept): void {
  ctx.set('ETag', etag);
  ctx.set('Cache-Control', 'no-cache');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.vary('Accept-Encoding');
  ctx.type = type;
  const isCompressed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isCompressed) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isCompressed ? compressed : bytes;
  if (isSame(ctx.get('if-none-match'), etag)) ctx.status = 304;
}

/** Not Koa's own comparison: it gives way to `Cache-Control: no-cache`, which fetch adds by itself. */
const isSame = (given: string, etag: string) =>
  given
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === etag || one === '*');

async function withTag(text: string): Promise<Kept> {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, compressed: await promisify(gzip)(bytes), etag };
}

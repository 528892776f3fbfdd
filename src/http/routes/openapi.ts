import { createHash } from 'node:crypto';
import Router from '@koa/router';
import type { Context } from 'koa';
import { once } from '../once.ts';

export interface OpenApiRoutesDeps {
  baseUrl(): string;
  version: string;
  limiting?: unknown;
}

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
    return { ...withTag(renderReference(await document())), policy };
  });

  router.get('/', (ctx) => ctx.redirect('/docs'));
  router.get('/openapi.json', async (ctx) => answerKept(ctx, 'json', await description()));
  router.get('/docs', async (ctx) => {
    const { policy, ...kept } = await reference();
    ctx.set('Content-Security-Policy', policy);
    ctx.set('Referrer-Policy', 'no-referrer');
    answerKept(ctx, 'html', kept);
  });
  return router;
}

interface Kept {
  text: string;
  etag: string;
}

/** A caller may keep it, and asks each time whether it is still the same. */
function answerKept(ctx: Context, type: 'json' | 'html', { text, etag }: Kept): void {
  ctx.set('ETag', etag);
  ctx.set('Cache-Control', 'no-cache');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.type = type;
  ctx.body = text;
  if (isSame(ctx.get('if-none-match'), etag)) ctx.status = 304;
}

/** Not Koa's own comparison: it gives way to `Cache-Control: no-cache`, which fetch adds by itself. */
const isSame = (given: string, etag: string) =>
  given
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === etag || one === '*');

const withTag = (text: string): Kept => ({ text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` });

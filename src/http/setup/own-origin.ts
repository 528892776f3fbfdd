import type { Context } from 'koa';
import { AppError } from '../../errors.ts';

/**
 * Fails if a browser says that a change comes from another site. Current browsers send `Sec-Fetch-Site` to https and to loopback. Their `Origin` is
 * `null`, because the pages send no referrer. Programs send neither header: unlike with a cookie, the token in the path is enough.
 */
export function assertOwnOrigin(ctx: Context, baseUrl: string): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return;
  const [site, origin] = [ctx.get('sec-fetch-site'), ctx.get('origin')];
  const isOwn =
    site === '' ? origin === '' || origin === 'null' || isSameOrigin(origin, baseUrl, ctx) : ['same-origin', 'none'].includes(site);
  if (!isOwn) throw new AppError('forbidden', 'This request comes from another site.');
}

const isSameOrigin = (origin: string, baseUrl: string, { host }: Context) =>
  origin === new URL(baseUrl).origin || origin === `http://${host}` || origin === `https://${host}`;

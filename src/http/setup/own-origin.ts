import type { Context } from 'koa';
import { AppError } from '../../errors.ts';

/**
 * Fails unless a change comes from a page of this service, as far as the browser says. Every current browser sends `Sec-Fetch-Site` to https and
 * to loopback. `Origin` is `null` there, because the pages send no referrer. A program sends neither, and needs the token in any case.
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

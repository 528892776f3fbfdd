import type { Context } from 'koa';
import { AppError } from '../../errors.ts';

/**
 * Fails unless a page of this service sent the request. Browsers add `Sec-Fetch-Site` where they trust the connection, and `Origin` to every
 * request that may change something. `baseUrl` is where they see this service; without EXTERNAL_URL they may use another name for it.
 */
export function assertOwnOrigin(ctx: Context, baseUrl: string): void {
  const site = ctx.get('sec-fetch-site');
  if (site !== '' ? site === 'same-origin' : isOwn(ctx.get('origin'), ctx.get('host'), baseUrl)) return;
  throw new AppError(
    'foreign_origin',
    'A request with a session must come from a page of this service: its Sec-Fetch-Site or Origin names another site, or is missing. Programs use an API key.',
  );
}

/** For reads: a link may be opened from anywhere, but a page of another site reads nothing. */
export function assertNoForeignSite(ctx: Context, baseUrl: string): void {
  if (!['', 'none'].includes(ctx.get('sec-fetch-site'))) assertOwnOrigin(ctx, baseUrl);
}

function isOwn(origin: string, host: string, baseUrl: string): boolean {
  const own = new URL(baseUrl);
  return origin !== '' && (origin === own.origin || origin === `${own.protocol}//${host}`);
}

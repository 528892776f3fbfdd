import type { Context, Middleware } from 'koa';
import type { SetupLink } from '../../directory/setup-links/setup-link.ts';
import type { SetupLinks } from '../../directory/setup-links/setup-links.ts';
import { AppError } from '../../errors.ts';
import type { CountFailedAuthentication } from '../server/authenticate-api-key.ts';

interface SetupLinkDeps {
  setupLinks: Pick<SetupLinks, 'find'>;
  countFailedAuthentication: CountFailedAuthentication;
  baseUrl(): string;
}

export interface SetupState {
  setupLink: SetupLink;
}

/** The link that the request was authenticated with. */
export const linkOf = (ctx: Context): SetupLink => (ctx.state as SetupState).setupLink;

/** The token is the only credential, and is checked on every path below the prefix, even one that does not exist. */
export const authenticateSetupLink =
  (prefix: string, { setupLinks, countFailedAuthentication, baseUrl }: SetupLinkDeps): Middleware =>
  async (ctx, next) => {
    const [token = ''] = ctx.path.slice(prefix.length).split('/');
    // A form that is sent twice gets the same page twice.
    const acceptsFinished = prefix === '/setup/' && ctx.method === 'POST';
    const link = await setupLinks.find(token, { acceptsFinished }).catch((error: unknown) => {
      throw isUnknown(error) ? countFailedAuthentication(ctx, { at: 'setup' }, error) : error;
    });
    (ctx.state as SetupState).setupLink = link;
    assertSameSite(ctx, baseUrl());
    return next();
  };

/** An expired link is no guess, so it does not count as a failed authentication. */
const isUnknown = (error: unknown): error is AppError => error instanceof AppError && error.code === 'not_found';

/**
 * Fails if a browser says that a change comes from another site. Current browsers send `Sec-Fetch-Site` to https
 * and to loopback. Their `Origin` is `null`, because the pages send no referrer. Programs send neither header:
 * unlike with a cookie, the token in the path is enough.
 */
function assertSameSite(ctx: Context, baseUrl: string): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return;
  const [site, origin] = [ctx.get('sec-fetch-site'), ctx.get('origin')];
  const isOwn =
    site === '' ? origin === '' || origin === 'null' || isSameOrigin(origin, baseUrl, ctx) : ['same-origin', 'none'].includes(site);
  if (!isOwn) throw new AppError('forbidden', 'This request comes from another site.');
}

const isSameOrigin = (origin: string, baseUrl: string, { host }: Context) =>
  origin === new URL(baseUrl).origin || origin === `http://${host}` || origin === `https://${host}`;

/** The address is a secret, so no cache, search engine or other site may get it. */
export const protectAddress: Middleware = (ctx, next) => {
  ctx.set('Referrer-Policy', 'no-referrer');
  ctx.set('X-Robots-Tag', 'noindex');
  ctx.set('Cache-Control', 'no-store');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('X-Frame-Options', 'DENY');
  return next();
};

/** Removes the token from a path, even if a proxy or a typing error has put something before it. */
export const hideToken = (path: string): string =>
  path.replace(/^(\/api)?\/setup\/[^/]*/, (_, api = '') => `${api}/setup/…`).replaceAll(/[0-9a-f]{48}/gi, '…');

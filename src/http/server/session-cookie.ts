import type { Context } from 'koa';

const name = 'rollcall_session';

/**
 * `baseUrl` is where browsers see this service. Over https the prefix keeps other hosts of the domain, and pages without https, from setting
 * the cookie; `__Host-` requires the path `/`.
 */
export function describeCookies(baseUrl: string): { prefix: string; path: string; attributes: string[] } {
  const { protocol, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/$/, '');
  const isSecure = protocol === 'https:';
  return {
    prefix: isSecure ? (path === '' ? '__Host-' : '__Secure-') : '',
    path,
    attributes: ['HttpOnly', ...(isSecure ? ['Secure'] : [])],
  };
}

export const readSessionCookie = (ctx: Context, baseUrl: string): string | undefined =>
  ctx.cookies.get(`${describeCookies(baseUrl).prefix}${name}`);

/** Whatever its prefix is: only to tell callers apart, never to authenticate one. */
export const findAnySessionCookie = (ctx: Context): string | undefined =>
  /(?:^|; *)(?:__Host-|__Secure-)?rollcall_session=([\w-]{43})(?:;|$)/.exec(ctx.get('cookie'))?.[1];

/** Strict: no other site can have a browser send it, not even with a link. */
export function setSessionCookie(ctx: Context, baseUrl: string, token: string, expiresAt: Date): void {
  setCookie(ctx, baseUrl, token, Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1_000)));
}

export const clearSessionCookie = (ctx: Context, baseUrl: string): void => setCookie(ctx, baseUrl, '', 0);

function setCookie(ctx: Context, baseUrl: string, value: string, maxAgeSeconds: number): void {
  const { prefix, path, attributes } = describeCookies(baseUrl);
  ctx.append(
    'Set-Cookie',
    [`${prefix}${name}=${value}`, `Path=${path || '/'}`, `Max-Age=${maxAgeSeconds}`, 'SameSite=Strict', ...attributes].join('; '),
  );
}

import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { authorizationTtlMs } from '../../../directory/sync/authorization.ts';

const name = 'rollcall_consent';

/** The secret by which a browser is known while it is led to a provider and back. Only a value that could be ours counts. */
export function readBrowserCookie(ctx: Context): string | undefined {
  const value = ctx.cookies.get(name) ?? '';
  return /^[\w-]{43}$/.test(value) ? value : undefined;
}

/** A browser keeps one secret for all its open links. `baseUrl` is where it sees this service. */
export function setBrowserCookie(ctx: Context, baseUrl: string, browser = randomBytes(32).toString('base64url')): string {
  const { protocol, pathname } = new URL(baseUrl);
  const attributes = [
    `${name}=${browser}`,
    `Path=${pathname.replace(/\/$/, '')}/api/scim/oauth`,
    `Max-Age=${authorizationTtlMs / 1_000}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(protocol === 'https:' ? ['Secure'] : []),
  ];
  ctx.append('Set-Cookie', attributes.join('; '));
  return browser;
}

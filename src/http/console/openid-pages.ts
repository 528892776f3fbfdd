import type { Context } from 'koa';
import { NoRoleError, pendingForMs, type OpenIdSignIn } from '../../access/openid-sign-in.ts';
import type { SignedInPerson } from '../../access/session-ports.ts';
import { AppError } from '../../errors.ts';
import type { HttpDeps } from '../deps.ts';
import { sendPage } from '../server/html-page.ts';
import { describeCookies } from '../server/session-cookie.ts';
import { browserOf, completeSignIn } from '../server/sign-in.ts';
import { addressOf, definePage } from './define-page.ts';

const callbackPath = '/console/callback';
const cookieName = 'rollcall_sign_in';
const maxQuery = 8_192;

/** Pages that redirect to the OpenID provider and receive its response. */
export const openIdPages = [
  definePage('get', '/console/sign-in/oidc', async (ctx, deps) => {
    assertGet(ctx);
    const { url, cookie } = await requireOpenId(deps).begin(`${deps.baseUrl()}${callbackPath}`);
    setCookie(ctx, deps, cookie, pendingForMs / 1_000);
    ctx.redirect(url);
  }),
  definePage(
    'get',
    callbackPath,
    async (ctx, deps) => {
      assertGet(ctx);
      const openId = requireOpenId(deps);
      // Checked here too, before a request to the provider, because without LIMITS_PLAN nothing else does.
      const rejected = deps.rejectEarly(ctx, 'sign_in');
      if (rejected) throw rejected;
      if (ctx.querystring.length > maxQuery)
        throw new AppError('invalid_request', `The OpenID provider sent more than ${maxQuery} characters (fixed limit).`);
      const cookie = ctx.cookies.get(nameOf(deps));
      // Each sign-in is completed at most once, even if it fails.
      setCookie(ctx, deps, '', 0);
      const person = await openId
        .complete(new URL(`${deps.baseUrl()}${callbackPath}?${ctx.querystring}`), cookie, browserOf(ctx, deps).address)
        .catch(countFailure(ctx, deps));
      completeSignIn(ctx, deps, await deps.sessions.signInAs(person, browserOf(ctx, deps)));
      // After a redirect that began at the provider, the browser would not send the cookie, which is SameSite=Strict.
      const console = addressOf(deps, '/console');
      sendPage(ctx, {
        title: 'Signed in',
        text: `You are signed in as ${person.name}.`,
        link: { text: 'Continue', href: console },
        continueTo: console,
      });
    },
    ['sign_in.succeeded', 'session.ended'],
  ),
];

function requireOpenId({ openIdSignIn }: HttpDeps): OpenIdSignIn {
  if (!openIdSignIn) throw new AppError('not_found', 'Single sign-on is not configured here (OIDC_ISSUER): sign in with an API key.');
  return openIdSignIn;
}

/** An unavailable provider does not count as a failed authentication. */
function countFailure(ctx: Context, { countFailedAuthentication }: HttpDeps) {
  return (error: unknown): SignedInPerson => {
    if (!(error instanceof AppError) || error.code === 'issuer_unavailable') throw error;
    const actor = error instanceof NoRoleError ? { type: 'person' as const, ...error.person } : undefined;
    throw countFailedAuthentication(ctx, { at: 'sign_in', actor }, error);
  };
}

/** Programs that scan links send HEAD, and must not use up a code. */
function assertGet({ method }: Context): void {
  if (method !== 'GET') throw new AppError('method_not_allowed', 'Open this address in a browser, with GET.');
}

/** Below `__Host-`, no sibling host can plant the cookie of its own sign-in. */
const nameOf = ({ baseUrl }: HttpDeps) => `${describeCookies(baseUrl()).prefix}${cookieName}`;

/** Lax, because the browser comes back from another site. */
function setCookie(ctx: Context, deps: HttpDeps, value: string, maxAgeSeconds: number): void {
  const { prefix, path, attributes } = describeCookies(deps.baseUrl());
  // A cookie of `__Host-` is for every path.
  const cookiePath = prefix === '__Host-' ? '/' : `${path}${callbackPath}`;
  ctx.append(
    'Set-Cookie',
    [`${nameOf(deps)}=${value}`, `Path=${cookiePath}`, `Max-Age=${maxAgeSeconds}`, 'SameSite=Lax', ...attributes].join('; '),
  );
}

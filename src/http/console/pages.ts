import type { Context } from 'koa';
import { AppError } from '../../errors.ts';
import type { HttpDeps } from '../deps.ts';
import type { Operation } from '../operation.ts';
import type { BodyLimit } from '../server/body/body-limits.ts';
import { readForm } from '../server/body/read-form.ts';
import type { AuthenticatedState } from '../server/authenticated-state.ts';
import { sendPage } from '../server/html-page.ts';
import { assertOwnOrigin } from '../server/own-origin.ts';
import { clearSessionCookie } from '../server/session-cookie.ts';
import { browserOf, completeSignIn } from '../server/sign-in.ts';
import { openIdPages } from './openid-pages.ts';
import { addressOf, definePage, redirect } from './define-page.ts';

const bodyLimit: BodyLimit = { maxBytes: 8_192, maxValues: Infinity };
const maxCredential = 500;

/** How people sign in and out. These pages work without JavaScript; everything else below `/console` is in serve-console.ts. */
export const consolePages: Operation[] = [
  definePage('get', '/console/sign-in', (ctx, deps) => {
    sendPage(ctx, {
      title: 'Sign in to Rollcall',
      text: deps.openIdSignIn
        ? 'Use single sign-on, or an API key.'
        : 'Use an API key, or the link that “rollcall console login” prints on the server.',
      forms: [
        {
          action: addressOf(deps, '/console/sign-in'),
          button: 'Sign in',
          field: { name: 'api_key', label: 'API key', type: 'password' },
        },
      ],
      ...(deps.openIdSignIn && { link: { text: 'Single sign-on', href: addressOf(deps, '/console/sign-in/oidc') } }),
    });
  }),
  definePage(
    'post',
    '/console/sign-in',
    async (ctx, deps) => {
      const key = await readField(ctx, deps, 'api_key');
      if (key === '') throw new AppError('invalid_request', 'Enter an API key.', { field: 'api_key' });
      completeSignIn(ctx, deps, await deps.sessions.signInByKey(key, browserOf(ctx, deps)));
      redirect(ctx, addressOf(deps, '/console'));
    },
    ['sign_in.succeeded', 'session.ended'],
  ),
  // The link only shows a button, which uses up the token: programs that preview links open them.
  definePage('get', '/console/login', (ctx, deps) => {
    const { token = '' } = ctx.query;
    sendPage(ctx, {
      title: 'Sign in to Rollcall',
      text: 'This link signs in once.',
      forms: [{ action: addressOf(deps, '/console/login'), button: 'Sign in', hidden: { token: String(token).slice(0, maxCredential) } }],
    });
  }),
  definePage(
    'post',
    '/console/login',
    async (ctx, deps) => {
      const token = await readField(ctx, deps, 'token');
      completeSignIn(ctx, deps, await deps.sessions.signInByLink(token, browserOf(ctx, deps)));
      redirect(ctx, addressOf(deps, '/console'));
    },
    ['sign_in.succeeded', 'session.ended'],
  ),
  definePage(
    'post',
    '/console/sign-out',
    async (ctx, deps) => {
      const isEverywhere = (await readField(ctx, deps, 'everywhere')) === 'true';
      const { session } = ctx.state as Partial<AuthenticatedState>;
      if (session) await (isEverywhere ? deps.sessions.endAllOfPerson(session) : deps.sessions.end(session));
      clearSessionCookie(ctx, deps.baseUrl());
      redirect(ctx, addressOf(deps, '/console/sign-in'));
    },
    ['session.ended'],
  ),
  ...openIdPages,
];

async function readField(ctx: Context, { baseUrl }: HttpDeps, name: string): Promise<string> {
  assertOwnOrigin(ctx, baseUrl());
  const given = (await readForm(ctx, bodyLimit)).getAll(name);
  const [value = ''] = given;
  if (given.length > 1 || value.length > maxCredential)
    throw new AppError('invalid_request', `${name} must be given once, with at most ${maxCredential} characters.`, { field: name });
  return value.trim();
}

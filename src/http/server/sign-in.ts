import type { Context } from 'koa';
import type { SignedIn } from '../../access/sessions.ts';
import { AppError } from '../../errors.ts';
import type { HttpDeps } from '../deps.ts';
import { readClientAddress } from './limits/caller.ts';
import { readSessionCookie, setSessionCookie } from './session-cookie.ts';

/** From where somebody signs in, and with which cookie. */
export const browserOf = (ctx: Context, { isTrustedProxy, baseUrl }: Pick<HttpDeps, 'isTrustedProxy' | 'baseUrl'>) => ({
  address: readClientAddress(ctx, isTrustedProxy),
  formerToken: readSessionCookie(ctx, baseUrl()),
});

/** Gives the browser its session, or counts the failure. */
export function completeSignIn(
  ctx: Context,
  deps: Pick<HttpDeps, 'countFailedAuthentication' | 'baseUrl'>,
  result: SignedIn | AppError,
): SignedIn {
  if (result instanceof AppError) throw deps.countFailedAuthentication(ctx, { at: 'sign_in' }, result);
  setSessionCookie(ctx, deps.baseUrl(), result.token, result.session.expiresAt);
  return result;
}

import type { Context, Middleware, Next } from 'koa';
import type { SessionAuthentication } from '../../access/authenticate-session.ts';
import { trustedForMs } from '../../access/recent-reads.ts';
import { AppError } from '../../errors.ts';
import type { NetworkMatcher } from '../../limits/networks.ts';
import type { Operation } from '../operation.ts';
import { authenticateApiKey, type ApiKeyDeps, type CountFailedAuthentication } from './authenticate-api-key.ts';
import { authenticateUploadToken, type UploadTokenDeps } from './authenticate-upload-token.ts';
import type { AuthenticatedState } from './authenticated-state.ts';
import { readClientAddress } from './limits/caller.ts';
import { assertNoForeignSite, assertOwnOrigin } from './own-origin.ts';
import { readSessionCookie } from './session-cookie.ts';

export interface SessionDeps {
  sessionAuthentication: Pick<SessionAuthentication, 'authenticate'>;
  isTrustedProxy: NetworkMatcher;
  countFailedAuthentication: CountFailedAuthentication;
  baseUrl(): string;
}

/** The JSON API takes an API key, an upload token, or the cookie of a session. A request with both uses the key. */
export function authenticateCaller(deps: SessionDeps & ApiKeyDeps & UploadTokenDeps): Middleware {
  const byKey = authenticateApiKey(deps, 'api');
  const byUploadToken = authenticateUploadToken(deps, byKey);
  return function checkCaller(ctx, next) {
    const token = ctx.get('authorization') === '' ? readSessionCookie(ctx, deps.baseUrl()) : undefined;
    return token === undefined ? byUploadToken(ctx, next) : checkSession(ctx, token, next);
  };

  async function checkSession(ctx: Context, token: string, next: Next) {
    const isReading = /^(GET|HEAD|OPTIONS)$/.test(ctx.method);
    (isReading ? assertNoForeignSite : assertOwnOrigin)(ctx, deps.baseUrl());
    const startedMs = performance.now();
    await authenticateSession(ctx, token, deps);
    await next();
    // It may have ended while the request waited, for an event or for the database.
    if (isReading && performance.now() - startedMs > trustedForMs) await authenticateSession(ctx, token, deps);
  }
}

/** Only an unknown token is a failed authentication: open pages of a browser use a session that has ended. */
async function authenticateSession(ctx: Context, token: string, deps: SessionDeps): Promise<void> {
  const found = await deps.sessionAuthentication.authenticate(token, readClientAddress(ctx, deps.isTrustedProxy));
  if (found instanceof AppError)
    throw found.code === 'session_unknown' ? deps.countFailedAuthentication(ctx, { at: 'session' }, found) : found;
  Object.assign(ctx.state, found satisfies AuthenticatedState);
}

/** For pages, which also people who are not signed in may open. */
export function findSession({
  sessionAuthentication,
  isTrustedProxy,
  baseUrl,
}: Omit<SessionDeps, 'countFailedAuthentication'>): Middleware {
  return async function lookUpSession(ctx, next) {
    const token = readSessionCookie(ctx, baseUrl());
    const found = token && (await sessionAuthentication.authenticate(token, readClientAddress(ctx, isTrustedProxy)));
    if (found && !(found instanceof AppError)) Object.assign(ctx.state, found satisfies AuthenticatedState);
    await next();
  };
}

/** An operation that is more than a read, called by GET under an alias. */
export const guardAliases =
  ({ baseUrl }: Pick<SessionDeps, 'baseUrl'>) =>
  (operation: Operation): Operation =>
    operation.method !== 'get' && operation.aliasMethods?.includes('get')
      ? {
          ...operation,
          async handle(ctx, deps, params) {
            if ((ctx.state as AuthenticatedState).session) assertOwnOrigin(ctx, baseUrl());
            await operation.handle(ctx, deps, params);
          },
        }
      : operation;

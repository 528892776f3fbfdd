import type { Middleware } from 'koa';
import { AppError } from '../../errors.ts';
import type { NetworkMatcher } from '../../limits/networks.ts';
import type { CountFailedAuthentication } from './count-failed-authentication.ts';
import { isSameSecret, readCredentials } from './credentials.ts';
import { peerOf } from './limits/caller.ts';

export interface ApiKeyDeps {
  apiKeys: string[];
  countFailedAuthentication: CountFailedAuthentication;
}

export function authenticateApiKey({ apiKeys, countFailedAuthentication }: ApiKeyDeps, at: 'api' | 'gateway' | 'metrics'): Middleware {
  return function checkApiKey(ctx, next) {
    const given = readCredentials(ctx) ?? '';
    // All keys are compared, so that the time does not say which one matched.
    const matches = apiKeys.filter((key) => isSameSecret(given, key));
    if (matches.length === 0) {
      ctx.set('WWW-Authenticate', 'Api-Key');
      const error = new AppError('unauthorized', 'Missing or invalid API key. Send `Authorization: Api-Key <key>`.');
      throw countFailedAuthentication(ctx, { at }, error);
    }
    return next();
  };
}

/** A trusted proxy needs no key: the `Authorization` that it passes on is its caller's. */
export function authenticateGateway(deps: ApiKeyDeps, isTrustedProxy: NetworkMatcher): Middleware {
  const byKey = authenticateApiKey(deps, 'gateway');
  return (ctx, next) => (isTrustedProxy(peerOf(ctx)) ? next() : byKey(ctx, next));
}

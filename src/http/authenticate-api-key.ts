import type { Middleware } from 'koa';
import { AppError } from '../errors.ts';
import { readCredentials } from './credentials.ts';
import type { CountFailedAuthentication } from './count-failed-authentication.ts';
import { isSameSecret } from './same-secret.ts';

export interface ApiKeyDeps {
  apiKeys: string[];
  countFailedAuthentication: CountFailedAuthentication;
}

export function authenticateApiKey({ apiKeys, countFailedAuthentication }: ApiKeyDeps, at: 'api' | 'gateway' | 'metrics'): Middleware {
  return function checkApiKey(ctx, next) {
    const given = readCredentials(ctx) ?? '';
    const matches = apiKeys.filter((key) => isSameSecret(given, key));
    if (matches.length === 0) {
      ctx.set('WWW-Authenticate', 'Api-Key');
      throw countFailedAuthentication(
        ctx,
        { at },
        new AppError('unauthorized', 'A valid API key is needed: `Authorization: Api-Key <key>`.'),
      );
    }
    return next();
  };
}

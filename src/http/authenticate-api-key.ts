import type { Middleware } from 'koa';
import { AppError } from '../errors.ts';
import { readCredentials } from './credentials.ts';
import { isSameSecret } from './same-secret.ts';

export function authenticateApiKey(apiKeys: string[]): Middleware {
  return function checkApiKey(ctx, next) {
    const given = readCredentials(ctx) ?? '';
    const matches = apiKeys.filter((key) => isSameSecret(given, key));
    if (matches.length === 0) {
      ctx.set('WWW-Authenticate', 'Api-Key');
      throw new AppError('unauthorized', 'A valid API key is needed: `Authorization: Api-Key <key>`.');
    }
    return next();
  };
}

import type { Middleware } from 'koa';
import { createUploadCaller } from '../../access/caller.ts';
import { isUploadToken, type UploadTokens } from '../../directory/upload-tokens/upload-tokens.ts';
import { AppError } from '../../errors.ts';
import type { CountFailedAuthentication } from './authenticate-api-key.ts';
import type { AuthenticatedState } from './authenticated-state.ts';
import { readCredentials } from './credentials.ts';

export interface UploadTokenDeps {
  uploadTokens: Pick<UploadTokens, 'authenticate'>;
  countFailedAuthentication: CountFailedAuthentication;
}

/** Its scope opens nothing but the upload, and it is narrowed to its directory. Other credentials are for `others`. */
export function authenticateUploadToken({ uploadTokens, countFailedAuthentication }: UploadTokenDeps, others: Middleware): Middleware {
  return async function checkUploadToken(ctx, next) {
    const given = readCredentials(ctx) ?? '';
    if (!isUploadToken(given)) return others(ctx, next);
    const token = await uploadTokens.authenticate(given);
    if (!token) {
      ctx.set('WWW-Authenticate', 'Bearer');
      throw countFailedAuthentication(
        ctx,
        { at: 'api' },
        new AppError('unauthorized', 'The upload token is unknown, expired or revoked. Create another one for the directory.'),
      );
    }
    (ctx.state as AuthenticatedState).caller = createUploadCaller(token);
    await next();
  };
}

import type { Middleware } from 'koa';
import type { Logger } from '../../logger.ts';
import { assertResponded, presentError, statusOf, toAppError } from './errors.ts';

/** Writes every error in the JSON API's envelope: `{ "data": null, "error": … }`. */
export function envelope(log: Logger): Middleware {
  return async function respondInEnvelope(ctx, next) {
    try {
      await next();
      assertResponded(ctx);
    } catch (thrown) {
      const error = toAppError(ctx, thrown, log);
      ctx.status = statusOf[error.code];
      ctx.body = { data: null, error: presentError(error) };
    }
  };
}

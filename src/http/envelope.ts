import type { Context, Middleware } from 'koa';
import type { Logger } from '../logger.ts';
import { refuseUnanswered, statusOf, toProblem } from './problem.ts';

/** The JSON API's dialect: `{ "data", "error" }` whatever happens. */
export function envelope(log: Logger): Middleware {
  return async function answerInEnvelope(ctx, next) {
    try {
      await next();
      refuseUnanswered(ctx);
    } catch (thrown) {
      const { code, message, field } = toProblem(ctx, thrown, log);
      ctx.status = statusOf[code];
      ctx.body = { data: null, error: { code, message, ...(field && { field }) } };
    }
  };
}

export function answer(ctx: Context, data: unknown, status = 200): void {
  ctx.status = status;
  ctx.body = { data, error: null };
}

import type { Context, Middleware } from 'koa';
import type { Logger } from '../logger.ts';
import { presentProblem, refuseUnanswered, statusOf, toProblem } from './problem.ts';

/** The JSON API's dialect: `{ "data", "error" }` whatever happens. */
export function envelope(log: Logger): Middleware {
  return async function answerInEnvelope(ctx, next) {
    try {
      await next();
      refuseUnanswered(ctx);
    } catch (thrown) {
      const problem = toProblem(ctx, thrown, log);
      ctx.status = statusOf[problem.code];
      ctx.body = { data: null, error: presentProblem(problem) };
    }
  };
}

export function answer(ctx: Context, data: unknown, status = 200): void {
  ctx.status = status;
  ctx.body = { data, error: null };
}

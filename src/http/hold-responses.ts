import type { Middleware } from 'koa';
import type { ResponseMemory } from '../store/response-memory.ts';

/** What is read for a response counts until it has left, however slowly the caller takes it: also for the answer to a change. */
export const holdResponses =
  (memory: Pick<ResponseMemory, 'during'>): Middleware =>
  (ctx, next) =>
    memory.during(ctx.res, next);

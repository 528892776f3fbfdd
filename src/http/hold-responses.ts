import type { Middleware } from 'koa';
import type { ResponseMemory } from '../store/response-memory.ts';

/** What a read loads counts until its response has left, however slowly the caller takes it. */
export const holdResponses =
  (memory: Pick<ResponseMemory, 'during'>): Middleware =>
  (ctx, next) =>
    ctx.method === 'GET' || ctx.path.endsWith('/.search') ? memory.during(ctx.res, next) : next();

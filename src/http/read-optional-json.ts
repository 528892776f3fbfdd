import type { Context } from 'koa';
import { readJson } from './read-json.ts';

/** Where nothing need be said, no body is an empty object. */
export const readOptionalJson = (ctx: Context, maxBytes: number): Promise<unknown> =>
  ctx.request.length === 0 || (ctx.request.length === undefined && ctx.get('transfer-encoding') === '')
    ? Promise.resolve({})
    : readJson(ctx, maxBytes);

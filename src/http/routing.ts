import type { Context, Middleware } from 'koa';
import type Router from '@koa/router';
import { AppError } from '../errors.ts';

/**
 * A router as middleware. The first address that fits is the one that is meant, whatever the method: some of those that come
 * after it take every word, and would have it for an id.
 */
export function routing(given: Router<never> | Router): Middleware {
  const router = given as Router;
  const dispatch = router.routes() as unknown as Middleware;
  /** By address. All routes are there when the router is given. */
  const methodsOf = new Map<unknown, string[]>();
  for (const { path, methods } of router.stack) methodsOf.set(path, [...(methodsOf.get(path) ?? []), ...methods].sort());
  return function route(ctx, next) {
    const layer = router.stack.find((candidate) => candidate.match(ctx.path));
    if (layer === undefined) return next();
    const methods = methodsOf.get(layer.path)!;
    return methods.includes(ctx.method) ? dispatch(ctx, next) : answerWithout(ctx, methods);
  };
}

function answerWithout(ctx: Context, methods: string[]): void {
  const allowed = methods.join(', ');
  ctx.set('Allow', allowed);
  if (ctx.method !== 'OPTIONS')
    throw new AppError('method_not_allowed', `${ctx.method} is not possible here; this address takes ${allowed}.`);
  ctx.status = 204;
}

import type { Middleware } from 'koa';

/** Runs the middleware, in order, for paths that start with the prefix. Other paths go on to the next mount. */
export function mount(prefix: string, ...middleware: Middleware[]): Middleware {
  const run = middleware.reduceRight<Middleware>(
    (rest, current) => (ctx, next) => current(ctx, () => Promise.resolve(rest(ctx, next))),
    () => Promise.resolve(),
  );
  return (ctx, next) => (ctx.path.startsWith(prefix) ? run(ctx, next) : next());
}

import type { Middleware } from 'koa';

/** Gives paths that start with the prefix to the given middleware, in their order, and to nobody else; other paths pass by. */
export function under(prefix: string, ...middleware: Middleware[]): Middleware {
  const run = middleware.reduceRight<Middleware>(
    (rest, current) => (ctx, next) => current(ctx, () => Promise.resolve(rest(ctx, next))),
    () => Promise.resolve(),
  );
  return (ctx, next) => (ctx.path.startsWith(prefix) ? run(ctx, next) : next());
}

import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../errors.ts';
import type { HttpDeps } from '../deps.ts';
import type { Operation } from '../operation.ts';

const prefix = '/api/v1/directory-sync';
/** What applications for Polis may use in its place. */
const polisPrefix = '/api/v1/dsync';

/** Polis says that an unknown directory was deleted, and applications repeat deletions. */
export const isForPolis = ({ path }: Pick<Context, 'path'>): boolean => path.startsWith(`${polisPrefix}/`);

/** All paths of an operation: its own, its aliases, and both with the prefix that applications for Polis use. */
export const pathsOf = ({ path, aliases = [] }: Pick<Operation, 'path' | 'aliases'>): string[] =>
  [path, ...aliases].flatMap((one) => (one.startsWith(prefix) ? [one, one.replace(prefix, polisPrefix)] : [one]));

const methodsOf = ({ method, aliasMethods = [] }: Operation) => [method, ...aliasMethods];

/** Routes requests to operations. Of the paths that match, the most specific one is used, whatever its methods are. */
export function routing(operations: readonly Operation[], deps: HttpDeps): Middleware {
  const router = new Router();
  const routes = new Map<unknown, { byMethod: Map<string, Operation>; allowed: string[] }>();
  const paths = [...new Set(operations.flatMap(pathsOf))].toSorted(bySpecificity);
  for (const path of paths) {
    const here = operations.filter((operation) => pathsOf(operation).includes(path));
    // Only the router's matching is used: running its middleware would search all routes a second time.
    const { path: pattern, methods } = router.register(path.replaceAll(/\{(\w+)\}/g, ':$1'), here.flatMap(methodsOf), () => undefined);
    const byMethod = new Map(here.flatMap((operation) => methodsOf(operation).map((method) => [method.toUpperCase(), operation] as const)));
    const reading = byMethod.get('GET');
    // A GET that is an alias does something, and a HEAD must not.
    if (reading?.method === 'get') byMethod.set('HEAD', reading);
    const forAny = here.find(({ handlesAnyMethod }) => handlesAnyMethod);
    if (forAny) byMethod.set('*', forAny);
    routes.set(pattern, { byMethod, allowed: methods.filter((method) => method !== 'HEAD' || reading?.method === 'get').sort() });
  }
  return function route(ctx, next) {
    const layer = router.stack.find((candidate) => candidate.match(ctx.path));
    if (layer === undefined) return next();
    const { byMethod, allowed } = routes.get(layer.path)!;
    const operation = byMethod.get(ctx.method) ?? byMethod.get('*');
    if (operation === undefined) return respondWithAllowed(ctx, allowed);
    return operation.handle(ctx, deps, layer.params(ctx.path, layer.captures(ctx.path)));
  };
}

/** Segment by segment, a fixed word comes before a parameter: `/groups` is not an ID. */
const bySpecificity = (one: string, other: string) => (rankOf(one) < rankOf(other) ? -1 : 1);
const rankOf = (path: string) =>
  path
    .split('/')
    .map((segment) => (segment.startsWith('{') ? '1' : '0'))
    .join('');

function respondWithAllowed(ctx: Context, methods: string[]): void {
  const allowed = methods.join(', ');
  ctx.set('Allow', allowed);
  if (ctx.method !== 'OPTIONS') throw new AppError('method_not_allowed', `${ctx.method} is not allowed here. Allowed methods: ${allowed}.`);
  ctx.status = 204;
}

/** Runs the middleware, in order, for paths that start with `below`. Other paths go on to the next mount. */
export function mount(below: string, ...middleware: Middleware[]): Middleware {
  const run = middleware.reduceRight<Middleware>(
    (rest, current) => (ctx, next) => current(ctx, () => Promise.resolve(rest(ctx, next))),
    () => Promise.resolve(),
  );
  return (ctx, next) => (ctx.path.startsWith(below) ? run(ctx, next) : next());
}

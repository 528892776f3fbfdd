import type { Middleware } from 'koa';
import { refuseMisspeltParameter } from '../directory/refuse-misspelt.ts';
import { once } from './once.ts';

/**
 * What an address takes stands in its description; one parameter that is nearly another was meant to be it. The description is large, and
 * loaded by the first who needs it.
 */
export function refuseMisspeltParameters(): Middleware {
  const loaded = once(loadNames);
  return async function refuse(ctx, next) {
    if (ctx.querystring !== '') {
      const path = ctx.path.replace(/^\/api\/v1\/dsync(?=\/|$)/, '/api/v1/directory-sync').replace(/\/scim-requests\/?$/, '/requests');
      const known = (await loaded())(ctx.method === 'HEAD' ? 'get' : ctx.method.toLowerCase(), path);
      if (known) refuseMisspeltParameter(ctx.query, known);
    }
    return next();
  };
}

/** The names that an address knows. */
async function loadNames(): Promise<(method: string, path: string) => string[] | undefined> {
  const [{ operations }, { createComponents }] = await Promise.all([import('./openapi/operations.ts'), import('./openapi/components.ts')]);
  const components = createComponents();
  const described = operations
    .filter(({ query }) => query)
    .map(({ method, path, query = [] }) => ({
      method: method as string,
      path,
      pattern: toPattern(path),
      names: once(() => query.flatMap((schema) => Object.keys(components.toFields(schema).properties ?? {}))),
    }))
    // `/groups` is no id.
    .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length);
  return (method, path) => described.find((operation) => operation.method === method && operation.pattern.test(path))?.names();
}

const toPattern = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`, 'i');

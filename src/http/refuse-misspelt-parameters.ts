import type { Middleware } from 'koa';
import { refuseMisspeltParameter } from '../directory/refuse-misspelt.ts';
import { createComponents } from './openapi/components.ts';
import type { Operation } from './openapi/operation.ts';

/** What an address takes stands in its description; one parameter that is nearly another was meant to be it. */
export function refuseMisspeltParameters(operations: Operation[]): Middleware {
  const components = createComponents();
  const described = operations
    .filter(({ query }) => query)
    .map((operation) => ({ ...operation, pattern: toPattern(operation.path) }))
    // `/groups` is no id.
    .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length);
  const known = new Map<string, string[]>();

  return function refuse(ctx, next) {
    if (ctx.querystring === '') return next();
    const path = ctx.path.replace(/^\/api\/v1\/dsync(?=\/|$)/, '/api/v1/directory-sync').replace(/\/scim-requests\/?$/, '/requests');
    const method = ctx.method === 'HEAD' ? 'get' : ctx.method.toLowerCase();
    const asked = described.find((operation) => operation.method === method && operation.pattern.test(path));
    if (asked) refuseMisspeltParameter(ctx.query, namesOf(asked));
    return next();
  };

  function namesOf({ operationId, query = [] }: Operation): string[] {
    const names = known.get(operationId) ?? query.flatMap((schema) => Object.keys(components.toFields(schema).properties ?? {}));
    known.set(operationId, names);
    return names;
  }
}

const toPattern = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`, 'i');
